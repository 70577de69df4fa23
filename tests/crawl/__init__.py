"""Real crawls of a real server on loopback, each in a process of its own."""
