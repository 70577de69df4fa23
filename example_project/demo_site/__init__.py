"""A small web site of invented pages in ten languages, served on loopback, so that the example spiders run offline."""
