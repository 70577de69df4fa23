"""The command as it is run from a shell."""

import json
import os
import re
import shlex
import signal
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from wcwidth import width

from scrapy_justext import extract
from scrapy_justext.core import __version__
from scrapy_justext.core.reading.loading import compiled
from scrapy_justext.core.reading.page import read_blocks
from scrapy_justext.core.tags import KINDS
from tests import forked
from tests.builders import full_disk
from tests.crawl.crawling import EXAMPLE_PROJECT, SECONDS, command_line, environment, write_project
from tests.crawl.server import Answer, Site, site_of
from tests.inspection.running import PAGES, Ran, justext, on_terminal, status_here
from tests.terminal import OBEYED, reader_that_goes_away

pytestmark = pytest.mark.full

LIBRARY = PAGES / "news" / "night-library.html"
SEARCH = PAGES / "search.html"
ARABIC = PAGES / "ar" / "mawsua" / "qahwa.html"

SENTENCES = "It was the best of times, it was the worst of times, it was the age of wisdom. " * 5
LEGACY = f"<p>Caf\xe9: {SENTENCES}"

ANSWERS: dict[str, Answer | str] = {
    "/": f"<title>Times</title><p>{SENTENCES}",
    "/legacy": Answer(LEGACY.encode("cp1252"), content_type="text/html; charset=windows-1252"),
    "/moved": Answer("", status=301, headers={"Location": "/"}),
    "/loop": Answer("", status=301, headers={"Location": "/loop"}),
    "/gone": Answer("<p>Gone.", status=410),
    "/broken": Answer("<p>Oh.", status=500),
    "/unchanged": Answer("", status=304),
    "/paper": Answer(b"%PDF-1.4\n\x00\x01", content_type="application/pdf"),
    "/picture": Answer(b"\x89PNG\r\n\x1a\n\0\0\0\0"),
    "/data": Answer("{}", content_type="application/json"),
    "/empty": Answer(" "),
    "/private": "<p>Keep out.",
    "/robots.txt": Answer("User-agent: *\nDisallow: /private", content_type="text/plain"),
}
site = site_of(ANSWERS)


@pytest.fixture
def silent() -> Iterator[str]:
    """The URL of a server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"


Here = Callable[..., Ran]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """Runs the command in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> Ran:
        status = status_here(*arguments)
        return Ran(status, *capsys.readouterr())

    return run


def test_prints_the_clean_text_of_a_file_or_markdown(tmp_path: Path) -> None:
    extraction = extract(LIBRARY.read_bytes(), markdown=True)
    assert extraction.markdown.startswith("# ")
    assert justext(LIBRARY, folder=tmp_path) == (0, extraction.text + "\n", "")
    assert justext("--markdown", LIBRARY, folder=tmp_path) == (0, extraction.markdown + "\n", "")


@pytest.mark.parametrize("name", ["markdown", "html"])
def test_prints_documents_by_a_profile_that_chooses_another(here: Here, name: str) -> None:
    document = getattr(extract(LIBRARY.read_bytes(), profile="auto", markdown=True, html=True), name)
    assert here("--profile=auto", f"--as={name}", LIBRARY).out == f"{document}\n"


@pytest.mark.parametrize("page", [f"<p>{SENTENCES}".encode(), f"<p>{SENTENCES}".encode("utf-16")], ids=["8", "16"])
def test_reads_standard_input(page: bytes, tmp_path: Path) -> None:
    assert justext("-", folder=tmp_path, stdin=page) == (0, SENTENCES.strip() + "\n", "")


def test_a_page_without_good_content_is_reported_with_the_reason(here: Here) -> None:
    ran = here("--language=en", SEARCH)
    assert (ran.status, ran.out) == (1, "")
    assert re.fullmatch(rf"justext: {SEARCH}: no good content: 0 of \d+ blocks; nearest miss: .*\n", ran.err)


def test_fetches_urls_in_a_project_and_outside_by_the_encoding_of_the_headers(site: Site, tmp_path: Path) -> None:
    assert justext(site.url("/moved"), folder=EXAMPLE_PROJECT) == (0, SENTENCES.strip() + "\n", "")
    ran = justext("--json", site.url("/"), site.url("/legacy"), folder=tmp_path)
    assert (ran.status, ran.err) == (0, "")
    text = SENTENCES.strip()
    assert [json.loads(line)["text"] for line in ran.out.splitlines()] == [text, f"Café: {text}"]


