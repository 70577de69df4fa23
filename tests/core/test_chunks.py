"""The text in pieces for retrieval: where they are cut, and that nothing is lost."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_justext import extract
from scrapy_justext.core.chunks import Paragraph, TextChunk, cut_into_chunks
from scrapy_justext.exceptions import ParameterError
from tests.property.strategies import pages


def paragraph(text: str, index: int = 0, *, is_heading: bool = False, is_lines: bool = False) -> Paragraph:
    return Paragraph(text, index, is_heading, is_lines, ())


def pieces(text: str, characters: int, *, is_lines: bool = False) -> list[str]:
    return [chunk.text for chunk in cut_into_chunks([paragraph(text, is_lines=is_lines)], characters)]


def check(chunks: list[TextChunk], text: str, characters: int) -> None:
    """Chunks cover the text in order, none is longer than asked, offsets are right."""
    assert [chunk.text for chunk in chunks] == [text[chunk.start : chunk.end] for chunk in chunks]
    assert all(0 < chunk.end - chunk.start <= characters for chunk in chunks)
    edges = [0, *(edge for chunk in chunks for edge in (chunk.start, chunk.end)), len(text)]
    assert edges == sorted(edges)
    assert all(not text[end:start].strip() for end, start in zip(edges[::2], edges[1::2], strict=True))
    assert all(chunk.text.strip() for chunk in chunks)


SENTENCES = [
    ("One two. Three four.", ["One two.", "Three four."]),
    ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
    ("Is it so? Indeed! Well…  Then", ["Is it so? Indeed!", "Well…  Then"]),
    ("It was so. Then Dr. Weir", ["It was so.", "Then Dr. Weir"]),
    ("Es war so. Am 3. Mai kam er", ["Es war so.", "Am 3. Mai kam er"]),
    ("So it was. In No. 5 it is", ["So it was.", "In No. 5 it is"]),
    ("It was so. In the U.S. Army", ["It was so.", "In the U.S. Army"]),
    ("Oh yes. No! he cried. So", ["Oh yes. No! he cried.", "So"]),
    ("我们在这里。他们在那里。春天来了。", ["我们在这里。他们在那里。", "春天来了。"]),
    ("彼は「はい。」と言った。春が来た。夏も", ["彼は「はい。」と言った。春が来た。", "夏も"]),
    ("यह सच है। वह आया। फिर गया", ["यह सच है। वह आया।", "फिर गया"]),
    ("هل جاء؟ نعم جاء. ثم ذهب", ["هل جاء؟ نعم جاء.", "ثم ذهب"]),
    ("یہ سچ ہے۔ وہ آیا۔ پھر گیا", ["یہ سچ ہے۔ وہ آیا۔", "پھر گیا"]),
    ("Սա ճիշտ է։ Նա եկավ։ Հետո", ["Սա ճիշտ է։ Նա եկավ։", "Հետո"]),
    ("ይህ እውነት ነው። መጣ። ከዚያ ሄደ ወዲያ", ["ይህ እውነት ነው። መጣ።", "ከዚያ ሄደ ወዲያ"]),
    ("នេះជាការពិត។ គាត់មក។ ទៅ", ["នេះជាការពិត។", "គាត់មក។ ទៅ"]),
    ("ဒါမှန်တယ်။ သူလာတယ်။ သွား", ["ဒါမှန်တယ်။", "သူလာတယ်။ သွား"]),
    ("བོད་ཡིག། ཡི་གེ། དཔེ་ཆ།", ["བོད་ཡིག། ཡི་གེ།", "དཔེ་ཆ།"]),
    ("これは．文です．値は3．5です", ["これは．文です．", "値は3．5です"]),
]


@pytest.mark.parametrize(("text", "expected"), SENTENCES, ids=[text[:12] for text, _ in SENTENCES])
def test_a_long_paragraph_is_cut_between_sentences(text: str, expected: list[str]) -> None:
    assert pieces(text, max(map(len, expected))) == expected


WITHIN_SENTENCES = [
    ("never a full stop here", 9, ["never a", "full stop", "here"]),
    ("Mr. Weir", 7, ["Mr.", "Weir"]),
    ("ภาษาไทยเขียนติดกัน แต่มีช่องว่าง", 20, ["ภาษาไทยเขียนติดกัน", "แต่มีช่องว่าง"]),
    ("春が来て，花が咲いて，鳥が鳴く", 8, ["春が来て，", "花が咲いて，", "鳥が鳴く"]),
    ("abcdefgh", 3, ["abc", "def", "gh"]),
    ("aaae\u0301e\u0301", 4, ["aaa", "e\u0301e\u0301"]),
    ("e\u0301\u0302\u0303x", 2, ["e\u0301", "\u0302\u0303", "x"]),
    ("ab👩\u200d💻c", 4, ["ab", "👩\u200d💻c"]),
]


@pytest.mark.parametrize(("text", "characters", "expected"), WITHIN_SENTENCES)
def test_a_long_sentence_is_cut_between_words_or_else_characters(
    text: str, characters: int, expected: list[str]
) -> None:
    assert pieces(text, characters) == expected


def test_lines_are_cut_between_and_paragraphs_go_together_while_they_fit() -> None:
    code = "if a. B:\n    go()\n\n    stop()"
    assert pieces(code, 20, is_lines=True) == ["if a. B:\n    go()", "    stop()"]
    assert pieces(code, 9, is_lines=True) == ["if a. B:", "    go()", "stop()"]
    chunks = cut_into_chunks([paragraph("aaaa", 1), paragraph("bbbb", 3), paragraph("cccc", 4)], 10)
    assert [(chunk.text, chunk.blocks) for chunk in chunks] == [("aaaa\n\nbbbb", (1, 3)), ("cccc", (4,))]
    chunks = cut_into_chunks([paragraph("Aa bb. Cc.", 1), paragraph("Dd.", 2)], 8)
    assert [(chunk.text, chunk.blocks) for chunk in chunks] == [("Aa bb.", (1,)), ("Cc.\n\nDd.", (1, 2))]


def test_a_heading_begins_a_chunk_and_stays_with_its_text_where_a_sentence_fits() -> None:
    parts = [
        paragraph("H", 0, is_heading=True), paragraph("Hh", 1, is_heading=True), paragraph("Aa.", 2),
        paragraph("Next", 3, is_heading=True), paragraph("Bb bb. Cc cc. Dd.", 4),
    ]  # fmt: skip
    chunks = cut_into_chunks(parts, 20)
    assert [chunk.text for chunk in chunks] == ["H\n\nHh\n\nAa.", "Next\n\nBb bb. Cc cc.", "Dd."]
    parts = [paragraph("A heading", 0, is_heading=True), paragraph("Words and words. More.", 1)]
    assert [chunk.text for chunk in cut_into_chunks(parts, 16)] == ["A heading", "Words and words.", "More."]


LONG = "The bridge was built in the year of the flood, and nobody knows who paid for it. " * 8
PAGE = f"<h1>Bridges</h1><p>{LONG}</p><h2>Stone</h2><p>{LONG}</p><p><a href=/>Home</a></p><h2>Iron</h2><p>{LONG}</p>"


def test_chunks_of_a_page_know_headings_and_blocks() -> None:
    extraction = extract(PAGE, language="English")
    chunks = extraction.chunks(400)
    check(chunks, extraction.text, 400)
    assert [chunk.heading_path[-1] for chunk in chunks] == ["Bridges"] * 2 + ["Stone"] * 2 + ["Iron"] * 2
    assert {chunk.heading_path[0] for chunk in chunks} == {"Bridges"}
    texts = {block.index: block.text for block in extraction.blocks}
    for chunk in chunks:
        assert all(part in texts[i] for i, part in zip(chunk.blocks, chunk.text.split("\n\n"), strict=True))
    assert chunks[0].to_dict() == {
        "text": chunks[0].text, "start": 0, "end": len(chunks[0].text), "heading_path": ["Bridges"], "blocks": [0, 1],
    }  # fmt: skip
    assert extract("<p>Home", language="English").chunks() == []


@pytest.mark.parametrize("characters", [0, -1, 1.5, "9", True, None])
def test_a_chunk_has_at_least_one_character(characters: object) -> None:
    with pytest.raises(ParameterError, match=r"characters = .*must be a whole number, 1 or more"):
        extract(PAGE, language="English").chunks(characters)  # type: ignore[arg-type]


@given(page=pages, characters=st.integers(1, 200))
def test_chunks_of_any_page_cover_its_text(page: str, characters: int) -> None:
    extraction = extract(page, language="none", profile="justext", length_low=0, length_high=5)
    check(extraction.chunks(characters), extraction.text, characters)


texts = st.text(st.sampled_from("aB .!。、\n\t\"'」\u0301\u200d3ก"), min_size=1, max_size=60).filter(str.strip)
paragraphs = st.lists(
    st.builds(Paragraph, texts, st.just(0), st.booleans(), st.booleans(), st.just(())), max_size=6
)  # fmt: skip


@given(paragraphs=paragraphs, characters=st.integers(1, 70))
@example(paragraphs=[paragraph("\n  a", is_lines=True), paragraph("b\n ", is_lines=True)], characters=1)
def test_chunks_of_any_paragraphs_cover_their_text(paragraphs: list[Paragraph], characters: int) -> None:
    numbered = [paragraph._replace(block=i) for i, paragraph in enumerate(paragraphs)]
    chunks = cut_into_chunks(numbered, characters)
    check(chunks, "\n\n".join(paragraph.text for paragraph in numbered), characters)
    assert sorted({i for chunk in chunks for i in chunk.blocks}) == [paragraph.block for paragraph in numbered]
    assert all(first.blocks[-1] <= second.blocks[0] for first, second in pairwise(chunks))
