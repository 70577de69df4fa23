"""Settings of the project.  Everything about cleaning is in the first lines; the rest is Scrapy's."""

from scrapy_justext import FEED_EXPORTERS  # noqa: F401 (for `-O pages.parquet`: Scrapy reads it before add-ons)

ADDONS = {"scrapy_justext.Addon": 500}

BOT_NAME = "example"
SPIDER_MODULES = ["example.spiders"]
NEWSPIDER_MODULE = "example.spiders"
JUSTEXT_SUMMARY = True

ROBOTSTXT_OBEY = True
AUTOTHROTTLE_ENABLED = True
FEED_EXPORT_ENCODING = "utf-8"
# Only what went wrong; the summary tells the rest.  `-L INFO` shows each dropped page.
LOG_LEVEL = "WARNING"
