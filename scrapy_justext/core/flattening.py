"""TEMPORARY."""

about = flatten = writer = kept_nodes = formulas_of = is_hidden = removed_elements = None
