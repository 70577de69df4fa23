"""Pages that all frameworks are given."""

from tests.archives.making import SENTENCE

MENU = '<ul><li><a href="/">Home</a><li><a href="/about">About us</a></ul>'
TEXT = SENTENCE.format(1) * 6
PAGE = f"<title>Cities</title>{MENU}<h1>Two cities</h1><p>{TEXT}<h2>Paris</h2><p>{TEXT}"
#: An element with more attributes than the parser can read in time.
HOSTILE = f"<p {' '.join(f'a{n}=1' for n in range(200_000))}>{TEXT}"
