"""Data sets of every kind, as they should be and as they are met; encodings."""

import json
import pickle
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from scrapy_justext.evaluation import registry
from scrapy_justext.evaluation.datasets.corpora import gold_text, labelled_text, unwrap
from scrapy_justext.evaluation.datasets.documents import (
    DataSet,
    Document,
    Snippets,
    decode_strictly,
    detect,
    find_encoding,
)
from scrapy_justext.evaluation.datasets.names import KINDS, open_data_set
from scrapy_justext.exceptions import DataSetError, JustextError, UnknownNameError
from tests.builders import CORPORA
from tests.evaluation.builders import Files, write

BINARY = bytes(range(256)) * 3


def open_files(kind: str, folder: Path, files: Files) -> DataSet:
    return open_data_set(f"{kind}:{write(folder / 'set', files)}")


def problems(data_set: DataSet) -> set[str]:
    return {f"{kind}: {name}" for kind, name in data_set.problems}


def wrapped(html: str, attributes: str = 'id="http://a.b/" title="A title" encoding="iso-8859-1"') -> str:
    """A page as CleanEval has it."""
    return f"<text {attributes}>\n{html}\n</text>\n"


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


# Sets with files that are left out, by kind: the files, the ids that are left, and what is wrong with the others.

BAD_FILES: dict[str, tuple[Files, tuple[str, ...], set[str]]] = {
    "cleaneval": (
        {
            "input/2.html": wrapped("<p>Two"), "gold/2.txt": "<p>Two",
            "input/10.html": wrapped("<p>Ten"), "gold/10.txt": "",
            "input/3.html": wrapped("no gold"), "gold/4.txt": "no page",
            "input/5.html": BINARY, "gold/5.txt": "<p>Five",
            "input/6.html": wrapped("<p>Six"), "gold/6.txt": b"\xff\xfe\x00",
            "input/notes.doc": "stray", "gold/folder/7.txt": "stray", "gold/.hidden": "stray",
        },
        ("2", "10"),
        {
            "no gold: 3", "no page: 4", "undecodable page: 5", "undecodable gold: 6",
            "stray file: input/notes.doc", "stray file: gold/folder", "stray file: gold/.hidden",
        },
    ),
    "l3s-gn1": (
        {
            "input/a.html": "<p>A", "gold/a.html": "<p>A", "input/b.html": "no gold", "gold/c.html": "no page",
            "gold/readme.txt": "stray",
        },
        ("a",),
        {"no gold: b", "no page: c", "stray file: gold/readme.txt"},
    ),
    "wcxb": (
        {
            "ground-truth/1.json": '{"main_content": "One"}', "ground-truth/2.json": "[]",
            "ground-truth/3.json": b'{"main_content": "\xe9"}', "ground-truth/4.json": '{"main_content": null}',
            "ground-truth/notes.txt": "stray", **{f"html/{name}.html.gz": "<p>One" for name in "1234"},
        },
        ("1",),
        {"unreadable gold: 2", "unreadable gold: 3", "no gold: 4", "stray file: ground-truth/notes.txt"},
    ),
    "magic-html": (
        {
            "base.json": json.dumps(
                {"1": {"content": "One"}, "2": {"content": None}, "3": {"content": "No page"}, "4": [],
                 "../5": {"content": "x"}, "6": {"content": "Latin-1"}}
            ),
            "htmls/1.html": "<p>One", "htmls/2.html": "<p>2", "htmls/4.html": "<p>4", "htmls/6.html": b"caf\xe9",
            "htmls/7.pdf": "stray",
        },
        ("1",),
        {
            "no gold: 2", "no page: 3", "no gold: 4", "bad id: ../5", "undecodable page: 6",
            "stray file: htmls/7.pdf",
        },
    ),
    "article-benchmark": (
        {
            "ground-truth.json": json.dumps(
                {"a": {"articleBody": ""}, "no-page": {"articleBody": "x"}, "no-body": {"url": "http://a.b/"},
                 "../x": {"articleBody": "x"}}
            ),
            "html/a.html": "<p>x", "html/no-body.html.gz": "<p>x", "html/c.html": "<p>x", "html/d.txt": "stray",
        },
        ("a",),
        {"no page: no-page", "no gold: no-body", "no gold: c", "bad id: ../x", "stray file: html/d.txt"},
    ),
    "daniel": (
        {"html/b": "<p>One", "reference/b": "", "html/c": "<p>no gold", "reference/d": "<p>no page"},
        ("b",),
        {"no gold: c", "no page: d"},
    ),
    "pairs": (
        {
            "input/page.2.html": "<p>Two", "gold/page.2.txt": b"\xef\xbb\xbfTwo",
            "input/page.10.htm": "<p>Ten", "gold/page.10.txt": "Ten", "input/z.html.gz": "<p>Last", "gold/z.txt": "",
            "input/bad.html": "<p>bad", "gold/bad.txt": b"caf\xe9",
        },
        ("page.2", "page.10", "z"),
        {"undecodable gold: bad"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "files", "ids", "left_out"), [(kind, *case) for kind, case in BAD_FILES.items()])
def test_what_cannot_be_used_is_left_out(
    tmp_path: Path, kind: str, files: Files, ids: tuple[str, ...], left_out: set[str]
) -> None:
    data_set = open_files(kind, tmp_path, files)
    assert (data_set.kind, data_set.name, data_set.ids) == (kind, "set", ids)
    assert problems(data_set) == left_out
    assert [document.id for document in data_set.documents] == list(ids)


# Sets as they should be, by kind: the files, and fields of the documents.

CYRILLIC = "20111128_www.example.org_5373"
UNSET = 'id="u" title="t" encoding="unset"'
READ: dict[str, tuple[str, Files, list[dict[str, object]]]] = {
    "cleaneval": (
        "cleaneval",
        {"input/1.html": wrapped("<p>Café</p>").encode("latin-1"), "gold/1.txt": "URL: http://a.b/\n\n<p>Café"},
        [
            {
                "id": "1", "html": b"\n<p>Caf\xe9</p>\n", "text": "\n<p>Café</p>\n", "encoding": "cp1252",
                "encoding_origin": "declared", "gold": "Café", "url": "http://a.b/", "metadata": {"title": "A title"},
            }
        ],
    ),
    "cleaneval without encodings": (
        "cleaneval",
        {
            "input/1.html": wrapped('<meta charset="utf-8"><p>café', UNSET),
            "gold/1.txt": b"\xef\xbb\xbfURL: u\n<p>caf\xc3\xa9",
            "input/2.html": wrapped("<p>Die Bürger wohnen schön in der Straße.", UNSET).encode("cp1252"),
            "gold/2.txt": "URL: u\n<p>Die Bürger".encode("cp1252"),
        },
        [
            {"encoding": "utf-8", "encoding_origin": "declared", "gold": "café"},
            {"encoding": "cp1252", "encoding_origin": "detected", "gold": "Die Bürger"},
        ],
    ),
    "l3s-gn1": (
        "l3s-gn1",
        {
            "input/a.html": "<meta charset=utf-8><p>Zürich</p>",
            "gold/a.html": '<meta charset=utf-8><p><span class="x-nc-sel2">Zürich</span></p>',
        },
        [{"gold": "Zürich", "encoding_origin": "declared", "html": "<meta charset=utf-8><p>Zürich</p>".encode()}],
    ),
    "labelled, in an encoding of its own": (
        "labelled",
        {
            "html/1.html": '<meta charset="gbk"><p>早晨的港口'.encode("gbk"),
            "gold.jsonl": json.dumps({"id": "1", "main_content": "早晨的港口", "page_type": "article"}),
        },
        [{"text": '<meta charset="gbk"><p>早晨的港口', "encoding_origin": "declared", "page_type": "article"}],
    ),
    "daniel": (
        "daniel",
        {
            f"html/{CYRILLIC}": '<meta charset="windows-1251"><p>Привет'.encode("cp1251"),
            f"reference/{CYRILLIC}": "<h>Привет</h>\n<p>мир</p>", "html/b": "<p>No language", "reference/b": "",
            "doc_lg.json": json.dumps({CYRILLIC: "Russian", "d": "Greek"}),
        },
        [
            {"encoding": "cp1251", "gold": "Привет\n\n\nмир", "metadata": {"language": "Russian"}},
            {"gold": "", "metadata": {}},
        ],
    ),
    "daniel without languages": ("daniel", {"html/a": "<p>One", "reference/a": "<p>One</p>"}, [{"gold": "One"}]),
    "article-benchmark": (
        "article-benchmark",
        {
            "html/a.html.gz": "<meta charset=utf-8><p>é", "html/b.html.gz": "<p>Body",
            "ground-truth.json": json.dumps(
                {"b": {"articleBody": "Body", "url": "http://a.b/"}, "a": {"articleBody": ""}}
            ),
        },
        [
            {"id": "a", "gold": "", "url": None, "encoding_origin": "declared"},
            {"id": "b", "gold": "Body", "url": "http://a.b/", "html": b"<p>Body"},
        ],
    ),
    **{
        f"pairs in {folder}": (
            "pairs",
            {f"{folder}/a.html.gz": "<p>One", "gold/a.txt": b"\xef\xbb\xbfOne \xc3\xa9"},
            [{"gold": "One é", "html": b"<p>One"}],
        )
        for folder in ("input", "html")
    },
}  # fmt: skip


@pytest.mark.parametrize(("kind", "files", "expected"), READ.values(), ids=READ)
def test_documents(tmp_path: Path, kind: str, files: Files, expected: list[dict[str, object]]) -> None:
    data_set = open_files(kind, tmp_path, files)
    assert data_set.problems == ()
    pairs = zip(data_set.documents, expected, strict=True)
    assert [{name: getattr(document, name) for name in fields} for document, fields in pairs] == expected


# CleanEval


WRAPPINGS: dict[str, dict[str, bytes]] = {
    'id="u" encoding="utf8"': {"id": b"u", "encoding": b"utf8"},
    'id="u?a=1&b=2" title="x > y" encoding="unset"': {"id": b"u?a=1&b=2", "title": b"x > y", "encoding": b"unset"},
    'id="u" title="the "best" <b>" encoding="x"': {"id": b"u", "title": b'the "best" <b>', "encoding": b"x"},
    'id="u" title="" encoding="unknown- "': {"id": b"u", "title": b"", "encoding": b"unknown- "},
    'id="u"': {"id": b"u"},
}


@pytest.mark.parametrize(("attributes", "expected"), WRAPPINGS.items())
def test_cleaneval_wrapping(attributes: str, expected: dict[str, bytes]) -> None:
    assert unwrap(wrapped("<p>a > b</p>", attributes).encode()) == (b"\n<p>a > b</p>\n", expected)


def test_cleaneval_wrapping_and_marks_are_taken_off() -> None:
    assert unwrap(b"<p>One</p>") == (b"<p>One</p>", {})
    assert unwrap(b"<p>One <text>two</text> three</p>")[0] == b"<p>One <text>two</text> three</p>"
    assert unwrap(b'\xef\xbb\xbf<text id="u"><p>One</text>')[0] == b"\xef\xbb\xbf<p>One"
    gold = "URL: http://a.b/?x\n\n   <h>Title\n<p>One\ntwo <l>* three\n<P>1 < 2 <> <pre>"
    assert gold_text(gold).split("\n") == ["Title", "", "One", "two", "* three", "", "1 < 2 <> <pre>"]
    assert gold_text("<p>URL: not the first line") == "URL: not the first line"
    assert gold_text("URL: http://a.b/") == ""


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


# WCXB

TITLED: dict[str, Any] = {"title": "Title", "main_content": "Grüße", "with": ["Gr"], "without": []}
RECORD: dict[str, Any] = {"url": "http://a.b/", "page_type": "forum", **TITLED}
WCXB_DOCUMENT = Document(
    *("0001", "<p>Grüße".encode(), "utf-8", "data set", 1.0, "Grüße", "http://a.b/", "forum"),
    {"title": "Title", "with": ["Gr"], "without": []},
)
LAYOUTS: dict[str, Files] = {
    "lines, compressed": {"gold.jsonl.gz": lines({"id": "0001", **RECORD})},
    "lines": {"gold.jsonl": lines({"id": "0001", **RECORD})},
    "flat": {"ground-truth/0001.json": json.dumps(RECORD)},
    "nested": {
        "ground-truth/0001.json": json.dumps({"url": "http://a.b/", "page_type": "forum", "ground_truth": TITLED})
    },
    "page type as an object": {
        "ground-truth/0001.json": json.dumps(
            {
                "url": "http://a.b/",
                "_internal": {"page_type": {"primary": "forum", "tags": []}},
                "ground_truth": RECORD | {"url": None, "page_type": None},
            }
        )
    },
}


@pytest.mark.parametrize("files", LAYOUTS.values(), ids=LAYOUTS)
def test_wcxb(tmp_path: Path, files: Files) -> None:
    data_set = open_files("wcxb", tmp_path, {"html/0001.html.gz": "<p>Grüße", **files})
    assert (list(data_set.documents), data_set.problems) == ([WCXB_DOCUMENT], ())


def test_wcxb_of_bad_lines(tmp_path: Path) -> None:
    good = {"id": "1", "main_content": ""}
    bad: list[dict[str, Any]] = [
        *({"id": "../1", "main_content": "x"}, {"id": 7}, {"id": "2"}, {"id": "3", "main_content": "no page"}, good),
        *({"id": "4", "main_content": "x"}, {"id": "5", "main_content": "x"}),
    ]
    files: Files = {
        "gold.jsonl": lines(good, *bad) + "{torn\n[]\n",
        "html/1.html": "<p>One", "html/2.html": "<p>no content in its line", "html/4.html": b"<p>caf\xe9",
        "html/6.html.gz": "<p>no line", "html/1.html.gz": "<p>One again", "html/readme.txt": "stray",
    }  # fmt: skip
    folder = open_files("wcxb", tmp_path, files).path
    (folder / "html" / "5.html.gz").write_bytes(b"not compressed")
    data_set = open_data_set(f"wcxb:{folder}")
    [document] = data_set.documents
    assert (document.id, document.gold, document.page_type, document.metadata) == ("1", "", None, {})
    assert problems(data_set) == {
        "bad id: gold.jsonl, line 2", "unreadable gold: gold.jsonl, line 3", "no gold: 2", "no page: 3",
        "duplicate: gold.jsonl, line 6", "undecodable page: 4", "unreadable page: 5",
        "unreadable gold: gold.jsonl, line 9", "unreadable gold: gold.jsonl, line 10", "no gold: 6",
        "duplicate: html/1.html.gz", "stray file: html/readme.txt",
    }  # fmt: skip


# Other kinds


def magic(part: str, **golds: object) -> Files:
    """The files of a part of magic-html's benchmark: pages of some ids, and their objects."""
    pages: Files = {f"{part}htmls/{name}.html": f"<meta charset=gbk><p>页{name}" for name in golds}
    return {**pages, f"{part}base.json": json.dumps(golds)}


def test_magic_html_of_several_folders(tmp_path: Path) -> None:
    body = {"content": "页", "url": "http://a.b/"}
    articles, forums = magic("article/", a1=body, a2={"content": ""}), magic("forum/", f1=body, a1=body)
    data_set = open_files("magic-html", tmp_path, {**articles, **forums, **magic("other/", o=body)})
    types = {document.id: document.page_type for document in data_set.documents}
    assert types == {"a1": "article", "a2": "article", "f1": "forum", "o": None}
    # Pages are UTF-8 whatever they declare.
    assert next(data_set.documents) == Document(
        "a1", "<meta charset=gbk><p>页a1".encode(), "utf-8", "data set", 1.0, "页", "http://a.b/", "article"
    )
    assert problems(data_set) == {"duplicate: forum/htmls/a1.html"}
    assert open_data_set(f"magic-html:{data_set.path / 'forum'}").ids == ("a1", "f1")


#: Objects of trafilatura's benchmark by the ends of their addresses, and what is wrong with them.
GOOD = {"file": "b.html", "with": ["So it goes", "and so on"], "without": ["Menu"], "comments": ["x"]}
SNIPPETS: dict[str, tuple[object, str]] = {
    "b": (GOOD, ""), "a": ({"file": "a.html", "with": ["One"], "without": []}, ""), "again": (GOOD, ""),
    "no-page": ({"file": "c.html", "with": ["x"], "without": []}, "no page"),
    "no-file": ({"with": ["x"], "without": []}, "bad id"),
    "up": ({"file": "../a.html", "with": ["x"], "without": []}, "bad id"),
    "no-list": ({"file": "a.html.html", "with": "x", "without": []}, "unreadable gold"),
    "blank": ({"file": "d.html", "with": ["x", " "], "without": []}, "unreadable gold"),
    "nothing": ({"file": "d.html", "with": [], "without": []}, "unreadable gold"), "no-object": ([], "bad id"),
}  # fmt: skip


def test_trafilatura(tmp_path: Path) -> None:
    files: Files = {
        "evaldata.json": json.dumps({f"https://example.org/{end}": value for end, (value, _) in SNIPPETS.items()}),
        "cache/b.html": '<meta charset="iso-8859-1"><p>caf\xe9'.encode("latin-1"),
        "eval/b.html": "<p>the other", "eval/a.html": "<p>One", "eval/d.html": "<p>Four", "eval/unused.html": "<p>",
    }  # fmt: skip
    data_set = open_files("trafilatura", tmp_path, files)
    assert data_set.ids == ("a", "b")
    document = [*data_set.documents][1]
    assert (document.text, document.url) == ('<meta charset="iso-8859-1"><p>café', "https://example.org/b")
    assert document.snippets == Snippets(("So it goes", "and so on"), ("Menu",))
    assert (document.gold, document.markdown) == ("", None)
    assert problems(data_set) == {
        "duplicate: cache/b.html", *(f"{why}: https://example.org/{end}" for end, (_, why) in SNIPPETS.items() if why)
    }  # fmt: skip


def test_other_snippets_are_another_data_set(tmp_path: Path) -> None:
    def digest(**texts: list[str]) -> str:
        gold = {"http://a.b/": {"file": "a.html", "with": [], "without": [], **texts}}
        return open_files("trafilatura", tmp_path, {"eval/a.html": "<p>One", "evaldata.json": json.dumps(gold)}).digest

    given = [{"with": ["One"]}, {"with": ["One"], "without": ["Two"]}, {"without": ["One"]}, {"with": ["One"]}]
    digests = [digest(**texts) for texts in given]
    assert digests[0] == digests[3]
    assert len({*digests}) == 3


OF_OBJECTS = [("magic-html", "base.json"), ("trafilatura", "evaldata.json"), ("daniel", "doc_lg.json")]


@pytest.mark.parametrize(("kind", "file"), OF_OBJECTS)
@pytest.mark.parametrize("content", ["[]", "{torn", b"\xff"], ids=["list", "torn", "not UTF-8"])
def test_damaged_files_of_objects(tmp_path: Path, kind: str, file: str, content: bytes | str) -> None:
    page = "<p>One"
    with pytest.raises(DataSetError, match=rf"{file} is not a JSON object"):
        open_files(kind, tmp_path, {file: content, "htmls/a.html": page, "html/a": page, "reference/a": page})


# Pages of two sets


def test_pages_of_other_sets_are_left_out(tmp_path: Path) -> None:
    pages = {"a": "<p>One", "b": "<p>Two", "c": "<p>Three", "d": "<p>Two"}
    test = write(tmp_path / "test", {f"html/{name}.html": page for name, page in pages.items()})
    write(test, {"gold.jsonl": lines(*({"id": name, "main_content": "x"} for name in pages))})
    dev = write(tmp_path / "dev", {"input/x.html": "<p>Two", "gold/x.txt": "another gold", "input/y.html": "<p>two"})
    write(dev, {"gold/y.txt": "x"})
    whole = open_data_set(f"wcxb:{test}")
    part = open_data_set(f"wcxb:{test}", [f"pairs:{dev}"])
    assert part.ids == ("a", "c")
    assert [document.id for document in part.documents] == ["a", "c"]
    assert problems(part) == {"in another set: b", "in another set: d"}
    assert part.digest != whole.digest
    assert part.digest == open_data_set(f"wcxb:{test}", [f"pairs:{dev}"]).digest
    assert pickle.loads(pickle.dumps(part)) == part


def test_sets_that_share_no_page_or_all(tmp_path: Path) -> None:
    folders = [write(tmp_path / name, {"input/1.html": f"<p>{name}", "gold/1.txt": name}) for name in ("one", "two")]
    first, two = (f"pairs:{folder}" for folder in folders)
    assert open_data_set(first, [two]) == open_data_set(first)
    with pytest.raises(DataSetError, match="no page that the other sets have not"):
        open_data_set(first, [first])


# All kinds

ONE_PAIR: Files = {"input/1.html": "<p>One", "gold/1.txt": "One"}


def test_digest_is_that_of_ids_pages_and_gold(tmp_path: Path) -> None:
    def digest(name: str, files: Files) -> str:
        return open_files("pairs", tmp_path / name, files).digest

    same = digest("a", ONE_PAIR)
    assert len(same) == 64
    assert digest("b", {**ONE_PAIR, "gold/stray.doc": ""}) == same
    assert digest("c", {**ONE_PAIR, "gold/1.txt": "one"}) != same
    assert digest("d", {**ONE_PAIR, "input/1.html": "<p>one"}) != same
    assert digest("e", {"input/2.html": "<p>One", "gold/2.txt": "One"}) != same


def test_documents_are_read_when_asked_for(tmp_path: Path) -> None:
    pages: Files = {f"input/{place}.html": f"<p>{place}" for place in range(5)}
    data_set = open_files("pairs", tmp_path, {**pages, **{f"gold/{place}.txt": str(place) for place in range(5)}})
    assert [document.gold for document in data_set.documents] == [*"01234"]
    (data_set.path / "input" / "0.html").unlink()
    assert data_set.load("1").gold == "1"
    with pytest.raises(DataSetError, match="0 has changed since it was opened: unreadable page"):
        data_set.load("0")


def test_a_detection_is_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data_set = open_files("pairs", tmp_path, ONE_PAIR)
    monkeypatch.setattr("scrapy_justext.evaluation.datasets.documents.detect", None)
    assert next(data_set.documents).encoding_origin == "detected"


BAD_SPECS = {
    "no kind": ("pairs", "must be KIND:PATH"), "no path": ("pairs:", "must be KIND:PATH"),
    "no folder": ("pairs:{0}/none", "no such folder"), "a file": ("pairs:{0}/file", "no such folder"),
    "cleaneval without input": ("cleaneval:{0}/empty", "has no folder input"),
    "l3s-gn1 without gold": ("l3s-gn1:{0}/input-only", "has no folder gold"),
    "pairs without either": ("pairs:{0}/empty", "has no folder input or html"),
    "wcxb without html": ("wcxb:{0}/empty", "has no folder html"),
    "wcxb without gold": ("wcxb:{0}/html-only", "has neither gold.jsonl.gz nor a folder ground-truth"),
    "the benchmark without gold": ("article-benchmark:{0}/html-only", "has no ground-truth.json"),
    "the benchmark of bad gold": ("article-benchmark:{0}/bad", "is not a JSON object"),
    "no pair left": ("pairs:{0}/unpaired", "holds no page with its gold standard, 1 no gold, 1 no page, 1 stray file"),
    "magic-html without gold": ("magic-html:{0}/empty", "has no base.json"),
    "trafilatura without gold": ("trafilatura:{0}/empty", "has no evaldata.json"),
    "daniel without html": ("daniel:{0}/empty", "has no folder html"),
    "webmainbench without a file": ("webmainbench:{0}/none", "no such file"),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "message"), BAD_SPECS.values(), ids=BAD_SPECS)
