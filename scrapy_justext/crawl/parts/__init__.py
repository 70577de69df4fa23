"""What a crawl may do beside cleaning its pages: a part for each feature."""
