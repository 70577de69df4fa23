"""The processes that extract: what they do, how they are kept going, and what they give back."""
