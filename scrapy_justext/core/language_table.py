"""The table of languages: the names and codes by which each is known.

A row has the English name, the ISO 639 codes and other names in English; behind the bar stands what those who speak the
language call it.  Names are compared without case, accents and punctuation.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Language:
    """A language: English name, ISO 639 codes (the first is the one that results carry)."""

    name: str
    codes: tuple[str, ...]

    @property
    def code(self) -> str:
        """Return the code that results carry."""
        return self.codes[0]


def normalise(name: str) -> str:
    """Return a name or code as it is compared: letters and digits only, no accents, no case.

    >>> normalise("Norwegian Bokmål"), normalise("pt_BR")
    ('norwegianbokmal', 'ptbr')
    """
    decomposed = unicodedata.normalize("NFKD", name).casefold()
    return "".join(character for character in decomposed if character.isalnum())


def primary(tag: str) -> str:
    """Return the first part of a language tag, which names the language.

    >>> primary("pt_BR")
    'pt'
    """
    return re.split("[-_]", tag.strip().lower())[0]


_TABLE = """
Afrikaans af afr
Albanian sq sqi alb | shqip
Arabic ar ara arz ary | العربية
Aragonese an arg | aragonés
Armenian hy hye arm | հայերեն
Aromanian rup | armãneashti
Asturian ast | asturianu
Azerbaijani az aze | azərbaycan azərbaycanca
Basque eu eus baq | euskara
Belarusian be bel | беларуская
Belarusian_Taraskievica be-tarask Taraškievica | тарашкевіца
Bengali bn ben | বাংলা Bangla
Bishnupriya_Manipuri bpy | বিষ্ণুপ্রিয়া_মণিপুরী
Bosnian bs bos | bosanski
Breton br bre | brezhoneg
Bulgarian bg bul | български
Burmese my mya bur Myanmar | မြန်မာ မြန်မာဘာသာ
Catalan ca cat | català
Cebuano ceb | Sinugboanon Binisaya
Chinese zh zho chi cmn yue wuu ChineseT Chinese_Simplified Chinese_Traditional Simplified_Chinese Traditional_Chinese
    Mandarin | 中文 汉语 漢語 普通话 國語 简体中文 繁體中文
