"""What is compared: our own profiles, other libraries, services."""
