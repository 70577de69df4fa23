"""The huge page: a town chronicle of eight centuries, about 2.5 MB, put together from sentences.

The numbers of sentences in the four lists have no common factor, so stepping through all of them at once
repeats no paragraph within the page, and gives the same page each time.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

YEARS = range(1200, 2000)
ENTRIES_PER_YEAR = 7

OPENINGS = (
    "In the first days of {year} there was so much ice on the river that the mills had to stand still.",
    "It was written down by the clerk in the spring of {year} that the gate had been left open for a whole night.",
    "At about the time when the first boats went out in {year}, a stranger came to the town and asked for a room.",
    "In the summer of {year} it did not rain for as long as anybody could remember, and the wells were nearly dry.",
    "When the harvest of {year} had been brought in, it was found that there was more of it than in any year before.",
    "On the day of the autumn market in {year}, there was an argument about the price of salt that lasted until dark.",
    "Towards the end of {year} the nights were so clear that the watchmen could see the fires on the other shore.",
)
DEEDS = (
    "The council met to talk about it, but it could not agree on what was to be done and went home again.",
    "Those who lived on the hill said that it was no concern of theirs, and those who lived below it were angry.",
    "A letter was sent to the king, and it is not known whether he ever read it, for no answer has been found.",
    "The miller's widow was the only one who knew what to do, and for once she was asked before it was too late.",
    "It was agreed that everyone who had a horse should lend it for a day, and that those who had none should walk.",
    "Some of the people wanted to pray and some wanted to dig, and in the end they did the one after the other.",
    "The bell was rung for three days, and on the fourth it was found that there was nobody left to ring it for.",
    "Then it was remembered that something like it had happened before, in the time of their fathers, and had passed.",
    "The bishop's man came to see it for himself, and he stayed for longer than he had been asked to.",
)
SEQUELS = (
    "Of all the ships that were in the harbour on that day, there was only one that had not been made fast.",
    "What it cost can be seen in the town book, where the page for this month has been cut out with a knife.",
    "An old man who had been at sea for most of his life said that he had seen worse, but he would not say where.",
    "For a time there was no bread to be had, and so the bakers, who had nothing to do, began to build a wall.",
    "The children, who had been told to stay at home, were of course the first to be there and the last to leave.",
    "It is said that in the same week a calf with two heads was born at the ferry, and that both of them were hungry.",
    "The smith said that he would have it mended by the next morning, and it must be said that he nearly did.",
    "Two of the brothers never spoke to each other again, and the third had to carry their messages for them.",
    "From this time on there was a lamp at the corner of the quay, and the youngest clerk had to light it.",
    "There were many who thought that it had been a sign, but they could not say of what, and so it was forgotten.",
    "The names of those who had helped were cut into a stone, which was later used as a step in the mill.",
)
CLOSINGS = (
    "After that it was quiet for a while, and the writer of these lines was able to go back to his garden.",
    "Nobody was hurt, and the only thing that was lost was a cart, which came home by itself in the end.",
    "It was the last time that such a thing was seen in the town, if we do not count the one that follows.",
    "The people gave thanks for it, and then they did what they had always done and went down to look at the sea.",
    "All of this has been told to me by a man who was there, and I have only made it a little shorter than he did.",
    "When it was over, there was a feast, and it was paid for by those who had been against it from the beginning.",
    "So it was that the bridge came to be built where it is, and not where it would have been of more use.",
    "The debt was paid back in full, but as it was paid in herring there was no great joy about it at the town hall.",
    "We have this from two books that do not agree with each other, and we have taken from each what was most likely.",
    "In the following winter it was already a story, and by the next it was one that the old told to the young.",
    "The clerk adds that he himself was in bed with a fever, and that he is sorry not to have seen any of it.",
    "A song was made about it, of which only the last four lines are known, and they are about something else.",
    "And with this, since there was no more room on the page and no more ink in the house, the year comes to its end.",
)

HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>The Averley chronicle, complete</title>
<link rel="stylesheet" href="/static/style.css">
</head>
<body>
<header><p class="brand"><a href="/">The Averley Courier</a></p>
<nav><ul>
<li><a href="/">Home</a></li>
<li><a href="/news/">News</a></li>
<li><a href="/history/salt-road.html">History</a></li>
</ul></nav></header>
<main>
<h1>The Averley chronicle, complete</h1>
"""
TAIL = """</main>
<footer><nav><a href="/sitemap.html">Site map</a> <a href="mailto:desk@example.org">Contact</a></nav>
<p>© 2024 The Averley Courier. All rights reserved.</p></footer>
</body>
</html>
"""


def _entry(number: int, year: int) -> str:
    """Return the chronicle's entry of that running number."""
    sentences = (lines[number % len(lines)] for lines in (OPENINGS, DEEDS, SEQUELS, CLOSINGS))
    return " ".join(sentences).format(year=year)


def _body() -> Iterator[str]:
    number = 0
    for year in YEARS:
        yield f"<h2>{year}</h2>\n"
        for _ in range(ENTRIES_PER_YEAR):
            yield f"<p>{_entry(number, year)}</p>\n"
            number += 1


@cache
def chronicle() -> bytes:
    """Return the page, the same bytes each time."""
    return "".join((HEAD, *_body(), TAIL)).encode()