def test_files_are_parsed_as_asked(tmp_path: Path) -> None:
    page = tmp_path / "frames.html"
    # Browsers show no text beside frames.
    page.write_text(f"<frameset><frame><p>{SENTENCES}</frameset>")
    assert justext(str(page), folder=tmp_path).out == SENTENCES.strip() + "\n"
    assert justext("--parser=html5", "--blocks", str(page), folder=tmp_path).status == 1
    ran = justext("--parser=html5", "--serve", str(page), folder=tmp_path)
    assert (ran.status, ran.err) == (2, "justext: --serve: keeps pages as lxml parses them: add --parser lxml\n")
    page.write_text(f"<title>Bridge</title><nav><p>Home</nav><p>{SENTENCES}")
    listed = [justext(f"--parser={name}", "--blocks", str(page), folder=tmp_path).out for name in ("lxml", "html5")]
    assert listed[0] == listed[1] != ""


def test_tells_in_which_encoding_a_page_was_read_and_why(tmp_path: Path) -> None:
    contradicted = tmp_path / "contradicted.html"
    contradicted.write_bytes(f"<meta charset=latin-1><p>Café: {SENTENCES}".encode())
    undeclared = tmp_path / "undeclared.html"
    undeclared.write_bytes(f"<p>{'В городе говорили, что старый мост стоял здесь ещё до того. ' * 4}".encode("koi8-r"))
    ran = justext("--blocks", str(contradicted), str(undeclared), folder=tmp_path)
    assert ran.err == ""
    listing = " ".join(ran.out.split())
    for part in (
        "encoding utf-8: valid UTF-8, though the page declares cp1252", "Café: ",
        "encoding koi8-r: the page declares none, guessed by its words", "В городе говорили",
    ):  # fmt: skip
        assert part in listing
    report = tmp_path / "report.html"
    assert justext("--html", str(report), str(contradicted), folder=tmp_path).err == ""
    assert "encoding utf-8: valid UTF-8, though the page declares cp1252" in report.read_text()


PROBLEMS = {
    "/gone": "HTTP status 410 Gone",
    "/broken": "HTTP status 500 Internal Server Error",
    "/unchanged": "HTTP status 304 Not Modified",
    "/loop": "max redirections reached",
    "/paper": "not HTML: content type application/pdf",
    "/data": "not HTML: content type application/json",
    "/picture": "not HTML: bytes that no text has",
    "/empty": "empty",
    "/private": "forbidden by robots.txt",
    "/": "418 bytes, JUSTEXT_MAX_BODY_BYTES allows 99",
}
UNREACHABLE = {
    "http://nowhere.invalid/": "no such host",
    "http://127.0.0.1:1/": "connection refused",
    "gopher://127.0.0.1/": "unsupported URL scheme 'gopher': .*",
    "file:///no/such/page.html": "no such file or directory",
    "http://": "not a valid URL",
    "http://a b/": "not a valid URL",
    "http://a..b/": "not a valid URL",
    "http://[::1/": "not a valid URL",
    "http://example.com:99999/": "not a valid URL",
}


def test_a_server_that_says_nothing_is_one_line_after_all_tries(silent: str, tmp_path: Path) -> None:
    ran = justext(silent, "-sDOWNLOAD_TIMEOUT=0.3", "-sROBOTSTXT_OBEY=True", folder=tmp_path)
    assert ran == (2, "", f"justext: {silent}: timed out\n")


