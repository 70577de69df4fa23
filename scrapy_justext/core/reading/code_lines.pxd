from scrapy_justext.core.reading.flow cimport Flow
