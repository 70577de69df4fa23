"""What runs in a crawl: which response is a page, which item came from it, what its items get, which are dropped."""
