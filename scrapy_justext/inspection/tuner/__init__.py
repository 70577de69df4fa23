"""The tuner: a local web page on which thresholds are turned, and blocks are marked right or wrong."""
