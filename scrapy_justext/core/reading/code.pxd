from scrapy_justext.core.reading.flow cimport Flow
from scrapy_justext.core.reading.nodes cimport Nodes
