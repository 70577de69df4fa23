"""What the command prints."""
