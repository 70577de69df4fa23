"""What plugs extraction into frameworks that make corpora, a module for each; each needs its framework's extra."""
