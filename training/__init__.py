"""Make the models of the learned profiles; not part of the package."""