def test_bad_data_sets(tmp_path: Path, spec: str, message: str) -> None:
    names = (
        *("file", "empty/readme", "input-only/input/1.html", "html-only/html/1.html", "bad/html/1.html"),
        *("unpaired/input/1.html", "unpaired/gold/2.txt", "unpaired/gold/stray"),
    )
    write(tmp_path, {**dict.fromkeys(names, ""), "bad/ground-truth.json": "[]"})
    with pytest.raises(DataSetError, match=message) as caught:
        open_data_set(spec.format(tmp_path))
    assert isinstance(caught.value, JustextError)
    assert "\n" not in str(caught.value)


def test_unknown_kinds_get_the_closest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean cleaneval") as caught:
        open_data_set("clean-eval:/tmp")
    assert caught.value.suggestions == ("cleaneval",)


def load_nothing(document_id: str) -> Document:
    raise KeyError(document_id)


def open_other(path: Path) -> DataSet:
    return DataSet("other", path, path.name, (), load_nothing, (), "0")


def test_readers_of_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = {"other": f"{__name__}:open_other", "broken": "no_such_module:open"}
    rows = EntryPoints(EntryPoint(name, value, "scrapy_justext.datasets") for name, value in points.items())
    monkeypatch.setattr(registry, "entry_points", rows.select)
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
    data_set = open_data_set(f"cleaneval:{corpus('cleaneval-dev')}")
    assert (len(data_set.ids), data_set.problems) == (58, ())
    for document in data_set.documents:
        assert not [text for text in ("<text id=", "</text>", "\ufffd") if text in document.text]
        assert str(document.url).startswith("http")
        assert "URL:" not in document.gold[:10]
    assert sum(not document.gold for document in data_set.documents) == 1


