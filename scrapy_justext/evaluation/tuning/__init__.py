"""The command ``tune``: thresholds that fit labelled pages, searched on some of them and checked on the others."""
