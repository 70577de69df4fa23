r"""Make the stoplists of the languages without spaces, and of the spaced ones that jusText's lists lack.

Run it in an environment of its own, from any folder::

    pip install --no-deps advertools==0.18.0 botok==1.1.7 laonlp==1.3.0 opencc-python-reimplemented==0.1.7 \
        pythainlp==5.4.0 spacy==3.8.7 stopwordsiso==0.7.1 wordfreq==3.1.1
    python stoplists/make_lists.py

It reads the word lists as files (no package but OpenCC is imported), and writes ``LANGUAGE.txt`` beside itself: the
same bytes each time. A package of another version stops it. Three rules turn a word list into a stoplist:

1. ``purity``, where the package has word frequencies: how often a string is that word, among all places where the
   string occurs inside words. Below 0.3 the string says more about other words than about itself.
2. ``wanted``: what may stand in the list at all, by part of speech or script.
3. ``betrays``: the strings that menus hold nearly as often as prose does, measured on ``tests/texts/LANG.json``.
"""

import ast
import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from opencc import OpenCC  # type: ignore[import-untyped]

HERE = Path(__file__).resolve().parent
TEXTS = HERE.parent / "tests" / "texts"
OWN = HERE / "own"

PACKAGES = {
    "advertools": "0.18.0",
    "botok": "1.1.7",
    "laonlp": "1.3.0",
    "opencc-python-reimplemented": "0.1.7",
    "pythainlp": "5.4.0",
    "spacy": "3.8.7",
    "stopwordsiso": "0.7.1",
    "wordfreq": "3.1.1",
}

MINIMUM_PURITY = 0.3
# Occurrences in the package's own corpus: about the 3,000 most frequent words of each.
MINIMUM_COUNT = {"Chinese": 2000, "Thai": 2000}
MINIMUM_COUNT_OF_CHINESE_VERB = 20_000
# A string stays if prose holds it more than twice as often a character as menus do; one occurrence a file of texts
# proves nothing.
MAXIMUM_BETRAYAL = 0.5
MINIMUM_EVIDENCE = 2

# Jieba's tags of particles, prepositions, conjunctions, adverbs, pronouns, words of place and time (f), modal
# particles and single function characters (zg). They narrow stop-word lists; alone they admit nouns and garbled text.
CHINESE_FUNCTION_TAGS = frozenset({"c", "d", "f", "p", "r", "rr", "rz", "ud", "ug", "uj", "ul", "uv", "uz", "y", "zg"})
# The second is the tsheg that no line breaks after; it stands before a shad.
TIBETAN_TSHEGS, TIBETAN_SHAD = "\u0f0b\u0f0c", "\u0f0d"

# Old and new spelling: the vowel am, and l, n, m with a silent h.
LAO_SPELLINGS = (
    ("\u0ecd\u0eb2", "\u0eb3"),
    ("\u0eab\u0ea5", "\u0eab\u0ebc"),
    ("\u0eab\u0e99", "\u0edc"),
    ("\u0eab\u0ea1", "\u0edd"),
)

# Content words that the packages' lists hold; in Chinese also the words of every footer's "about us", "contact us".
CONTENT = {
    "Chinese": "反对 进步 好处 关于 我们 见",
    "Hausa": "tafi",
    "Lao": "ຜົນ ລາຍ ມື້ ດັງ ເບິ່ງ ເປີດ ຫນ້າ ພົບ ຮັບ",
    "Tatar": "ел елда",
    "Thai": "วัน วันนี้ ปฏิบัติ เปิดเผย ยืนยัน ยอมรับ กลุ่ม กำหนด จัดการ จัดตั้ง จัดหา รับรอง หารือ สบาย สมัย อดีต "
    "ปัจจุบัน แก้ไข เขียน "
    "ผิด กว้าง กว้างขวาง เก็บ เหตุผล ประกอบ ปรับ ล่าสุด สูงสุด เปลี่ยน เปลี่ยนแปลง เพิ่มเติม นาง ชาว จับ มึง "
    "ร่วม รวดเร็ว แสดง เชื่อมั่น ยิ่งใหญ่ ครบ คำ",
    "Tswana": "tikologong tlhwatlhwa selekanyo nako dinako gaisa karolo tsamaiso tsweetswee tlhalosa bokana masisi "
    "bobedi boraro pedi tharo lesome lesomepedi lesometlhano lesomenngwe lekgolo masomamabedi masomethataro tlhano "
    "robedi robongwe thataro tseraganyo dira dirwa mmatota supa tsaya tsenya golo kgolo bogolo",
}


def packaged(package: str, path: str) -> str:
    """Return the text of a file in an installed package."""
    return Path(str(distribution(package).locate_file(path))).read_text(encoding="utf-8-sig")