Chuvash cv chv | чӑвашла чӑваш
Croatian hr hrv | hrvatski
Czech cs ces cze | čeština česky
Danish da dan | dansk
Dutch nl nld dut | Nederlands
English en eng
Esperanto eo epo
Estonian et est ekk | eesti
Finnish fi fin | suomi
French fr fra fre | français
Galician gl glg | galego
Georgian ka kat geo | ქართული
German de deu ger | Deutsch
Greek el ell gre | Ελληνικά
Gujarati gu guj | ગુજરાતી
Haitian ht hat Haitian_Creole | kreyòl kreyòl_ayisyen
Hausa ha hau
Hebrew he heb iw | עברית
Hindi hi hin | हिन्दी हिंदी
Hungarian hu hun | magyar
Icelandic is isl ice | íslenska
Ido io ido
Igbo ig ibo
Indonesian id ind in | Bahasa_Indonesia
Irish ga gle | Gaeilge
Italian it ita | italiano
Japanese ja jpn | 日本語
Javanese jv jav | Basa_Jawa Jawa
Kannada kn kan | ಕನ್ನಡ
Kazakh kk kaz | қазақша қазақ_тілі
Khmer km khm Cambodian | ខ្មែរ ភាសាខ្មែរ
Korean ko kor | 한국어 조선말
Kurdish ku kur | kurdî kurmancî
Kyrgyz ky kir Kirghiz | кыргызча
Lao lo lao Laotian Laothian | ລາວ ພາສາລາວ
Latin la lat | Latina
Latvian lv lav lvs | latviešu
Ligurian lij | ligure
Lithuanian lt lit | lietuvių
Lombard lmo | lumbaart
Low_Saxon nds Low_German | Plattdüütsch
Luxembourgish lb ltz | Lëtzebuergesch
Macedonian mk mkd mac | македонски
Malay ms msa may zsm | Bahasa_Melayu Melayu
Malayalam ml mal | മലയാളം
Maltese mt mlt | Malti
Marathi mr mar | मराठी
Neapolitan nap | napulitano
Nepali ne nep | नेपाली
Newar new Newari | नेपाल_भाषा
Norwegian_Bokmal nb nob no nor Norwegian | norsk norsk_bokmål bokmål
Norwegian_Nynorsk nn nno Norwegian_N | nynorsk norsk_nynorsk
Occitan oc oci | lenga_d’òc
Persian fa fas per Farsi | فارسی
Piedmontese pms | piemontèis
Polish pl pol | polski
Portuguese pt por | português
Quechua qu que | Runasimi
Romanian ro ron rum | română
Russian ru rus | русский
Samogitian sgs | žemaitėška
Scottish_Gaelic gd gla Scots_Gaelic | Gàidhlig
Serbian sr srp srl | српски srpski
Serbo_Croatian sh hbs | srpskohrvatski српскохрватски
Sesotho st sot Southern_Sotho
Sicilian scn | sicilianu
Simple_English en-simple
Slovak sk slk slo | slovenčina slovensky
Slovenian sl slv Slovene | slovenščina slovensko
Spanish es spa | español castellano
Sundanese su sun | Basa_Sunda Sunda
Swahili sw swa | Kiswahili
Swedish sv swe | svenska
Tagalog tl tgl fil Filipino
Tamil ta tam | தமிழ்
Tatar tt tat | татарча татар
Telugu te tel | తెలుగు
Thai th tha | ไทย ภาษาไทย
Tibetan bo bod tib | བོད་ཡིག བོད་སྐད་
Tswana tn tsn Setswana
Turkish tr tur | Türkçe
Turkmen tk tuk | türkmençe türkmen
Ukrainian uk ukr | українська
Urdu ur urd | اردو
Uzbek uz uzb uzs | oʻzbek oʻzbekcha
Vietnamese vi vie | tiếng_Việt
Volapuk vo vol Volapük
Walloon wa wln | walon
Waray_Waray war Waray
Welsh cy cym wel | Cymraeg
West_Frisian fy fry Frisian | Frysk
Western_Panjabi pnb Western_Punjabi | پنجابی
Yoruba yo yor | Yorùbá
"""

#: For each row the words before the bar, and those behind it.
_ROWS = [
    [part.split() for part in row.partition("|")[::2]] for row in _TABLE.strip().replace("\n    ", " ").splitlines()
]

#: Stoplist names with the ISO 639 codes of the language and other names for it; the first code is the one that results
#: carry.
LANGUAGES = {name: tuple(codes) for (name, *codes), _ in _ROWS}

_UNLISTED = """
ace Acehnese
am Amharic
as Assamese
ba Bashkir
bcl Central_Bikol
crh Crimean_Tatar
dz Dzongkha
ext Extremaduran
fo Faroese
fuv Nigerian_Fulfulde
gcf Guadeloupean_Creole
gcr Guianese_Creole
gom Goan_Konkani
grc Ancient_Greek
gug Guarani
guw Gun
hbo Ancient_Hebrew
kab Kabyle
kik Kikuyu
lg Ganda
ln Lingala
ltg Latgalian
mg Malagasy
mn Mongolian
nso Northern_Sotho
om Oromo
or Odia
pa Punjabi
pcm Nigerian_Pidgin
ps Pashto
rw Kinyarwanda
sa Sanskrit
sdh Southern_Kurdish
se Northern_Sami
si Sinhala
sn Shona
so Somali
tg Tajik
ug Uyghur
und Undetermined
vec Venetian
xh Xhosa
zu Zulu
zxx No_language
"""

#: The English names of the languages that have no stoplist, by the code that results carry.
UNLISTED = dict(map(str.split, _UNLISTED.strip().splitlines()))

#: What languages are called in themselves, by stoplist name.
OWN_NAMES = {name: tuple(own) for (name, *_), own in _ROWS}

_WRITTEN = """
ARABIC ar ary arz fa ku pnb ps sdh ug ur
ARMENIAN hy
BENGALI as bn bpy
CJK ja wuu yue zh
CYRILLIC ba be bg cv kk ky mk mn ru sr tg tt uk
DEVANAGARI gom hi mr ne new sa
ETHIOPIC am
GEORGIAN ka
GREEK el grc
GUJARATI gu
GURMUKHI pa
HANGUL ko
HEBREW hbo he
HIRAGANA ja
KANNADA kn
KATAKANA ja
KHMER km
LAO lo
LATIN ku sr
MALAYALAM ml
MYANMAR my
ORIYA or
SINHALA si
TAMIL ta
TELUGU te
THAI th
TIBETAN bo dz
"""

#: The scripts of the languages that the detector knows, by the first words of the names of their characters in Unicode.
#: Languages that are not here are written in Latin letters.
SCRIPTS_OF = {
    code: frozenset(script for script, *codes in map(str.split, _WRITTEN.strip().splitlines()) if code in codes)
    for code in _WRITTEN.split()
    if code.islower()
}

_CONFIRMED = """
0.25 ar cy el ga gu he hy is ka kn ko lv ml ta te tl vi
0.30 en eo et fr hu it sq
0.35 az cs de eu fa fi lt pl ro sv tr
0.40 es
0.45 bg mk ru sk sl uk
"""

#: The stop-word density from which a text can only be in a language, by the language's code.  In no other language of
#: 72 do more than one in a hundred texts of 300 characters reach it; they were translated messages of programs, and
#: labelled pages.  Words of the English list do not count in other lists, of which many have some from English texts.
#: Languages that are not here are too close to another one (Danish, Indonesian, Croatian), or could not be measured.
CONFIRMED_FROM = {
    code: float(density) for density, *codes in map(str.split, _CONFIRMED.strip().splitlines()) for code in codes
}
