from scrapy_justext.core.reading.nodes cimport Nodes