def check_packages() -> None:
    """Stop, with what to install, unless every package has the version that the lists are made from."""
    wrong = []
    for name, version in PACKAGES.items():
        try:
            installed = distribution(name).version
        except PackageNotFoundError:
            installed = "none"
        if installed != version:
            wrong.append(f"{name}=={version} (installed: {installed})")
    if wrong:
        sys.exit("pip install --no-deps " + " ".join(wrong))


def content(language: str) -> set[str]:
    """Return the content words that a list must not hold."""
    return set(CONTENT.get(language, "").split())


def own(language: str) -> set[str]:
    """Return the words that were written for this project."""
    return set((OWN / f"{language}.txt").read_text(encoding="utf-8").split())


def spacy_words(code: str) -> set[str]:
    """Return the stop words of spaCy: all words of the string literals in its module, but for comments."""
    tree = ast.parse(packaged("spacy", f"spacy/lang/{code}/stop_words.py"))
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    lines = "\n".join(strings).splitlines()
    return {word for line in lines for word in line.split(" #")[0].split()}


def iso_words(code: str) -> set[str]:
    """Return the list of one language in Stopwords ISO."""
    return set(json.loads(packaged("stopwordsiso", "stopwordsiso/stopwords-iso.json"))[code])


def advertools_words(language: str) -> set[str]:
    """Return the list of one language in advertools, a keyword argument of one call in its module."""
    tree = ast.parse(packaged("advertools", "advertools/stopwords.py"))
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == language]
    return set(ast.literal_eval(values[0]))


def substrings(word: str, longest: int) -> Iterator[str]:
    """Yield every substring of at most ``longest`` characters, as often as it occurs."""
    for start in range(len(word)):
        for stop in range(start + 1, min(len(word), start + longest) + 1):
            yield word[start:stop]


def purities(candidates: set[str], counts: dict[str, int]) -> dict[str, float]:
    """Return for each candidate the share (0 to 1) of its occurrences that are a word of their own."""
    longest = max(map(len, candidates))
    inside: Counter[str] = Counter()
    for word, count in counts.items():
        for part in substrings(word, longest):
            if part in candidates:
                inside[part] += count
    return {word: counts.get(word, 0) / max(inside[word], 1) for word in candidates}


def frequent_and_pure(language: str, candidates: set[str], counts: dict[str, int]) -> set[str]:
    """Return the candidates that pass rule 1."""
    purity = purities(candidates, counts)
    minimum = MINIMUM_COUNT[language]
    return {word for word in candidates if counts.get(word, 0) >= minimum and purity[word] >= MINIMUM_PURITY}


def covered(text: str, words: set[str]) -> Counter[str]:
    """Count the words that greedy longest match finds, left to right, in lower-cased, collapsed text."""
    text, longest = " ".join(text.lower().split()), max(map(len, words))
    hits: Counter[str] = Counter()
    position = 0
    while position < len(text):
        lengths = range(min(longest, len(text) - position), 0, -1)
        hit = next(
            (text[position : position + size] for size in lengths if text[position : position + size] in words), ""
        )
        hits[hit] += bool(hit)
        position += len(hit) or 1
    return hits


def betrayers(words: set[str], codes: Iterable[str]) -> set[str]:
    """Return the words of rule 3, by occurrences a character in the good and the boilerplate texts of these codes."""
    texts = [json.loads((TEXTS / f"{code}.json").read_text(encoding="utf-8")) for code in codes]
    rates = {}
    for kind in ("good", "boilerplate"):
        blocks = [block for text in texts for block in text[kind]]
        total = sum((covered(block, words) for block in blocks), Counter())
        rates[kind] = total, sum(map(len, blocks))
    (good, good_size), (bad, bad_size) = rates["good"], rates["boilerplate"]
    return {
        word
        for word, count in bad.items()
        if count >= MINIMUM_EVIDENCE * len(texts) and count / bad_size >= MAXIMUM_BETRAYAL * good[word] / good_size
    }


def chinese() -> set[str]:
    """Return stop words that are function words by jieba's tags, pruned by jieba's counts, in both scripts."""
    counts, tags = {}, {}
    for line in packaged("wordfreq", "wordfreq/data/jieba_zh_orig.txt").splitlines():
        word, count, tag = line.rsplit(" ", 2)
        counts[word], tags[word] = int(count), tag
    stops = {word for word in iso_words("zh") | spacy_words("zh") if re.fullmatch("[\u4e00-\u9fff]+", word)}
    wanted = {word for word in stops if wanted_chinese(word, tags.get(word, ""), counts.get(word, 0))}
    simplified = frequent_and_pure("Chinese", wanted, counts) - content("Chinese") | own("Chinese")
    converters = [OpenCC(name) for name in ("s2t", "s2tw", "s2hk")]
    return simplified | {converter.convert(word) for converter in converters for word in simplified}


