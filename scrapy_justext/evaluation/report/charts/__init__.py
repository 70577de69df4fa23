"""What the report draws: SVG by matplotlib, the same bytes for the same figures."""
