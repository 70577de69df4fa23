"""``python -m scrapy_justext.evaluation``."""

from __future__ import annotations

import sys

from scrapy_justext.evaluation.cli import main

# Worker processes import this module under another name.
if __name__ == "__main__":
    sys.exit(main())
