"""Data sets of every kind, as they should be and as they are met."""

from __future__ import annotations

import gzip
import json
import pickle
import shutil
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from scrapy_justext.evaluation.datasets import names
from scrapy_justext.evaluation.datasets.cleaneval import gold_text, unwrap
from scrapy_justext.evaluation.datasets.documents import DataSet, Document
from scrapy_justext.evaluation.datasets.l3s import labelled_text
from scrapy_justext.evaluation.datasets.names import KINDS, kinds, open_data_set
from scrapy_justext.exceptions import DataSetError, JustextError, UnknownNameError
from tests.builders import CORPORA

BINARY = bytes(range(256)) * 3


def write(folder: Path, files: dict[str, bytes | str]) -> Path:
    """Files below a folder; those ending in .gz compressed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        body = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(body, mtime=0) if name.endswith(".gz") else body)
    return folder


def open_files(kind: str, folder: Path, files: dict[str, bytes | str]) -> DataSet:
    return open_data_set(f"{kind}:{write(folder / 'set', files)}")


def problems(data_set: DataSet) -> set[tuple[str, str]]:
    return set(data_set.problems)


# CleanEval


def wrapped(html: str, attributes: str = 'id="http://a.b/" title="A title" encoding="iso-8859-1"') -> str:
    return f"<text {attributes}>\n{html}\n</text>\n"


def test_cleaneval(tmp_path: Path) -> None:
    page = wrapped("<p>Café</p>").encode("latin-1")
    found = open_files("cleaneval", tmp_path, {"input/1.html": page, "gold/1.txt": "URL: http://a.b/\n\n<p>Café"})
    assert (found.kind, found.name, found.ids, found.problems) == ("cleaneval", "set", ("1",), ())
    assert found.documents[0] == Document(
        "1", b"\n<p>Caf\xe9</p>\n", "cp1252", "declared", 1.0, "Café", "http://a.b/", None, {"title": "A title"}
    )
    assert found.documents[0].text == "\n<p>Café</p>\n"


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('id="u" encoding="utf8"', {"id": b"u", "encoding": b"utf8"}),
        (
            'id="u?a=1&b=2" title="x > y" encoding="unset"',
            {"id": b"u?a=1&b=2", "title": b"x > y", "encoding": b"unset"},
        ),
        ('id="u" title="the "best" <b>" encoding="x"', {"id": b"u", "title": b'the "best" <b>', "encoding": b"x"}),
        ('id="u" title="" encoding="unknown- "', {"id": b"u", "title": b"", "encoding": b"unknown- "}),
        ('id="u"', {"id": b"u"}),
    ],
)
def test_cleaneval_wrapping(attributes: str, expected: dict[str, bytes]) -> None:
    assert unwrap(wrapped("<p>a > b</p>", attributes).encode()) == (b"\n<p>a > b</p>\n", expected)


def test_cleaneval_pages_without_wrapping_or_with_a_text_tag_inside() -> None:
    assert unwrap(b"<p>One</p>") == (b"<p>One</p>", {})
    assert unwrap(b"<p>One <text>two</text> three</p>")[0] == b"<p>One <text>two</text> three</p>"
    assert unwrap(b'\xef\xbb\xbf<text id="u"><p>One</text>')[0] == b"\xef\xbb\xbf<p>One"


def test_cleaneval_gold_text() -> None:
    gold = "URL: http://a.b/?x\n\n   <h>Title\n<p>One\ntwo <l>* three\n<P>1 < 2 <> <pre>"
    assert gold_text(gold).split("\n") == ["Title", "", "One", "two", "* three", "", "1 < 2 <> <pre>"]
    assert gold_text("<p>URL: not the first line") == "URL: not the first line"
    assert gold_text("URL: http://a.b/") == ""


def test_cleaneval_encodings_that_are_not_told(tmp_path: Path) -> None:
    unset = 'id="u" title="t" encoding="unset"'
    found = open_files(
        "cleaneval",
        tmp_path,
        {
            "input/1.html": wrapped('<meta charset="utf-8"><p>café', unset),
            "gold/1.txt": b"\xef\xbb\xbfURL: u\n<p>caf\xc3\xa9",
            "input/2.html": wrapped("<p>Die Bürger wohnen schön in der Straße.", unset).encode("cp1252"),
            "gold/2.txt": "URL: u\n<p>Die Bürger".encode("cp1252"),
        },
    )
    first, second = found.documents
    assert (first.encoding, first.encoding_origin, first.gold) == ("utf-8", "declared", "café")
    assert (second.encoding, second.encoding_origin, second.gold) == ("cp1252", "detected", "Die Bürger")


def test_cleaneval_of_bad_files(tmp_path: Path) -> None:
    found = open_files(
        "cleaneval",
        tmp_path,
        {
            "input/2.html": wrapped("<p>Two"),
            "gold/2.txt": "<p>Two",
            "input/10.html": wrapped("<p>Ten"),
            "gold/10.txt": "",
            "input/3.html": wrapped("no gold"),
            "gold/4.txt": "no page",
            "input/5.html": BINARY,
            "gold/5.txt": "<p>Five",
            "input/6.html": wrapped("<p>Six"),
            "gold/6.txt": b"\xff\xfe\x00",
            "input/notes.doc": "stray",
            "gold/folder/7.txt": "stray",
            "gold/.hidden": "stray",
        },
    )
    assert found.ids == ("2", "10")
    assert found.documents[1].gold == ""
    assert problems(found) == {
        ("no gold", "3"),
        ("no page", "4"),
        ("undecodable page", "5"),
        ("undecodable gold", "6"),
        ("stray file", "input/notes.doc"),
        ("stray file", "gold/folder"),
        ("stray file", "gold/.hidden"),
    }


# L3S-GN1

LABELLED = {
    "headline and full text": (
        '<h1><span class="x-nc-sel1">News</span></h1><p><span class="x-nc-sel2">One</span></p>',
        "News\nOne",
    ),
    "the other labels": (
        "".join(f'<p><span class="x-nc-sel{label}">{label}</span></p>' for label in (0, 1, 2, 3, 4, 5, 12)),
        "1\n2",
    ),
    "the innermost counts": (
        '<b class="x-nc-sel2">One <b class="x-nc-sel3">not <b class="x-nc-sel1">two</b></b> three</b>',
        "One two three",
    ),
    "elements inside keep the label": ('<span class="x-nc-sel2">One <b>t<i>w</i>o</b>.</span> three', "One two."),
    "other classes beside it": ('<span class="big x-nc-sel2 red">One</span>', "One"),
    "a class that only looks alike": ('<span class="x-nc-sel2x ax-nc-sel2">One</span>', ""),
    "blocks and line breaks part lines": (
        '<div><span class="x-nc-sel2">One<br>two</span></div><span class="x-nc-sel2">three <p>four</p></span>',
        "One\ntwo\nthree\nfour",
    ),
    "spans in a row do not part words": (
        '<p><span class="x-nc-sel2">wo</span><span class="x-nc-sel2">rd</span></p>',
        "word",
    ),
    "scripts and comments are no text": (
        '<span class="x-nc-sel2">One<script>two</script><!-- three --> four</span>',
        "One four",
    ),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("html", "text"), LABELLED.values(), ids=LABELLED)
def test_l3s_labels(html: str, text: str) -> None:
    assert labelled_text(html) == text


def test_l3s(tmp_path: Path) -> None:
    found = open_files(
        "l3s-gn1",
        tmp_path,
        {
            "input/a.html": "<meta charset=utf-8><p>Zürich</p>",
            "gold/a.html": '<meta charset=utf-8><p><span class="x-nc-sel2">Zürich</span></p>',
            "input/b.html": "no gold",
            "gold/c.html": "no page",
            "gold/readme.txt": "stray",
        },
    )
    document = found.documents[0]
    assert (found.ids, document.gold, document.encoding_origin) == (("a",), "Zürich", "declared")
    assert document.html == "<meta charset=utf-8><p>Zürich</p>".encode()
    assert problems(found) == {("no gold", "b"), ("no page", "c"), ("stray file", "gold/readme.txt")}


# WCXB

RECORD: dict[str, Any] = {
    "url": "http://a.b/",
    "page_type": "forum",
    "title": "Title",
    "main_content": "Grüße",
    "with": ["Gr"],
    "without": [],
}
WCXB_DOCUMENT = Document(
    "0001",
    "<p>Grüße".encode(),
    "utf-8",
    "data set",
    1.0,
    "Grüße",
    "http://a.b/",
    "forum",
    {"title": "Title", "with": ["Gr"], "without": []},
)


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize("name", ["gold.jsonl.gz", "gold.jsonl"])
def test_wcxb_of_lines(tmp_path: Path, name: str) -> None:
    found = open_files("wcxb", tmp_path, {"html/0001.html.gz": "<p>Grüße", name: lines({"id": "0001", **RECORD})})
    assert (list(found.documents), found.problems) == ([WCXB_DOCUMENT], ())


PUBLIC_RECORDS = {
    "flat": RECORD,
    "nested": {"url": "http://a.b/", "page_type": "forum", "ground_truth": {k: RECORD[k] for k in list(RECORD)[2:]}},
    "page type as an object": {
        "url": "http://a.b/",
        "_internal": {"page_type": {"primary": "forum", "tags": []}},
        "ground_truth": RECORD | {"url": None, "page_type": None},
    },
}


@pytest.mark.parametrize("record", PUBLIC_RECORDS.values(), ids=PUBLIC_RECORDS)
def test_wcxb_of_files(tmp_path: Path, record: dict[str, Any]) -> None:
    files: dict[str, bytes | str] = {"html/0001.html.gz": "<p>Grüße", "ground-truth/0001.json": json.dumps(record)}
    found = open_files("wcxb", tmp_path, files)
    assert (list(found.documents), found.problems) == ([WCXB_DOCUMENT], ())


def test_wcxb_of_bad_lines(tmp_path: Path) -> None:
    good = {"id": "1", "main_content": ""}
    bad: list[dict[str, Any]] = [
        {"id": "../1", "main_content": "x"},
        {"id": 7},
        {"id": "2"},
        {"id": "3", "main_content": "no page"},
        good,
    ]
    found = open_files(
        "wcxb",
        tmp_path,
        {
            "gold.jsonl": lines(good, *bad, {"id": "4", "main_content": "x"}, {"id": "5", "main_content": "x"})
            + "{torn\n[]\n",
            "html/1.html": "<p>One",
            "html/2.html": "<p>no content in its line",
            "html/4.html": b"<p>caf\xe9",
            "html/6.html.gz": "<p>no line",
            "html/1.html.gz": "<p>One again",
            "html/readme.txt": "stray",
        },
    )
    (tmp_path / "set" / "html" / "5.html.gz").write_bytes(b"not compressed")
    found = open_data_set(f"wcxb:{found.path}")
    assert found.ids == ("1",)
    assert (found.documents[0].gold, found.documents[0].page_type, found.documents[0].metadata) == ("", None, {})
    assert problems(found) == {
        ("bad id", "gold.jsonl, line 2"),
        ("unreadable gold", "gold.jsonl, line 3"),
        ("no gold", "2"),
        ("no page", "3"),
        ("duplicate", "gold.jsonl, line 6"),
        ("undecodable page", "4"),
        ("unreadable page", "5"),
        ("unreadable gold", "gold.jsonl, line 9"),
        ("unreadable gold", "gold.jsonl, line 10"),
        ("no gold", "6"),
        ("duplicate", "html/1.html.gz"),
        ("stray file", "html/readme.txt"),
    }


def test_wcxb_of_bad_files(tmp_path: Path) -> None:
    found = open_files(
        "wcxb",
        tmp_path,
        {
            "ground-truth/1.json": json.dumps(RECORD),
            "ground-truth/2.json": "[]",
            "ground-truth/3.json": b'{"main_content": "\xe9"}',
            "ground-truth/4.json": '{"main_content": null}',
            "ground-truth/notes.txt": "stray",
            **{f"html/{name}.html.gz": "<p>Grüße" for name in "1234"},
        },
    )
    assert found.ids == ("1",)
    assert problems(found) == {
        ("unreadable gold", "2"),
        ("unreadable gold", "3"),
        ("no gold", "4"),
        ("stray file", "ground-truth/notes.txt"),
    }


# The article extraction benchmark


def test_article_benchmark(tmp_path: Path) -> None:
    golds = {
        "b": {"articleBody": "Body", "url": "http://a.b/"},
        "a": {"articleBody": ""},
        "no-page": {"articleBody": "x"},
        "no-body": {"url": "http://a.b/"},
        "../x": {"articleBody": "x"},
    }
    found = open_files(
        "article-benchmark",
        tmp_path,
        {
            "ground-truth.json": json.dumps(golds),
            "html/a.html.gz": "<meta charset=utf-8><p>é",
            "html/b.html.gz": "<p>Body",
            "html/no-body.html.gz": "<p>x",
            "html/c.html": "<p>x",
            "html/d.txt": "stray",
        },
    )
    first, second = found.documents
    assert (first.id, first.gold, first.url, first.encoding_origin) == ("a", "", None, "declared")
    assert (second.id, second.gold, second.url, second.html) == ("b", "Body", "http://a.b/", b"<p>Body")
    assert problems(found) == {
        ("no page", "no-page"),
        ("no gold", "no-body"),
        ("no gold", "c"),
        ("bad id", "../x"),
        ("stray file", "html/d.txt"),
    }


# Two folders


@pytest.mark.parametrize("folder", ["input", "html"])
def test_pairs(tmp_path: Path, folder: str) -> None:
    found = open_files(
        "pairs",
        tmp_path,
        {
            f"{folder}/page.2.html": "<p>Two",
            f"{folder}/page.10.htm": "<p>Ten",
            f"{folder}/z.html.gz": "<p>Last",
            f"{folder}/bad.html": "<p>bad",
            "gold/page.2.txt": b"\xef\xbb\xbfTwo",
            "gold/page.10.txt": "Ten é",
            "gold/z.txt": "Last",
            "gold/bad.txt": b"caf\xe9",
        },
    )
    assert found.ids == ("page.2", "page.10", "z")
    assert [document.gold for document in found.documents] == ["Two", "Ten é", "Last"]
    assert found.documents[2].html == b"<p>Last"
    assert problems(found) == {("undecodable gold", "bad")}


# All kinds

ONE_PAIR: dict[str, bytes | str] = {"input/1.html": "<p>One", "gold/1.txt": "One"}


def test_digest_is_that_of_ids_pages_and_gold(tmp_path: Path) -> None:
    def digest(name: str, files: dict[str, bytes | str]) -> str:
        return open_files("pairs", tmp_path / name, files).digest

    same = digest("a", ONE_PAIR)
    assert len(same) == 64
    assert digest("b", {**ONE_PAIR, "gold/stray.doc": ""}) == same
    assert digest("c", {**ONE_PAIR, "gold/1.txt": "one"}) != same
    assert digest("d", {**ONE_PAIR, "input/1.html": "<p>one"}) != same
    assert digest("e", {"input/2.html": "<p>One", "gold/2.txt": "One"}) != same


def test_documents_are_read_when_asked_for(tmp_path: Path) -> None:
    pages: dict[str, bytes | str] = {f"input/{place}.html": f"<p>{place}" for place in range(5)}
    found = open_files("pairs", tmp_path, {**pages, **{f"gold/{place}.txt": str(place) for place in range(5)}})
    assert len(found.documents) == 5
    assert [one.gold for one in found.documents[1:3]] == ["1", "2"]
    assert found.documents[-1].id == "4"
    (found.path / "input" / "0.html").unlink()
    assert found.documents[1].gold == "1"
    with pytest.raises(DataSetError, match="0 has changed since it was opened: unreadable page"):
        found.load("0")


def test_data_sets_can_be_pickled(tmp_path: Path) -> None:
    found = open_files("pairs", tmp_path, ONE_PAIR)
    copy = pickle.loads(pickle.dumps(found))
    assert copy == found
    assert list(copy.documents) == list(found.documents)


def test_a_detection_is_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = open_files("pairs", tmp_path, ONE_PAIR)
    monkeypatch.setattr("scrapy_justext.evaluation.datasets.encodings.detect", None)
    assert found.documents[0].encoding_origin == "detected"


BAD_SPECS = {
    "no kind": ("pairs", "must be KIND:PATH"),
    "no path": ("pairs:", "must be KIND:PATH"),
    "no folder": ("pairs:{0}/none", "no such folder"),
    "a file": ("pairs:{0}/file", "no such folder"),
    "cleaneval without input": ("cleaneval:{0}/empty", "has no folder input"),
    "l3s-gn1 without gold": ("l3s-gn1:{0}/input-only", "has no folder gold"),
    "pairs without either": ("pairs:{0}/empty", "has no folder input or html"),
    "wcxb without html": ("wcxb:{0}/empty", "has no folder html"),
    "wcxb without gold": ("wcxb:{0}/html-only", "has neither gold.jsonl.gz nor a folder ground-truth"),
    "the benchmark without gold": ("article-benchmark:{0}/html-only", "has no ground-truth.json"),
    "the benchmark of bad gold": ("article-benchmark:{0}/bad", "is not a JSON object"),
    "no pair left": ("pairs:{0}/unpaired", "holds no page with its gold standard, 1 no gold, 1 no page, 1 stray file"),
}


@pytest.mark.parametrize(("spec", "message"), BAD_SPECS.values(), ids=BAD_SPECS)
def test_bad_data_sets(tmp_path: Path, spec: str, message: str) -> None:
    write(
        tmp_path,
        {
            "file": "",
            "empty/readme": "",
            "input-only/input/1.html": "",
            "html-only/html/1.html": "",
            "bad/ground-truth.json": "[]",
            "bad/html/1.html": "",
            "unpaired/input/1.html": "",
            "unpaired/gold/2.txt": "",
            "unpaired/gold/stray": "",
        },
    )
    with pytest.raises(DataSetError, match=message) as caught:
        open_data_set(spec.format(tmp_path))
    assert isinstance(caught.value, JustextError)
    assert "\n" not in str(caught.value)


def test_unknown_kinds_get_the_closest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean cleaneval") as caught:
        open_data_set("clean-eval:/tmp")
    assert caught.value.suggestions == ("cleaneval",)


def test_kinds_of_the_command_line() -> None:
    assert set(KINDS) == {
        "cleaneval",
        "l3s-gn1",
        "wcxb",
        "article-benchmark",
        "kinds",
        "marks",
        "pairs",
        "webmainbench",
    }
    assert set(KINDS) <= set(kinds())


def load_nothing(document_id: str) -> Document:
    raise KeyError(document_id)


def open_other(path: Path) -> DataSet:
    return DataSet("other", path, path.name, (), load_nothing, (), "0")


def test_readers_of_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def installed(**wanted: Any) -> EntryPoints:
        rows = [
            EntryPoint("other", f"{__name__}:open_other", "scrapy_justext.datasets"),
            EntryPoint("broken", "no_such_module:open", "scrapy_justext.datasets"),
        ]
        return EntryPoints(rows).select(**wanted)

    monkeypatch.setattr(names, "entry_points", installed)
    assert {"other", "broken", "pairs"} <= set(kinds())
    assert open_data_set(f"other:{tmp_path}").path == tmp_path
    with pytest.raises(DataSetError, match="no_such_module:open cannot be loaded"):
        open_data_set(f"broken:{tmp_path}")


# The labelled pages at hand


def corpus(name: str) -> str:
    if not (CORPORA / name).is_dir():
        pytest.skip("the labelled pages are not at hand")
    return str(CORPORA / name)


def test_cleaneval_dev() -> None:
    found = open_data_set(f"cleaneval:{corpus('cleaneval-dev')}")
    assert (len(found.ids), found.problems) == (58, ())
    for document in found.documents:
        assert "<text id=" not in document.text
        assert "</text>" not in document.text
        assert "\ufffd" not in document.text
        assert document.url is not None
        assert document.url.startswith("http")
        assert "URL:" not in document.gold[:10]
    assert sum(not document.gold for document in found.documents) == 1


def test_a_part_of_wcxb_dev(tmp_path: Path) -> None:
    folder = Path(corpus("wcxb-dev"))
    pages = sorted((folder / "html").iterdir())[::100]
    write(tmp_path, {f"html/{page.name}": gzip.decompress(page.read_bytes()) for page in pages})
    shutil.copy(folder / "gold.jsonl.gz", tmp_path)
    found = open_data_set(f"wcxb:{tmp_path}")
    assert len(found.ids) == len(pages) == 15
    assert {problem.kind for problem in found.problems} == {"no page"}
    assert all(document.gold and document.page_type and document.url for document in found.documents)


@pytest.mark.full
def test_wcxb_dev() -> None:
    found = open_data_set(f"wcxb:{corpus('wcxb-dev')}")
    assert (len(found.ids), found.problems) == (1497, ())
    assert {document.page_type for document in found.documents[:200]} >= {"article", "forum", "product"}
