"""How the models of the learned profiles are made; not part of the package."""
