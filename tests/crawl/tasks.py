"""Pages that harm the process that works on them, as their URLs say."""

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from scrapy_justext.core.extraction import Extraction
from scrapy_justext.core.options import Options
from scrapy_justext.crawl.processes import RawPage
from tests.workers.harm import Unpicklable


def kill(_: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_once(marker: str) -> None:
    """``marker``: a file that tells that it was done."""
    if not Path(marker).exists():
        Path(marker).touch()
        kill("")


def fail(message: str) -> None:
    raise LookupError(message)


def fail_oddly(message: str) -> None:
    raise Unpicklable(message, "")


def speak(message: str) -> None:
    print(message)


def wait(seconds: str) -> None:
    time.sleep(float(seconds))


def search(note: str) -> None:
    """A regular expression without end, in which no other thread has a turn; ``note``: a file that tells of it."""
    Path(note).touch()
    re.match("(a|a)*b$", "a" * 60)


HARM: dict[str, Callable[[str], None]] = {
    harm.__name__: harm for harm in (kill, kill_once, fail, fail_oddly, speak, wait, search)
}


def extract_harmed(page: RawPage, options: Options) -> Extraction:
    for name, (value,) in parse_qs(urlsplit(page.url or "").query).items():
        if name in HARM:
            HARM[name](value)
    return page.extract(options)


def extract_after_false_starts(page: RawPage, options: Options) -> Extraction:
    """Ends the process before its first page, as long as the file that the environment names has characters left."""
    left = Path(os.environ["FALSE_STARTS"])
    if page.url is None and (text := left.read_text("utf-8")):
        left.write_text(text[1:], "utf-8")
        kill("")
    return page.extract(options)
