"""Clean the pages of a crawl: which responses are cleaned, what items get, which items are dropped."""
