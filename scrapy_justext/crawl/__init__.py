"""What runs in a crawl: which responses are pages, what their items get, which items are dropped."""
