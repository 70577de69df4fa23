"""A Scrapy project that shows what scrapy-justext does, on a site that it brings along."""