def test_urls_that_are_no_pages_are_a_line_each(site: Site, tmp_path: Path) -> None:
    problems = {site.url(path): problem for path, problem in PROBLEMS.items()} | UNREACHABLE
    ran = justext(*problems, "-sROBOTSTXT_OBEY=True", "-sJUSTEXT_MAX_BODY_BYTES=99", folder=tmp_path)
    assert (ran.status, ran.out) == (2, "")
    lines = ran.err.splitlines()
    assert len(lines) == len(problems)
    for line, (url, problem) in zip(lines, problems.items(), strict=True):
        assert re.fullmatch(f"justext: {re.escape(url)}: {problem}", line), line


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["no-such.html"], "no-such.html: no such file"),
        (["example.com/page"], "example.com/page: no such file; a URL begins with https://"),
        (["."], ".: is a folder; scrapy justext-archive cleans the pages in it"),
        (["a\0b"], "a\ufffdb: cannot be read: embedded null byte"),
        ([], "PAGE: none given; scrapy justext -h tells more"),
        (["--blcoks", "x"], "--blcoks: no such option; did you mean --blocks?"),
        (["--json", "--blocks", "x"], "--blocks: not together with --json"),
        (["--kind=code", "x"], "--kind: only with --blocks"),
        (["--blocks", "--kind=code,tabel", "x"], "--kind = 'tabel': unknown kind of block; did you mean table?"),
        (["--profile=lerned", "x"], "--profile = 'lerned': unknown profile; did you mean learned?"),
        (["--compare=lerned", "x"], "--compare = 'lerned': unknown profile; did you mean learned?"),
        (["--length-low=much", "x"], "--length-low = 'much': must be a whole number of characters, 0 or more"),
        (["--length-low=300", "x"], "--length-low = 300: must not be above length_high = 200"),
        (["--stoplist=none.txt", "x"], "--stoplist = 'none.txt': cannot be read: No such file or directory"),
        (["--serve", "--port=70000", "x"], "--port = '70000': must be a whole number from 0 to 65535"),
        (["--port=8000", "x"], "--port: only with --serve"),
        (["--marks=marks", "x"], "--marks: only with --serve"),
        (["--encoding=latin-0", "https://example.com/"], "--encoding = 'latin-0': unknown encoding"),
        ([""], "PAGE: the name is empty"),
        (["-sJUSTEXT_LENGTH_LOW=-1", "x"], "JUSTEXT_LENGTH_LOW = -1: must be a whole number of characters, 0 or more"),
        (["--html=no/such/report.html", LIBRARY], "no/such/report.html: cannot be written: No such file or directory"),
        (["--html=.", LIBRARY], ".: cannot be written: Is a directory"),
        (["--serve", "--marks=some", LIBRARY], "some: line 1 holds no marks of a page"),
        (["--serve", "--marks=some/marks.jsonl", LIBRARY], "some/marks.jsonl: cannot be written: Not a directory"),
    ],
    ids=lambda value: " ".join(map(str, value)).replace("\0", "0") if isinstance(value, list) else "",
)
def test_what_cannot_be_used_is_one_line(arguments: list[str | Path], problem: str, here: Here, tmp_path: Path) -> None:
    (tmp_path / "some").write_text("{}\n", "utf-8")
    assert here(*arguments) == (2, "", f"justext: {problem}\n")


