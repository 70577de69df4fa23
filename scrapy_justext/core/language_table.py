"""The table of languages: the names and codes by which each is known."""

from __future__ import annotations

_TABLE = """
Afrikaans af afr
Albanian sq sqi alb
Arabic ar ara arz ary
Aragonese an arg
Armenian hy hye arm
Aromanian rup
Asturian ast
Azerbaijani az aze
Basque eu eus baq
Belarusian be bel
Belarusian_Taraskievica be-tarask Taraškievica
Bengali bn ben
Bishnupriya_Manipuri bpy
Bosnian bs bos
Breton br bre
Bulgarian bg bul
Burmese my mya bur Myanmar
Catalan ca cat
Cebuano ceb
Chinese zh zho chi cmn yue wuu Chinese_Simplified Chinese_Traditional Simplified_Chinese Traditional_Chinese Mandarin
Chuvash cv chv
Croatian hr hrv
Czech cs ces cze
Danish da dan
Dutch nl nld dut
English en eng
Esperanto eo epo
Estonian et est ekk
Finnish fi fin
French fr fra fre
Galician gl glg
Georgian ka kat geo
German de deu ger
Greek el ell gre
Gujarati gu guj
Haitian ht hat Haitian_Creole
Hausa ha hau
Hebrew he heb iw
Hindi hi hin
Hungarian hu hun
Icelandic is isl ice
Ido io ido
Igbo ig ibo
Indonesian id ind in
Irish ga gle
Italian it ita
Japanese ja jpn
Javanese jv jav
Kannada kn kan
Kazakh kk kaz
Khmer km khm Cambodian
Korean ko kor
Kurdish ku kur
Kyrgyz ky kir Kirghiz
Lao lo lao Laotian
Latin la lat
Latvian lv lav lvs
Ligurian lij
Lithuanian lt lit
Lombard lmo
Low_Saxon nds Low_German
Luxembourgish lb ltz
Macedonian mk mkd mac
Malay ms msa may zsm
Malayalam ml mal
Maltese mt mlt
Marathi mr mar
Neapolitan nap
Nepali ne nep
Newar new Newari
Norwegian_Bokmal nb nob no nor Norwegian
Norwegian_Nynorsk nn nno
Occitan oc oci
Persian fa fas per Farsi
Piedmontese pms
Polish pl pol
Portuguese pt por
Quechua qu que
Romanian ro ron rum
Russian ru rus
Samogitian sgs
Scottish_Gaelic gd gla
Serbian sr srp srl
Serbo_Croatian sh hbs
Sesotho st sot Southern_Sotho
Sicilian scn
Simple_English en-simple
Slovak sk slk slo
Slovenian sl slv Slovene
Spanish es spa
Sundanese su sun
Swahili sw swa
Swedish sv swe
Tagalog tl tgl fil Filipino
Tamil ta tam
Tatar tt tat
Telugu te tel
Thai th tha
Tibetan bo bod tib
Tswana tn tsn Setswana
Turkish tr tur
Turkmen tk tuk
Ukrainian uk ukr
Urdu ur urd
Uzbek uz uzb uzs
Vietnamese vi vie
Volapuk vo vol Volapük
Walloon wa wln
Waray_Waray war Waray
Welsh cy cym wel
West_Frisian fy fry Frisian
Western_Panjabi pnb Western_Punjabi
Yoruba yo yor
"""

#: Stoplist names with the ISO 639 codes of the language and other names for it; the first code is the one that results
#: carry.
LANGUAGES = {name: tuple(codes) for name, *codes in map(str.split, _TABLE.strip().splitlines())}
