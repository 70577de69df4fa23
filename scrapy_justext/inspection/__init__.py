"""Seeing what happened to a page, on the command line and in the browser.  Nothing else imports this package."""
