"""What the crawled pages are made of."""

ENGLISH = (
    "It was said in the town that the old bridge had been there before any of the houses, and that it would be "
    "there when all of them were gone. Nobody knew who had built it, but there was not a child who could not "
    "tell you what had been seen under it."
)
MORE_ENGLISH = (
    "In the summer the water was so low that you could walk from one side to the other without getting your "
    "feet wet, and in the winter it was so high that the people who lived by it had to carry what they had up to "
    "the first floor."
)
GERMAN = (
    "Es war in der Stadt immer so gewesen, dass die alte Brücke schon da war, bevor es die Häuser gab, und dass "
    "sie auch noch da sein würde, wenn von ihnen nichts mehr zu sehen ist. Wer sie gebaut hat, das wusste man "
    "nicht, aber es gab kein Kind, das nicht davon gehört hätte."
)
RUSSIAN = (
    "В городе говорили, что старый мост стоял здесь ещё до того, как были построены дома, и что он будет стоять "
    "и тогда, когда от них ничего не останется. Никто не знал, кто его построил, но не было такого человека, "
    "который не слышал бы о том, что под ним видели."
)
#: Long, without a single stop word.
KEYWORDS = " ".join(f"keyword{number}" for number in range(40))

FOOTER = '<p><a href="/legal">Legal notice</a></p>'
MENU = '<ul><li><a href="/home">Home</a></li><li><a href="/about">About us</a></li></ul>'


def page(*paragraphs: str, title: str = "The bridge", lang: str | None = None, head: str = "") -> str:
    """An HTML page with a menu and a paragraph for each of ``paragraphs``."""
    attribute = f' lang="{lang}"' if lang else ""
    body = "".join(f"<p>{paragraph}</p>\n" for paragraph in paragraphs)
    return (
        f"<!DOCTYPE html>\n<html{attribute}><head><title>{title}</title>{head}</head>\n"
        f"<body>{MENU}\n{body}{FOOTER}\n</body></html>\n"
    )


GOOD_PAGE = page(ENGLISH, MORE_ENGLISH)
GOOD_TEXT = f"{ENGLISH}\n\n{MORE_ENGLISH}"
POOR_PAGE = page(KEYWORDS)