# Encodings

GERMAN = "Die Straße führt über den Fluß nach Köln, wo die Bürger schön wohnen. " * 3
CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy. " * 5
RUSSIAN = "Съешь же ещё этих мягких французских булок да выпей чаю. " * 4
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。" * 4

#: Pages, what the data set says of their encoding, and the encoding with its origin.
KNOWN = {
    "a byte order mark comes first": (b"\xef\xbb\xbf<meta charset=latin-1>caf\xc3\xa9", "latin-1", "utf-8", "bom"),
    "UTF-16 by its mark": (b"\xff\xfec\x00", None, "utf-16-le", "bom"),
    "the set's word before the page's": (b"<meta charset=koi8-r>caf\xe9", "windows-1252", "cp1252", "declared"),
    "the Web's latin-1 is Windows'": (b"\x93quoted\x94", "ISO-8859-1", "cp1252", "declared"),
    "the page's word": (b"<meta charset=koi8-r>\xc1\xc2", None, "koi8-r", "declared"),
    "a label that means nothing": (b"<meta charset=koi8-r>\xc1\xc2", "unset", "koi8-r", "declared"),
    "a codec that is none of text": (b"<meta charset=koi8-r>\xc1\xc2", "base64", "koi8-r", "declared"),
    "UTF-8 that is declared as utf8": ("é".encode(), "utf8", "utf-8", "declared"),
}


