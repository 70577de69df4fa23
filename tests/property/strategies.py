"""Pages as hypothesis makes them: trees written out well, markup thrown together, bytes, text."""

from hypothesis import strategies as st

BLOCK_TAGS = ["p", "div", "h1", "h2", "h6", "ul", "li", "section", "table", "tr", "td", "pre", "article", "header"]
INLINE_TAGS = ["a", "b", "span", "i", "em", "x-y", "o:p", "button", "small", "label"]
ODD_TAGS = [
    "br", "hr", "img", "input", "select", "option", "optgroup", "textarea", "form", "script", "style", "noscript",
    "svg", "math", "title", "iframe", "object", "template", "selectors", "font", "layer", "param", "link", "base",
    "summary", "details", "caption", "col", "tbody", "html", "body", "head", "frameset", "noframes", "plaintext",
]  # fmt: skip
TAGS = [*BLOCK_TAGS, *INLINE_TAGS, *ODD_TAGS]

TEXTS = [
    "one", "two three", " ", "\n", " x", "y ", "w\r\nv", "\t", "\xa0", "&nbsp;", "&copy;", "©", "&amp;", "&lt;p&gt;",
    "&bogus;", "&#xFDD0;", "\ufdd0", "\ufdd1", "\ufdd0/", "\ufdd1|", "&#0;", "\u2028", "\u3000", "\x85", "é", "文字",
    "\U0001f600", "the of and to in that it is was for on. ", "the quick and the dead of it all, " * 7,
    "$", "$x^2$", "$$", "\\(a\\)", "\\[", "?!", "。？", "`", "*", "__", "|", "# ",
    "lamp post lantern " * 14, "It was the best of times, it was the worst of times. " * 2,
]  # fmt: skip

ODD_PIECES = [
    "<!-- x -->", "<!--", "-->", "<?pi x?>", "<!DOCTYPE html>", "<![CDATA[x]]>", "<", ">", "</", "&", "<a", '<p x="',
    "</html>", "</body>", "\0", "<p hidden>", "<br><br>", "<br hidden>", "<html lang=de>", "<a href=x>", "</a>",
    '<link rel="stylesheet">', '<?xml version="1.0" encoding="utf-16"?>', '<meta charset="utf-16">',
    '<meta http-equiv="content-language" content="fr">', "\ud800", "\udc00", "\x01", "\x1f", "\ufeff",
]  # fmt: skip

ATTRIBUTES = [
    "", "", "", " hidden", " hidden id=S:0", " hidden role=tabpanel", " hidden role=menu", " id=S:1", " href='x'",
    " aria-expanded=false", " rel=stylesheet", " lang=de", " alt='an image' src=a.png",
]  # fmt: skip

texts = st.sampled_from(TEXTS)


def element(content: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """An element with some content."""
    tags = st.sampled_from(TAGS)
    attributes = st.sampled_from(ATTRIBUTES)
    return st.builds(
        lambda tag, attribute, inner: f"<{tag}{attribute}>{''.join(inner)}</{tag}>",
        tags,
        attributes,
        st.lists(content, max_size=5),
    )


#: Trees, written out with all their end tags; parsers rearrange some.
trees = st.recursive(texts, element, max_leaves=25)
bodies = st.lists(trees, max_size=6).map("".join)

#: Tags and texts in any order, end tags that end nothing, pieces of markup.
pieces = (
    texts
    | st.sampled_from(TAGS).map("<{}>".format)
    | st.sampled_from(TAGS).map("</{}>".format)
    | st.sampled_from(ODD_PIECES)
)
soups = st.lists(pieces, max_size=30).map("".join)

strings = st.text(max_size=200) | st.text(st.characters(codec=None), max_size=60)
pages = bodies | soups | strings

BOMS = [b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"]
encoded_soups = st.builds(
    lambda mark, text, encoding: mark + text.encode(encoding, "replace"),
    st.sampled_from(BOMS),
    soups,
    st.sampled_from(["utf-8", "utf-16", "cp1250", "koi8-r", "shift_jis", "ascii"]),
)
byte_strings = st.binary(max_size=300) | encoded_soups
