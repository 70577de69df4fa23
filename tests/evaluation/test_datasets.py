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

from scrapy_justext.evaluation import registry
from scrapy_justext.evaluation.datasets.corpora import gold_text, labelled_text, unwrap
from scrapy_justext.evaluation.datasets.documents import DataSet, Document, Snippets
from scrapy_justext.evaluation.datasets.names import KINDS, open_data_set
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


def test_labelled_pages_are_in_encodings_of_their_own(tmp_path: Path) -> None:
    line = json.dumps({"id": "1", "main_content": "早晨的港口", "page_type": "article"})
    page = '<meta charset="gbk"><p>早晨的港口'
    found = open_files("labelled", tmp_path, {"html/1.html": page.encode("gbk"), "gold.jsonl": line})
    (document,) = found.documents
    assert (document.text, document.encoding_origin, document.page_type) == (page, "declared", "article")


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


# DAnIEL


def test_daniel(tmp_path: Path) -> None:
    name = "20111128_www.example.org_5373"
    found = open_files(
        "daniel",
        tmp_path,
        {
            f"html/{name}": '<meta charset="windows-1251"><p>Привет'.encode("cp1251"),
            f"reference/{name}": "<h>Привет</h>\n<p>мир</p>",
            "html/b": "<p>Without a language",
            "reference/b": "",
            "html/c": "<p>no gold",
            "reference/d": "<p>no page",
            "doc_lg.json": json.dumps({name: "Russian", "d": "Greek"}),
        },
    )
    assert found.ids == (name, "b")
    first, second = found.documents
    assert (first.encoding, first.gold.split(), first.metadata) == (
        "cp1251",
        ["Привет", "мир"],
        {"language": "Russian"},
    )
    assert (second.gold, second.metadata) == ("", {})
    assert problems(found) == {("no gold", "c"), ("no page", "d")}


