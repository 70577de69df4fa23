"""The project's spiders, a module each."""
