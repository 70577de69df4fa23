"""Context-free classification by a trained model: features of blocks, a small network, its decisions in words.

Only the profiles that need it load it, since it needs NumPy.
"""