def test_daniel_needs_no_languages_but_those_that_are_there_can_be_read(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {"html/a": "<p>One", "reference/a": "<p>One</p>"}
    assert open_files("daniel", tmp_path, files).documents[0].gold == "One"
    with pytest.raises(DataSetError, match=r"doc_lg.json is not a JSON object"):
        open_files("daniel", tmp_path, {"doc_lg.json": "[]"})


# magic-html's benchmark


def magic(part: str, **golds: object) -> dict[str, bytes | str]:
    """The files of a part: pages of some ids, and their objects."""
    pages: dict[str, bytes | str] = {f"{part}htmls/{name}.html": f"<meta charset=gbk><p>页{name}" for name in golds}
    return {**pages, f"{part}base.json": json.dumps(golds)}


def test_magic_html_of_several_folders(tmp_path: Path) -> None:
    body = {"content": "页", "url": "http://a.b/"}
    files = {
        **magic("article/", a1=body, a2={"content": ""}),
        **magic("forum/", f1=body, a1=body),
        **magic("other/", o=body),
    }
    found = open_files("magic-html", tmp_path, files)
    assert [(document.id, document.page_type) for document in found.documents] == [
        ("a1", "article"),
        ("a2", "article"),
        ("f1", "forum"),
        ("o", None),
    ]
    # Pages are UTF-8 whatever they declare.
    assert found.documents[0] == Document(
        "a1", "<meta charset=gbk><p>页a1".encode(), "utf-8", "data set", 1.0, "页", "http://a.b/", "article"
    )
    assert problems(found) == {("duplicate", "forum/htmls/a1.html")}
    assert open_data_set(f"magic-html:{found.path / 'forum'}").ids == ("a1", "f1")


def test_magic_html_of_bad_files(tmp_path: Path) -> None:
    golds = {
        "1": {"content": "One"},
        "2": {"content": None},
        "3": {"content": "No page"},
        "4": [],
        "../5": {"content": "x"},
    }
    files = {**magic("", **golds), "htmls/6.html": b"caf\xe9", "htmls/7.pdf": "stray", "htmls/1.html": "<p>One"}
    golds["6"] = {"content": "Latin-1"}
    del files["htmls/3.html"], files["htmls/../5.html"]
    found = open_files("magic-html", tmp_path, {**files, "base.json": json.dumps(golds)})
    assert found.ids == ("1",)
    assert problems(found) == {
        ("no gold", "2"),
        ("no page", "3"),
        ("no gold", "4"),
        ("bad id", "../5"),
        ("undecodable page", "6"),
        ("stray file", "htmls/7.pdf"),
    }


# trafilatura's benchmark


def test_trafilatura(tmp_path: Path) -> None:
    good = {"file": "b.html", "with": ["So it goes", "and so on"], "without": ["Menu"], "comments": ["x"]}
    golds = {
        "https://example.org/b": good,
        "https://example.org/a": {"file": "a.html", "with": ["One"], "without": []},
        "https://example.org/again": good,
        "https://example.org/no-page": {"file": "c.html", "with": ["x"], "without": []},
        "https://example.org/no-file": {"with": ["x"], "without": []},
        "https://example.org/up": {"file": "../a.html", "with": ["x"], "without": []},
        "https://example.org/no-list": {"file": "a.html.html", "with": "x", "without": []},
        "https://example.org/blank": {"file": "d.html", "with": ["x", " "], "without": []},
        "https://example.org/nothing": {"file": "d.html", "with": [], "without": []},
        "https://example.org/no-object": [],
    }
    found = open_files(
        "trafilatura",
        tmp_path,
        {
            "evaldata.json": json.dumps(golds),
            "cache/b.html": '<meta charset="iso-8859-1"><p>caf\xe9'.encode("latin-1"),
            "eval/b.html": "<p>the other",
            "eval/a.html": "<p>One",
            "eval/d.html": "<p>Four",
            "eval/unused.html": "<p>not of the benchmark",
        },
    )
    assert found.ids == ("a", "b")
    document = found.documents[1]
    assert (document.text, document.url) == ('<meta charset="iso-8859-1"><p>café', "https://example.org/b")
    assert document.snippets == Snippets(("So it goes", "and so on"), ("Menu",))
    assert (document.gold, document.markdown) == ("", None)
    assert problems(found) == {
        ("duplicate", "https://example.org/again"),
        ("no page", "https://example.org/no-page"),
        ("bad id", "https://example.org/no-file"),
        ("bad id", "https://example.org/up"),
        ("unreadable gold", "https://example.org/no-list"),
        ("unreadable gold", "https://example.org/blank"),
        ("unreadable gold", "https://example.org/nothing"),
        ("bad id", "https://example.org/no-object"),
    }


def test_other_snippets_are_another_data_set(tmp_path: Path) -> None:
    def digest(**texts: list[str]) -> str:
        gold = {"http://a.b/": {"file": "a.html", "with": [], "without": [], **texts}}
        return open_files("trafilatura", tmp_path, {"eval/a.html": "<p>One", "evaldata.json": json.dumps(gold)}).digest

    given = [{"with": ["One"]}, {"with": ["One"], "without": ["Two"]}, {"without": ["One"]}, {"with": ["One"]}]
    digests = [digest(**texts) for texts in given]
    assert digests[0] == digests[3]
    assert len({*digests}) == 3


MISSING = {"magic-html": "has no base.json", "trafilatura": "has no evaldata.json", "daniel": "has no folder html"}


@pytest.mark.parametrize(("kind", "problem"), MISSING.items(), ids=MISSING)
def test_folders_of_another_layout(tmp_path: Path, kind: str, problem: str) -> None:
    with pytest.raises(DataSetError, match=problem):
        open_files(kind, tmp_path, {"notes.txt": "x"})


@pytest.mark.parametrize(("kind", "file"), [("magic-html", "base.json"), ("trafilatura", "evaldata.json")])
@pytest.mark.parametrize("content", ["[]", "{torn", b"\xff"], ids=["list", "torn", "not UTF-8"])
def test_damaged_files_of_objects(tmp_path: Path, kind: str, file: str, content: bytes | str) -> None:
    with pytest.raises(DataSetError, match=rf"{file} is not a JSON object in UTF-8"):
        open_files(kind, tmp_path, {file: content, "htmls/a.html": "<p>One"})


# Pages of two sets


def test_pages_of_other_sets_are_left_out(tmp_path: Path) -> None:
    pages = {"a": "<p>One", "b": "<p>Two", "c": "<p>Three", "d": "<p>Two"}
    test = write(tmp_path / "test", {f"html/{name}.html": page for name, page in pages.items()})
    write(test, {"gold.jsonl": lines(*({"id": name, "main_content": "x"} for name in pages))})
    dev = write(tmp_path / "dev", {"input/x.html": "<p>Two", "gold/x.txt": "another gold", "input/y.html": "<p>two"})
    write(dev, {"gold/y.txt": "x"})
    whole = open_data_set(f"wcxb:{test}")
    found = open_data_set(f"wcxb:{test}", [f"pairs:{dev}"])
    assert found.ids == ("a", "c")
    assert [document.id for document in found.documents] == ["a", "c"]
    assert problems(found) == {("in another set", "b"), ("in another set", "d")}
    assert found.digest != whole.digest
    assert found.digest == open_data_set(f"wcxb:{test}", [f"pairs:{dev}"]).digest
    assert pickle.loads(pickle.dumps(found)) == found


def test_sets_that_share_no_page_stay_as_they_are(tmp_path: Path) -> None:
    folders = [write(tmp_path / name, {"input/1.html": f"<p>{name}", "gold/1.txt": name}) for name in ("one", "two")]
    assert open_data_set(f"pairs:{folders[0]}", [f"pairs:{folders[1]}"]) == open_data_set(f"pairs:{folders[0]}")


def test_a_set_that_another_has_as_a_whole(tmp_path: Path) -> None:
    folder = write(tmp_path, {"input/1.html": "<p>One", "gold/1.txt": "One"})
    with pytest.raises(DataSetError, match="no page that the other sets have not"):
        open_data_set(f"pairs:{folder}", [f"pairs:{folder}"])


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
    assert set(KINDS.built_in) == {
        "cleaneval",
        "l3s-gn1",
        "wcxb",
        "article-benchmark",
        "daniel",
        "kinds",
        "labelled",
        "magic-html",
        "marks",
        "pairs",
        "trafilatura",
        "webmainbench",
    }


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

    monkeypatch.setattr(registry, "entry_points", installed)
    assert {"other", "broken", "pairs"} <= set(KINDS.names())
    assert open_data_set(f"other:{tmp_path}").path == tmp_path
    with pytest.raises(DataSetError, match="cannot be loaded: No module named 'no_such_module'"):
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
