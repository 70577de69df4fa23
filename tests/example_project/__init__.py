"""The example project, run as a newcomer runs it."""
