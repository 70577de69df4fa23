"""Settings of the project.  Everything about cleaning is in the first line; the rest is Scrapy's."""

ADDONS = {"scrapy_justext.Addon": 500}

BOT_NAME = "example"
SPIDER_MODULES = ["example.spiders"]
NEWSPIDER_MODULE = "example.spiders"
EXTENSIONS = {"example.summary.Summary": 500}

ROBOTSTXT_OBEY = True
AUTOTHROTTLE_ENABLED = True
# For `-O pages.parquet` and `-O pages.jsonl.zst`: the command line is read before add-ons are.
FEED_EXPORTERS = {
    "parquet": "scrapy_justext.crawl.feeds.ParquetItemExporter",
    "zst": "scrapy_justext.crawl.feeds.ZstdLinesItemExporter",
}
FEED_EXPORT_ENCODING = "utf-8"
# Only what went wrong; the summary tells the rest.  `-L INFO` shows each dropped page.
LOG_LEVEL = "WARNING"
