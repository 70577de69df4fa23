"""Features by name, and made-up labelled pages, for the tests of the learned profiles and of training."""

import numpy as np
from numpy.typing import NDArray

from scrapy_justext.core.learned.features import Features, compute
from scrapy_justext.core.learned.table import FEATURES
from scrapy_justext.core.reading.head import page_title
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.page import read_blocks
from scrapy_justext.core.reading.rules import LENIENT
from scrapy_justext.evaluation.datasets.documents import Document
from tests.builders import tree

PROSE = "The harbour lay still, and nobody spoke of the storm that had gone by in the night. "
#: A menu, an article, a footer.
PAGE = f"<nav><a href=/>Home</a></nav><article><h1>Harbour</h1><p>{PROSE * 2}<p>{PROSE}</article><footer>© x</footer>"
_TEXTS = [
    f"On day {n} the {name} came in with the tide, and the {name}'s crew told of the {n} storms that they had met. "
    f"Nobody on the quay believed the {name}, but all of them listened, since there were {n + 3} of them."
    for n, name in enumerate(("heron", "gannet", "plover", "curlew", "petrel", "puffin"))
]
#: A page that is an article to the page models, and one that is a thread of a forum.
ARTICLE = (
    "<title>Harbour</title><nav><a href=/>Home</a></nav><article class=post><h1>Harbour</h1>"
    f"<p class=byline>By Ann Lee</p>{''.join(f'<p>{text}' for text in _TEXTS)}</article><footer>© x</footer>"
)
THREAD = "<title>Harbour - Forum</title><div class=thread><h1>Harbour</h1>" + "".join(
    f"<div class='post message' id=post{n}><div class=user><a class=username href=/u{n}>ann{n}</a> Posts: {n}</div>"
    f"<div class=postdate>May {n}, 2020</div><div class='message-body postbody'>{text}</div>"
    f"<div class=signature>Sailing since {n}</div><a class=reply href=#>Reply</a></div>"
    for n, text in enumerate(_TEXTS)
)

COLUMNS = {feature.name: position for position, feature in enumerate(FEATURES)}

#: The same sentence or two as the language writes them.
SENTENCES = {
    "English": "The harbour lay quiet in the morning, and nobody spoke of the storm that had passed in the night.",
    "Russian": "Утром гавань была тиха, и никто не говорил о буре, которая прошла ночью над самым городом.",
    "Chinese": "早晨的港口十分安静，没有人谈起昨夜经过的那场暴风雨，渔船都系在岸边。",
    "Japanese": "朝の港は静かで、夜のうちに過ぎ去った嵐のことを話す人は誰もいなかった。船は岸につながれていた。",
    "Hindi": "सुबह बंदरगाह शांत था, और रात में गुज़रे तूफ़ान के बारे में कोई बात नहीं कर रहा था।",
    "Urdu": "صبح کے وقت بندرگاہ خاموش تھی، اور رات کو گزرنے والے طوفان کا کوئی ذکر نہیں کر رہا تھا۔",
    "Arabic": "كان الميناء هادئا في الصباح، ولم يتحدث أحد عن العاصفة التي مرت في الليل فوق المدينة كلها.",
    "Thai": "ท่าเรือเงียบสงบในตอนเช้า และไม่มีใครพูดถึงพายุที่ผ่านไปในตอนกลางคืน เรือทุกลำจอดอยู่ริมฝั่ง",
    "Lao": "ທ່າເຮືອງຽບສະຫງົບໃນຕອນເຊົ້າ ແລະບໍ່ມີໃຜເວົ້າເຖິງພາຍຸທີ່ຜ່ານໄປໃນຕອນກາງຄືນ ເຮືອທຸກລຳຈອດຢູ່ແຄມຝັ່ງ",
    "Korean": "아침의 항구는 조용했고, 밤사이에 지나간 폭풍에 대해 말하는 사람은 아무도 없었다. 배들은 묶여 있었다.",
}  # fmt: skip


def computed(html: str) -> Features:
    """Return the features of a page's blocks as the models take them."""
    root = tree(html)
    page = read_nodes(root)
    return compute(*read_blocks(page, LENIENT), page_title(page))


def features_of(html: str) -> NDArray[np.float32]:
    """Return the features of a page's blocks, a row a block."""
    return computed(html).rows()


def column(html: str, name: str) -> list[float]:
    """Return a feature of all blocks of a page, rounded."""
    return [round(float(value), 3) for value in features_of(html)[:, COLUMNS[name]]]


def document(number: int, page_type: str = "article") -> Document:
    """Return a labelled page: a menu, some paragraphs that are its gold text, a footer."""
    texts = [f"{PROSE}It was day {number}, paragraph {i}." for i in range(2 + number % 3)]
    menu = "".join(f"<li><a href=x>Item {i}</a></li>" for i in range(4 + number % 4))
    html = (
        f"<ul class=menu>{menu}</ul><article>{''.join(f'<p>{text}</p>' for text in texts)}</article>"
        f"<footer>All rights reserved {number}</footer>"
    )
    return Document(
        id=str(number),
        html=html.encode(),
        encoding="utf-8",
        encoding_origin="data set",
        encoding_confidence=1.0,
        gold="\n".join(texts),
        url=f"https://www.site{number}.example/page",
        page_type=page_type,
    )