@pytest.mark.parametrize(("page", "declared", "name", "origin"), KNOWN.values(), ids=KNOWN)
def test_known_encodings(page: bytes, declared: str | None, name: str, origin: str) -> None:
    assert find_encoding(page, declared) == (name, origin, 1.0)


DETECTED = [
    *((GERMAN, "cp1252"), (CZECH, "cp1250"), (RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), (JAPANESE, "euc_jp")),
    *((GERMAN, "utf-8"), ("nothing else", "ascii")),
]


@pytest.mark.parametrize(("text", "encoding"), DETECTED)
def test_detected_encodings(text: str, encoding: str) -> None:
    name, origin, confidence = find_encoding(text.encode(encoding)) or pytest.fail("no encoding")
    assert (name, origin) == (encoding, "detected")
    assert 0.8 < confidence <= 1


@pytest.mark.parametrize(("stray", "origin"), [(1, "declared"), (2, "detected")])
def test_a_declaration_is_believed_up_to_one_character_in_a_hundred(stray: int, origin: str) -> None:
    _, known_by, _ = find_encoding(b"a " * (50 - stray) + b"a\xe9" * stray, "utf-8") or pytest.fail("no encoding")
    assert known_by == origin


def test_what_is_no_text_has_no_encoding_and_is_not_decoded() -> None:
    assert find_encoding(BINARY) is find_encoding(BINARY, "iso-8859-1") is find_encoding(b"\xff\xfe\x00") is None
    assert detect(b"\x00" * 9) is None
    assert decode_strictly("é".encode()) == decode_strictly("é".encode("utf-16")) == "é"
    assert decode_strictly(b"\xef\xbb\xbfa") == "a"
    assert decode_strictly(b"\xe9") is None
    assert decode_strictly(b"\xe9", "cp1252") == "é"