@pytest.mark.parametrize(
    ("name", "body", "problem"),
    [
        ("paper.pdf", b"%PDF-1.4\n\x00\x01", "not HTML"),
        ("paper", b"%PDF-1.4\n<d41d8cd9>", "not HTML"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\0", "not HTML"),
        ("picture.html", b"\x89PNG\r\n\x1a\n\0\0\0\0", "not HTML: bytes that no text has"),
        ("notes.txt", b"<p>Not said to be HTML", "not HTML"),
        ("notes", b"a < b > c", "not HTML"),
        ("empty.html", b" \n", "empty"),
        *(
            (f"a.{end}", b"<p>x", "is an archive; scrapy justext-archive cleans the pages in it")
            for end in ("warc", "warc.gz", "jsonl.zst", "parquet")
        ),
    ],
)
def test_a_file_that_is_no_page_is_one_line(name: str, body: bytes, problem: str, here: Here, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(body)
    assert here(name) == (2, "", f"justext: {name}: {problem}\n")


def test_of_several_pages_those_that_can_be_used_are_shown_in_order(site: Site, tmp_path: Path) -> None:
    (tmp_path / "own.html").write_text(f"<p>{SENTENCES}", "utf-8")
    ran = justext("own.html", site.url("/gone"), site.url("/"), folder=tmp_path)
    assert ran.status == 2
    assert ran.err == f"justext: {site.url('/gone')}: HTTP status 410 Gone\n"
    text = SENTENCES.strip()
    assert ran.out == f"==> own.html <==\n{text}\n\n==> {site.url('/')} <==\n{text}\n"


def test_json_is_an_object_a_line(here: Here) -> None:
    lines = here("--json", LIBRARY, ARABIC).out.splitlines()
    expected = [extract(page.read_bytes()) for page in (LIBRARY, ARABIC)]
    assert [json.loads(line) for line in lines] == [extraction.to_dict() for extraction in expected]


@pytest.mark.parametrize("output", [[], ["--json"], ["--markdown"], ["--blocks"], ["--compare=learned"]], ids=str)
def test_no_page_commands_a_terminal(output: list[str], tmp_path: Path) -> None:
    text = f"\x9b31m \u202e \u2066 \x7f \x85 \u200f {SENTENCES}"
    name = "a\x9b31m\u202e.html"
    (tmp_path / name).write_text(f"<title>\x9b2J</title><p>{text}", "utf-8")
    gone = "b\x9b31m\u202e.html"
    ran = on_terminal("--language=en", *output, name, gone, folder=tmp_path, columns=100, NO_COLOR="1")
    assert ran.status == 2
    assert not re.search(OBEYED, ran.out + ran.err.rstrip("\n"))
    assert ran.err == "justext: b\ufffd31m\ufffd.html: no such file\n"


def test_json_of_a_terminal_is_that_of_a_pipe(tmp_path: Path) -> None:
    text = f"\x9b31m \u202e \u2066 \x7f \u200f {SENTENCES}".strip()
    (tmp_path / "a.html").write_text(f"<p>{text}", "utf-8")
    shown = on_terminal("--json", "--language=en", "a.html", folder=tmp_path, columns=100).out
    assert shown == justext("--json", "--language=en", "a.html", folder=tmp_path).out
    assert json.loads(shown)["text"] == text


def test_json_and_reports_are_utf_8_whatever_the_encoding_of_standard_output(tmp_path: Path) -> None:
    def printed(output: str) -> str:
        ran = justext(output, ARABIC, folder=tmp_path, PYTHONIOENCODING="ascii")
        assert (ran.status, ran.err) == (0, "")
        return ran.out

    assert json.loads(printed("--json"))["text"] == extract(ARABIC.read_bytes()).text
    report = printed("--html=-")
    assert report.startswith("<!DOCTYPE html>")
    assert extract(ARABIC.read_bytes()).title in report
    assert [*tmp_path.iterdir()] == []
    assert "\\u0628" in printed("--blocks")


TOO_LARGE = "bytes, JUSTEXT_MAX_BODY_BYTES allows 99"


def test_blocks_tell_why_a_page_has_none(here: Here, tmp_path: Path) -> None:
    (tmp_path / "large.html").write_text(f"<p>{SENTENCES}")
    (tmp_path / "empty.html").write_text("")
    (tmp_path / "small.html").write_text("<p>It was the best of times.")
    ran = here("--blocks", "-sJUSTEXT_MAX_BODY_BYTES=99", "large.html", "small.html", "empty.html", "none.html")
    assert ran.status == 2
    large, small, empty = ran.out.removeprefix("==> ").split("\n==> ")
    assert re.fullmatch(rf"large.html <==\nlarge.html\nnot cleaned in a crawl: 398 {TOO_LARGE}\n", large)
    assert "It was the best of times." in small
    assert empty == "empty.html <==\nempty.html\nnot cleaned in a crawl: empty\n"
    assert [line.split(": ")[1] for line in ran.err.splitlines()][:3] == ["large.html", "empty.html", "none.html"]


TOO_MANY_BLOCKS = "more blocks than JUSTEXT_MAX_BLOCKS allows, 9"
#: Pages that no crawl would clean with ``JUSTEXT_MAX_BLOCKS = 9``.
REFUSED = {
    "many": ("<p>It was the best of times." * 20, TOO_MANY_BLOCKS),
    "hidden": ("<div>x</div><noscript>" + "<p>It was the best of times." * 20, TOO_MANY_BLOCKS),
    "attributes": (f"<p {' '.join(map('a{}'.format, range(30_000)))}>one", "too many attributes in its elements"),
    "empty": ("", "empty"),
}
LISTINGS = ["--blocks", "--compare=learned", "--html=report.html", "--html=-"]
OUTPUTS = [*LISTINGS, "--json", "--markdown", "--encoding=utf-8"]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("page", REFUSED)
def test_a_page_that_no_crawl_would_clean_is_reported_and_stops_no_other(
    page: str, output: str, here: Here, tmp_path: Path
) -> None:
    html, problem = REFUSED[page]
    (tmp_path / "refused.html").write_text(html)
    (tmp_path / "own.html").write_text(f"<p>{SENTENCES}")
    ran = here(output, "-sJUSTEXT_MAX_BLOCKS=9", "--language=en", "own.html", "refused.html", "own.html")
    assert (ran.status, ran.err) == (2, f"justext: refused.html: {problem}\n")
    report = tmp_path / "report.html"
    shown = report.read_text("utf-8") if report.exists() else ran.out
    # The report has it in the rendering, too.
    assert shown.count("It was the best of times") >= 2
    expected = (output in LISTINGS) * (1 + output.startswith("--compare"))
    assert shown.count(f"not cleaned in a crawl: {problem}") == expected


def test_a_comparison_tells_by_which_profile_no_crawl_would_clean_a_page(here: Here, tmp_path: Path) -> None:
    (tmp_path / "own.html").write_text(f"<p>{SENTENCES}<article>" + "<section>one</section>" * 10)
    (tmp_path / "other.html").write_text(f"<p>{SENTENCES}")
    settings = ["--profile=justext-3.0", "-sJUSTEXT_MAX_BLOCKS=9", "--language=en"]
    ran = here("--compare=justext", *settings, "own.html", "other.html")
    assert (ran.status, ran.err) == (2, f"justext: own.html: {TOO_MANY_BLOCKS}\n")
    own, other = ran.out.removeprefix("==> ").split("\n==> ")
    sums = "justext-3.0: good: 1 of 1 blocks, 425 of 425 characters"
    assert own == f"own.html <==\n{sums}\njustext: not cleaned in a crawl: {TOO_MANY_BLOCKS}\n"
    # The sums come last: of the page that a profile could not clean, nothing counts.
    assert other.splitlines()[-2:] == [
        "justext-3.0: 0 without good content; 819 good characters",
        "justext: 1 without good content; 394 good characters",
    ]


@pytest.mark.parametrize("output", OUTPUTS)
def test_each_page_is_read_once(output: str, here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def reading(*given: Any) -> Any:
        read.append(given)
        return read_blocks(*given)

    monkeypatch.setattr("scrapy_justext.core.extractor.read_blocks", reading)
    (tmp_path / "own.html").write_text(f"<p>{SENTENCES}")
    assert here(output, "--language=en", "own.html").status == 0
    # A comparison needs a second one, by the other profile.
    assert len(read) == 1 + output.startswith("--compare")


def test_a_page_that_takes_longer_than_a_crawl_allows_is_noted(here: Here, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(f"<title>Times</title><p>{SENTENCES}")
    note = r"took \S+ s, JUSTEXT_TIMEOUT allows 1e-09 s: a crawl would give the page up"
    ran = here("--blocks", "--language=en", "-sJUSTEXT_TIMEOUT=1e-9", "a.html")
    assert re.fullmatch(note, ran.out.splitlines()[2])
    assert "took" not in here("--blocks", "--language=en", "-sJUSTEXT_TIMEOUT=1e9", "a.html").out
    assert here("--html=report.html", "-sJUSTEXT_TIMEOUT=1e-9", "a.html").status == 0
    assert re.search(note, (tmp_path / "report.html").read_text("utf-8"))


def test_blocks_tell_of_a_page_that_was_cut(here: Here, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<div>" * 3000 + f"<p>{SENTENCES}")
    assert here("--blocks", "--language=en", "a.html").out.splitlines()[2].startswith("cut: the page nests too deep")


def test_a_report_never_replaces_a_page(here: Here, tmp_path: Path) -> None:
    page = tmp_path / "same.html"
    page.write_text(f"<p>{SENTENCES}", "utf-8")
    (tmp_path / "link.html").symlink_to(page)
    for name in ("same.html", "./same.html", "link.html"):
        ran = here("--html", name, page)
        assert ran == (2, "", f"justext: --html: {name} is a PAGE, which the report would replace\n")
    assert page.read_text("utf-8") == f"<p>{SENTENCES}"


def test_a_report_that_was_there_stays_whole(here: Here, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    report.write_text("before", "utf-8")
    report.chmod(0o640)
    with full_disk():
        ran = here("--html=report.html", LIBRARY)
    assert ran == (2, "", "justext: report.html: cannot be written: No space left on device\n")
    assert report.read_text("utf-8") == "before"
    assert here("--html=report.html", LIBRARY).status == 0
    assert stat.S_IMODE(report.stat().st_mode) == 0o640
    assert [*tmp_path.iterdir()] == [report]


NO_SPACE = "standard output: cannot be written: No space left on device"


@pytest.mark.parametrize(
    ("argument", "redirection", "problem"),
    [
        (LIBRARY, ">&-", "standard output: cannot be written: it is closed"),
        ("-", "<&-", "standard input: cannot be read: it is closed"),
        (LIBRARY, "> /dev/full", NO_SPACE),
        (f"--html=- {LIBRARY}", "> /dev/full", NO_SPACE),
    ],
    ids=["no output", "no input", "full", "report"],
)
def test_streams_that_cannot_be_used_are_one_line_of_a_shell(
    argument: str | Path, redirection: str, problem: str, tmp_path: Path
) -> None:
    line = " ".join(map(shlex.quote, command_line("justext", *str(argument).split())))
    shell: dict[str, Any] = {"cwd": tmp_path, "env": environment(), "timeout": SECONDS}
    done = subprocess.run(["sh", "-c", f"{line} {redirection}"], capture_output=True, check=False, text=True, **shell)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"justext: {problem}\n")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [(["-s", "FOO", "x"], "Invalid -s value, use -s NAME=VALUE"), (["--html"], "--html: expected one argument")],
    ids=["set", "html"],
)
def test_what_the_parser_finds_wrong_is_one_line(arguments: list[str], problem: str, tmp_path: Path) -> None:
    assert justext(*arguments, folder=tmp_path) == (2, "", f"justext: {problem}\n")


@contextmanager
def serving(folder: Path, *arguments: str | Path) -> Iterator[tuple[str, forked.Process]]:
    """Give the address that ``scrapy justext --serve …`` prints, and its process, which Ctrl-C ends afterwards."""
    ours, theirs = os.pipe()
    words = ["scrapy", "justext", "--serve", *map(str, arguments)]
    with os.fdopen(ours) as printed:
        with os.fdopen(theirs, "wb"):
            process = forked.start(forked.COMMAND, words, folder=folder, environment=environment(), stdout=theirs)
        yield printed.readline().strip(), process
        process.send_signal(signal.SIGINT)
        assert printed.read() == ""


def test_serve_prints_its_address_and_ends_by_ctrl_c(tmp_path: Path) -> None:
    with serving(tmp_path, LIBRARY) as (url, process):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{43}/", url)
        with urlopen(url, timeout=SECONDS) as page:
            assert page.read().startswith(b"<!DOCTYPE html>")
    assert (process.communicate(timeout=SECONDS), process.returncode) == ((b"", b""), 0)


def test_serve_tells_of_pages_that_no_crawl_would_clean(tmp_path: Path) -> None:
    (tmp_path / "many.html").write_text("<p>It was the best of times." * 20)
    (tmp_path / "empty.html").write_text("")
    (tmp_path / "own.html").write_text(f"<p>{SENTENCES}")
    with serving(tmp_path, "-sJUSTEXT_MAX_BLOCKS=9", "many.html", "empty.html", "own.html") as (url, process):
        headers = {"Origin": url[: url.index("/", 8)], "Content-Type": "application/json"}
        with urlopen(Request(f"{url}api/judge", b"{}", headers), timeout=SECONDS) as answer:
            pages = json.load(answer)["pages"]
    problems = [TOO_MANY_BLOCKS, "empty", None]
    assert [(page["problem"], page["good_after"]) for page in pages] == list(zip(problems, [0, 0, 1], strict=True))
    said = f"justext: many.html: {TOO_MANY_BLOCKS}\njustext: empty.html: empty\n"
    assert (process.communicate(timeout=SECONDS), process.returncode) == ((b"", said.encode()), 2)


def test_serve_needs_a_page_that_can_be_cleaned(here: Here, tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_text("")
    said = "justext: none.html: no such file\njustext: empty.html: empty\n"
    assert here("--serve", "empty.html", "none.html") == (2, "", said)


def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = justext("--serve", f"--port={port}", LIBRARY, folder=tmp_path)
    assert ran == (2, "", f"justext: port {port}: Address already in use\n")


def test_a_dash_before_a_page_is_no_option_after_two(here: Here, tmp_path: Path) -> None:
    (tmp_path / "-.html").write_text(f"<p>{SENTENCES}", "utf-8")
    assert here("--", "-.html").status == 0


def test_options_are_over_the_sites_settings_and_those_over_the_projects(site: Site, tmp_path: Path) -> None:
    own = 'JUSTEXT_PROFILE = "boilerpipe"\nJUSTEXT_LENGTH_HIGH = 1000\n'
    sites = {"127.0.0.1": {"profile": "article", "length_high": 900}}
    write_project(tmp_path, f"{own}JUSTEXT_SITES = {sites}\n")
    (tmp_path / "own.html").write_text(f"<p>{SENTENCES}", "utf-8")

    def seen(*arguments: str) -> list[tuple[str, str]]:
        lines = justext("--json", *arguments, folder=tmp_path).out.splitlines()
        return [(found["profile"], found["blocks"][0]["reason"]) for found in map(json.loads, lines)]

    (own, _), (profile, reason) = seen("own.html", site.url("/"))
    assert own == "boilerpipe"
    assert (profile, "<= 900 characters" in reason) == ("article", True)
    [(profile, reason)] = seen("--profile=justext", site.url("/"))
    assert (profile, "<= 900 characters" in reason) == ("justext", True)
    [(_, reason)] = seen("--length-high=800", site.url("/"))
    assert "<= 800 characters" in reason


OF_CRAWLS = """
ADDONS = {"scrapy_justext.Addon": 500}
FEEDS = {"items.json": {"format": "json"}}
ITEM_PIPELINES = EXTENSIONS = {"settings.Loud": 1}
JUSTEXT_DROP = "response"
JOBDIR = "job"
class Loud:
    def __init__(self):
        raise SystemExit("this is for crawls")
"""


def test_to_inspect_a_page_is_no_crawl_of_the_project(site: Site, tmp_path: Path) -> None:
    write_project(tmp_path, OF_CRAWLS)
    before = site.requests["/"]
    ran = justext(site.url("/"), "--length-high=9000", "--length-low=8000", folder=tmp_path)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith(f"justext: {site.url('/')}: no good content")
    assert site.requests["/"] == before + 1
    assert not {"items.json", "job"} & {path.name for path in tmp_path.iterdir()}


REDIRECTING = """
DOWNLOADER_MIDDLEWARES = {"settings.Redirecting": 1}
class Redirecting:
    def process_request(self, request):
        if request.url.endswith("/gone"):
            return request.replace(url=request.url.replace("gone", ""))
"""


def test_the_projects_downloader_middlewares_are_used(site: Site, tmp_path: Path) -> None:
    write_project(tmp_path, REDIRECTING)
    assert justext(site.url("/gone"), folder=tmp_path) == (0, SENTENCES.strip() + "\n", "")


def test_the_log_is_there_for_who_asks(site: Site, tmp_path: Path) -> None:
    assert "Crawled (410)" in justext(site.url("/gone"), "-L", "DEBUG", folder=tmp_path).err


def test_works_where_there_is_no_asyncio_reactor(site: Site, tmp_path: Path) -> None:
    ran = justext(site.url("/"), "-s", "TWISTED_REACTOR=", folder=tmp_path)
    assert (ran.status, ran.out) == (0, SENTENCES.strip() + "\n")


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    with reader_that_goes_away() as theirs:
        # More than a pipe holds.
        assert justext("--json", *[LIBRARY] * 30, folder=tmp_path, stdout=theirs) == (0, "", "")


def test_blocks_are_whole_lines_in_a_pipe(here: Here) -> None:
    ran = here("--blocks", LIBRARY)
    blocks = extract(LIBRARY.read_bytes()).blocks
    lines = ran.out.splitlines()
    assert "\x1b" not in ran.out
    for block in blocks:
        [line] = [line for line in lines if re.match(rf" *{block.index}  ", line)]
        assert line.split()[1] == block.block_class
        assert f"  {block.reason}" in line
        assert line.endswith(f"  {block.text}")


@pytest.mark.parametrize(
    ("page", "arguments", "columns"),
    [(LIBRARY, ["--blocks"], 80), (ARABIC, ["--blocks"], 140), (ARABIC, ["--compare=learned"], 80)],
    ids=["english", "arabic", "compared"],
)
def test_listings_fit_a_terminal_and_are_coloured_by_class(
    page: Path, arguments: list[str], columns: int, tmp_path: Path
) -> None:
    ran = on_terminal(*arguments, page, folder=tmp_path, columns=columns)
    assert (ran.status, ran.err) == (0, "")
    assert "\x1b[1;32mgood\x1b[0m" in ran.out
    assert "\x1b[31mbad\x1b[0m" in ran.out
    plain = re.sub(r"\x1b\[[\d;]*m", "", ran.out)
    assert max(width(line) for line in plain.splitlines()) <= columns


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"])
def test_no_colours_where_they_are_not_wanted(variables: dict[str, str], tmp_path: Path) -> None:
    ran = on_terminal("--blocks", LIBRARY, folder=tmp_path, columns=100, **variables)
    assert "\x1b" not in ran.out
    assert re.search(r"^ *\d+  good  ", ran.out, re.MULTILINE)


def test_compare_marks_what_differs_and_counts(here: Here) -> None:
    kettle = PAGES / "shop" / "copper-kettle.html"
    ran = here("--compare=boilerpipe", kettle)
    rows, _, counts = ran.out.rstrip().rpartition("\n\n")
    marked = [line for line in rows.splitlines() if line.startswith("*")]
    # A table is one block, or one for each cell.
    assert [line.split()[1:5] for line in marked][:2] == [["13", "bad", "13", "good"], ["│", "good", "25", "bad"]]
    ours, theirs, differing = counts.splitlines()
    assert re.match(r"justext: good: 9 of 41 blocks, ", ours)
    assert re.match(r"boilerpipe: good: 10 of 50 blocks, ", theirs)
    assert differing == f"* {len(marked)} of 50 texts differ"


def test_several_pages_are_summed_up(here: Here, tmp_path: Path) -> None:
    (tmp_path / "short.html").write_text("<p>Short")
    ran = here("--compare=auto", LIBRARY, tmp_path / "short.html")
    title, ours, theirs = ran.out.rstrip().splitlines()[-3:]
    extractions = [extract(LIBRARY.read_bytes(), profile=profile) for profile in ("justext", "auto")]
    assert title == "2 pages"
    for line, profile, found in zip((ours, theirs), ("justext", "auto"), extractions, strict=True):
        assert line.startswith(f"{profile}: 1 without good content; {found.good_characters:,} good")


#: A page with a block of each kind, and the profile that finds it.
PAGES_OF_KINDS = {
    "text": ("justext", "<p>one"),
    "heading": ("justext", "<h2>one"),
    "list item": ("justext", "<ul><li>one"),
    "code": ("justext", "<pre><code>one"),
    "formula": ("justext", "<math display=block><mi>x</mi></math>"),
    "table": ("justext", "<table><tr><th>one<th>two<tr><td>1<td>2</table>"),
    "caption": ("justext", "<figure><figcaption>one</figure>"),
    "quote": ("justext", "<blockquote>one"),
    "image": ("justext-java", "<img src=a.png alt=one>"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_blocks_of_every_kind(kind: str, here: Here, tmp_path: Path) -> None:
    profile, html = PAGES_OF_KINDS[kind]
    page = tmp_path / "page.html"
    page.write_text(f"<div>{html}</div>", "utf-8")
    ran = here("--blocks", f"--profile={profile}", f"--kind={kind.replace(' ', '-')}", "--language=en", page)
    assert re.search(rf"^ ?\d+ +\w+ +{kind}  ", ran.out, re.MULTILINE), ran


@pytest.mark.parametrize("kinds", ["heading,list-item", "Heading, list item"])
def test_blocks_of_some_kinds(kinds: str, here: Here) -> None:
    rows = here("--blocks", f"--kind={kinds}", LIBRARY).out.partition("text\n")[2].partition("\n\n")[0].splitlines()
    assert {re.split("  +", row.strip())[2] for row in rows} == {"heading", "list item"}


@pytest.mark.parametrize(("pure", "reader"), [("0", compiled().name), ("1", "pure")])
def test_version_tells_which_reader_is_in_use(pure: str, reader: str, tmp_path: Path) -> None:
    ran = justext("--version", folder=tmp_path, SCRAPY_JUSTEXT_PURE=pure)
    assert ran.out.startswith(f"scrapy-justext {__version__}, {reader} reader (")
