"""What a page declares about itself: when it was published, by whom, where, its picture, its licence.

Only declarations are read: META and LINK in the vocabularies of :data:`_METAS`, JSON-LD of schema.org, and a TIME that
is marked as the date of publication.  JSON-LD comes first: META often has the site's author, or a picture that all
pages share.  htmldate can be asked for dates that nothing declares.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime
from email.utils import parsedate_to_datetime
from operator import itemgetter
from typing import TYPE_CHECKING, cast
from urllib.parse import urljoin, urlsplit

from lxml import etree

from scrapy_justext.core.parts import Metadata
from scrapy_justext.core.structured_data import VOCABULARIES, json_ld_scripts, parse_json_ld, strings_in, types_of
from scrapy_justext.core.text import collapse
from scrapy_justext.exceptions import require

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from scrapy_justext.core.reading.nodes import Nodes


#: The names of META by what they hold, the most telling first: Open Graph, Dublin Core, Highwire, Parse.ly, Sailthru,
#: and names without a vocabulary.
_METAS: Mapping[str, tuple[str, ...]] = {
    "published": (
        *("article:published_time", "og:published_time", "og:article:published_time", "datepublished"),
        *("citation_publication_date", "citation_online_date", "citation_date", "parsely-pub-date", "sailthru.date"),
        *("dcterms.issued", "dc.date.issued", "dcterms.created", "dc.date.created", "dcterms.date", "dc.date"),
        *("pubdate", "publishdate", "publish-date", "publish_date", "publication_date", "date"),
    ),
    "modified": (
        *("article:modified_time", "og:updated_time", "og:modified_time", "datemodified", "dcterms.modified"),
        *("dc.date.modified", "last-modified", "lastmod", "revised"),
    ),
    "author": (
        *("author", "article:author", "citation_author", "parsely-author", "sailthru.author", "dcterms.creator"),
        *("dc.creator", "byl"),
    ),
    "site_name": ("og:site_name", "citation_journal_title", "application-name", "dc.publisher"),
    "description": ("og:description", "description", "twitter:description", "dcterms.description", "dc.description"),
    "image": ("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"),
    "license": ("dcterms.license", "dcterms.rights", "dc.rights"),
}
_FIELD_OF = {name: (field, rank) for field, names in _METAS.items() for rank, name in enumerate(names)}
#: The properties of schema.org, and of ITEMPROP.
_PROPERTIES = {
    "published": ("datePublished", "datePosted", "dateCreated"),
    "modified": ("dateModified",),
    "author": ("author", "creator"),
    "site_name": ("publisher", "isPartOf"),
    "description": ("description",),
    "image": ("image", "thumbnailUrl"),
    "license": ("license",),
}
#: The things that a page is about; others on it, such as comments, reviews and the site, have dates of their own.
_ABOUT = re.compile(
    ".*article|.*posting|.*page|report|recipe|product|book|chapter|course|event|howto|dataset|creativework|thesis"
    "|(?:podcast|tv)?episode|(?:video|audio)object|podcast|movie|question|softwaresourcecode|softwareapplication",
    re.IGNORECASE,
)
#: Those that only hold the others, and are asked last.
_PAGES = re.compile(".*page", re.IGNORECASE)
#: The most things of JSON-LD that are looked at, values of a property, and characters of one.
_MOST_THINGS, _MOST_VALUES, _MOST_TEXT = 2_000, 100, 2_000
_OF_PUBLICATION = frozenset(["datepublished", "entry-date", "published", "dt-published"])
_DATE = re.compile(
    r"\s*([12]\d{3})[-/.]?(\d\d)[-/.]?(\d\d)(?:[T\s]\s*(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?(?!\d)"
)
_ZONE, _WITH_COLON = re.compile(r"([+-]\d\d):?(\d\d)"), r"\1:\2"


def read_metadata(page: Nodes, url: str | None, *, guess_from: etree._Element | None = None) -> Metadata:
    """Return what a page declares about itself.

    ``url``: the page's, by which addresses are made absolute.
    ``guess_from``: its tree, in which htmldate looks for the date of a page that declares none; None: it does not.
    Raises :class:`~scrapy_justext.exceptions.LibraryNotInstalledError` where that is not installed.
    """
    base, links = _addresses(page, url or "")
    said = _of_elements(page) | _of_json_ld(page)
    published, licence = _date(said.get("published")), links.get("license") or said.get("license")
    if published is None and guess_from is not None:
        published = _guessed_date(guess_from, url)
    author = said.get("author")
    if author is not None and re.match(r"https?:|www\.|@", author):
        # The address of a profile, or the handle of an account.
        author = None
    return Metadata(
        published=published,
        modified=_date(said.get("modified")),
        author=author,
        site_name=said.get("site_name"),
        description=said.get("description"),
        image=_address(said.get("image"), base),
        canonical_url=_address(links.get("canonical"), base),
        license=_address(licence, base) if licence and re.match("https?:|/", licence) else licence,
    )


def _addresses(page: Nodes, base: str) -> tuple[str, dict[str, str]]:
    """Return the base of relative addresses, and the first address for each word of REL."""
    own = next(filter(None, (page.attribute(node, "href") for node in page.named("base"))), None)
    links: dict[str, str] = {}
    for name in ("link", "a"):
        for node in page.named(name):
            for word in (page.attribute(node, "rel") or "").lower().split()[:_MOST_VALUES]:
                # Whoever comments on a page may link to what they like.
                if name == "link" or word == "license":
                    links.setdefault(word, page.attribute(node, "href") or "")
    return _address(own, base) or base, links


def _of_elements(page: Nodes) -> dict[str, str]:
    """Return what META and TIME say: for each field the most telling value, and all authors that are as telling."""
    best: dict[str, tuple[int, list[str]]] = {}
    said = [(known, page.attribute(node, "content")) for node in page.named("meta") for known in _fields_of(page, node)]
    of_time = ("published", len(_FIELD_OF))
    said += [(of_time, page.attribute(node, "datetime")) for node in page.named("time") if _is_published(page, node)]
    for (field, rank), text in said:
        least, values = best.get(field, (rank + 1, []))
        value = _clean(text)
        if value and rank < least:
            best[field] = rank, [value]
        elif value and rank == least and field == "author":
            values.append(value)
    return {field: _joined(values) for field, (_, values) in best.items()}


def _fields_of(page: Nodes, meta: int) -> Iterator[tuple[str, int]]:
    for attribute in ("property", "name", "itemprop"):
        if (name := page.attribute(meta, attribute)) and (known := _FIELD_OF.get(name.strip().lower())):
            yield known


def _is_published(page: Nodes, time: int) -> bool:
    names = f"{page.attribute(time, 'itemprop') or ''} {page.attribute(time, 'class') or ''}".lower().split()
    return page.attribute(time, "pubdate") is not None or not _OF_PUBLICATION.isdisjoint(names)


def _guessed_date(root: etree._Element, url: str | None) -> str | None:
    htmldate = require("htmldate", "metadata")
    # It takes trees of lxml.html alone.
    page = etree.tostring(root.getroottree(), encoding="unicode", method="html")
    with suppress(ValueError):
        date: str | None = htmldate.find_date(page, url=url, original_date=True, extensive_search=False)
        return date
    return None


def _of_json_ld(page: Nodes) -> dict[str, str]:
    """Return what the things in JSON-LD that the page is about say, those before pages."""
    about: list[tuple[bool, dict[str, object]]] = []
    by_id: dict[str, dict[str, object]] = {}
    texts: dict[str, str] = {}
    for thing in things_in(map(parse_json_ld, json_ld_scripts(page))):
        kinds = types_of(thing)
        if isinstance(name := thing.get("@id"), str) and len(thing) > 1:
            by_id.setdefault(name, thing)
        if any(map(_ABOUT.fullmatch, kinds)):
            about.append((any(map(_PAGES.fullmatch, kinds)), thing))
        elif "WebSite" in kinds:
            texts.setdefault("site_name", next(iter(strings_in(thing.get("name"))), ""))
    for _, thing in sorted(about, key=itemgetter(0)):
        texts |= {field: text for field in _PROPERTIES if not texts.get(field) and (text := _said(thing, field, by_id))}
    return {field: text for field, text in texts.items() if text}


def _said(thing: Mapping[str, object], field: str, by_id: Mapping[str, dict[str, object]]) -> str:
    values = (thing.get(vocabulary + name) for name in _PROPERTIES[field] for vocabulary in VOCABULARIES)
    texts = (_joined(_names(value, field, by_id)) for value in values if value is not None)
    return next(filter(None, texts), "")


def things_in(values: Iterable[object]) -> Iterator[dict[str, object]]:
    """Yield the things in values of JSON-LD, those around others first; of many only some."""
    unread = [*values]
    left = _MOST_THINGS
    for value in unread:
        if isinstance(value, dict):
            yield cast("dict[str, object]", value)
            left -= 1
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        if left <= 0 or len(unread) > 4 * _MOST_THINGS:
            return
        unread += [item for item in inner if isinstance(item, dict | list)]


def _names(value: object, field: str, by_id: Mapping[str, dict[str, object]]) -> list[str]:
    """Return the texts of a property: strings, or the names or addresses of objects."""
    texts = []
    for item in value[:_MOST_VALUES] if isinstance(value, list) else [value]:
        thing = by_id.get(str(item.get("@id")), item) if isinstance(item, dict) else item
        keys = ("url", "contentUrl", "@id") if field in ("image", "license") else ("name", "@value")
        names = [thing] if isinstance(thing, str) else []
        if isinstance(thing, dict):
            names = next(filter(None, (strings_in(thing.get(key), _MOST_VALUES) for key in keys)), [])
        texts += list(filter(None, map(_clean, names)))
        if texts and field != "author":
            break
    return texts[:1] if field != "author" else texts


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(texts))[:_MOST_TEXT]


def _clean(text: str | None) -> str:
    return collapse((text or "")[:_MOST_TEXT])


def _date(text: str | None) -> str | None:
    """Return a date, with its time where there is one, as ISO 8601 has it; None for what is none.

    >>> _date("2024-02-29T12:30:00.5Z"), _date("20240229"), _date("Thu, 29 Feb 2024 12:30:00 GMT"), _date("29 February")
    ('2024-02-29T12:30:00Z', '2024-02-29', '2024-02-29T12:30:00+00:00', None)
    """
    match = _DATE.match(text or "")
    with suppress(ValueError, TypeError, OverflowError):
        if not match:
            return parsedate_to_datetime(text).isoformat() if text and "," in text[:5] else None
        year, month, day, hour, minute, second, zone = match.groups()
        datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0))
        time = f"T{hour}:{minute}:{second or '00'}" if hour else ""
        return f"{year}-{month}-{day}{time}{_ZONE.sub(_WITH_COLON, zone or '')}"
    return None


def _address(text: str | None, base: str) -> str | None:
    """Return an address made absolute; None where it is none that can be followed."""
    with suppress(ValueError):
        joined = urljoin(base, (text or "").strip())
        if text and urlsplit(joined).scheme in ("http", "https"):
            return joined
    return None