def wanted_chinese(word: str, tag: str, count: int) -> bool:
    """Return whether a stop word may stand in the list: a function word, or a very frequent verb such as 是 or 有."""
    return tag in CHINESE_FUNCTION_TAGS or (
        len(word) == 1 and tag in {"a", "v"} and count >= MINIMUM_COUNT_OF_CHINESE_VERB
    )


def japanese() -> set[str]:
    """Return stop words in hiragana, or of hiragana and kanji; a lone kanji is part of many nouns."""
    return {word for word in iso_words("ja") | spacy_words("ja") if not re.fullmatch("[\u4e00-\u9fff]", word)}


def thai() -> set[str]:
    """Return PyThaiNLP's stop words that are frequent words of their own in the Thai National Corpus."""
    rows = (line.split("\t") for line in packaged("pythainlp", "pythainlp/corpus/tnc_freq.txt").splitlines())
    counts = {row[0]: int(row[1]) for row in rows if len(row) == 2}
    stops = set(packaged("pythainlp", "pythainlp/corpus/stopwords_th.txt").split()) | iso_words("th")
    stops = {word for word in stops if re.fullmatch("[\u0e01-\u0e4e]+", word) and len(word) > 1}
    pure = frequent_and_pure("Thai", stops, counts) - content("Thai")
    return pure | {word.replace("\u0e33", "\u0e4d\u0e32") for word in pure}


def lao() -> set[str]:
    """Return LaoNLP's stop words and the ones it lacks, in the old and the new spelling."""
    lines = packaged("laonlp", "laonlp/corpus/stopwords_lao.txt").splitlines()
    words = {line.strip() for line in lines if line.strip() and not line.startswith("#")}
    words = (words | own("Lao")) - content("Lao")
    for old, new in LAO_SPELLINGS:
        words |= {word.replace(old, new) for word in words} | {word.replace(new, old) for word in words}
    return words


def tibetan() -> set[str]:
    """Return particles and pronouns with the mark that ends each: without it they occur inside most syllables."""
    particles = {line.split("\t")[0] for line in packaged("botok", "botok/resources/particles.tsv").splitlines()[1:]}
    words = {word.strip(TIBETAN_TSHEGS + TIBETAN_SHAD) for word in spacy_words("bo") | particles | own("Tibetan")}
    words = {word for word in words if re.fullmatch("[\u0f40-\u0fbc\u0f0b]+", word)}
    return {form for word in words for form in tibetan_forms(word)}


def tibetan_forms(word: str) -> list[str]:
    """Return a word with the tsheg or shad after it; a single letter also needs the tsheg before it."""
    before = TIBETAN_TSHEGS[0] if len(word) == 1 else ""
    return [before + word + after for after in TIBETAN_TSHEGS + TIBETAN_SHAD]


def spaced(language: str, words: set[str]) -> set[str]:
    """Return a spaced language's words: letters, apostrophes and hyphens, no content words, either apostrophe."""
    lowered = {word.lower().replace("\u2019", "'") for word in words} - content(language)
    plain = {word for word in lowered if re.fullmatch(r"'?[^\W\d_]+(?:['-][^\W\d_]+)*'?", word)}
    return plain | {word.replace("'", "\u2019") for word in plain}


UNSPACED: dict[str, tuple[Callable[[], set[str]], tuple[str, ...]]] = {
    "Burmese": (lambda: own("Burmese"), ("my",)),
    "Chinese": (chinese, ("zh", "zh-Hant")),
    "Japanese": (japanese, ("ja",)),
    "Khmer": (lambda: own("Khmer"), ("km",)),
    "Lao": (lao, ("lo",)),
    "Thai": (thai, ("th",)),
    "Tibetan": (tibetan, ("bo",)),
}

SPACED: dict[str, Callable[[], set[str]]] = {
    "Hausa": lambda: iso_words("ha"),
    "Ligurian": lambda: spacy_words("lij"),
    "Scottish_Gaelic": lambda: spacy_words("gd"),
    "Sesotho": lambda: iso_words("st"),
    "Tatar": lambda: spacy_words("tt") | advertools_words("tatar"),
    "Tswana": lambda: spacy_words("tn"),
}


def write(language: str, words: Iterable[str]) -> None:
    """Write a list: NFC, without doubles, in code point order, a word a line."""
    lines = sorted({unicodedata.normalize("NFC", word) for word in words})
    (HERE / f"{language}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    print(f"{language}: {len(lines)} words")


def main() -> None:
    """Make every list."""
    check_packages()
    for language, (make, codes) in UNSPACED.items():
        words = {unicodedata.normalize("NFC", word) for word in make()}
        write(language, words - betrayers(words, codes))
    for language, collect in SPACED.items():
        write(language, spaced(language, collect()))


if __name__ == "__main__":
    main()
