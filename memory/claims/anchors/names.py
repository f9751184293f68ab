"""Names in a text: words with a capital that need one, Chinese people by title, well-known places."""

import re

from memory.claims.anchors.anchor import TAKEN, AnchorKind, Mention, Page
from memory.claims.text import HAN, UPPER, sentences
from memory.claims.words import COMMON, REPORTING, STOP_WORDS, listed

_LETTER = rf"[^\W_{HAN}]"
_CAPITAL = re.compile(rf"(?<!{_LETTER})(?<!')[{UPPER}]{_LETTER}*(?:['-]{_LETTER}+)*")
# Verbs and nouns that often open a line of notes; with a capital there they name nobody.
OPENERS = frozenset(
    listed(
        "meeting dinner lunch breakfast budget deadline trip flight train booking appointment project question team family"
        " plan price cost total payment order delivery password address phone email version server office home work"
        " birthday party room hotel table ticket rent bill next new old both all most many some several each every no yes"
        " please thanks hello hi ok okay sure maybe perhaps let lets currently recently today tomorrow yesterday there here"
        " one two three first second last final pending open whether allergic interested based located due born married"
        " wi-fi wifi dear use book send call check make write add put take keep buy give show tell ask set remove remember note reminder reservation conference call launch release session lesson class course exam visit"
    )
)
_NO_NAME_ENDINGS = ("ing", "ed", "ly", "s")
_VERB_AFTER = re.compile(
    r"\s(?:is|was|are|were|has|had|have|will|would|can|could|may|might|must|should|does|did|do|also|and|or|never|always"
    r"|not|no|wants?|[a-z]{2,}(?:s|ed))\b|'s\b"
)
_TITLED = re.compile(
    r"(?:(?![的是在有和了])[\u4e00-\u9fff]){1,2}(?:先生|女士|小姐|老师|经理|总监|医生|博士|教授|主任|律师|师傅|阿姨|叔叔|同学)|(?<![\u4e00-\u9fff])[小老阿][\u4e00-\u9fff](?=[说想要会在去来给和跟把没不有是住喜的,。]|$)"
)
_SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范石廖贾夏韦付方邹熊孟秦邱江尹薛阎段雷侯龙史陶黎贺顾毛郝龚邵万钱严"
PERSON_WORD = rf"[{_SURNAMES}][\u4e00-\u9fff]"
PERSON = re.compile(rf"{PERSON_WORD}[\u4e00-\u9fff]?")
# Surnames that also begin common words name nobody here.
_TOLD = re.compile(
    rf"(?<=[让叫请找约由被派])(?![周钱万方高马])[{_SURNAMES}][\u4e00-\u9fff](?:[\u4e00-\u9fff](?=[,。;!]|$))?"
)
_PLACES = re.compile(
    "北京|上海|广州|深圳|杭州|成都|南京|武汉|西安|重庆|天津|苏州|厦门|青岛|大连|长沙|昆明|哈尔滨|沈阳|济南|郑州|香港|澳门|台北|台湾|东京|大阪|京都|首尔"
    "|曼谷|新加坡|巴黎|伦敦|柏林|慕尼黑|汉堡|纽约|洛杉矶|旧金山|西雅图|波士顿|芝加哥|悉尼|墨尔本|罗马|米兰|马德里|巴塞罗那|维也纳|苏黎世|莫斯科"
    "|阿姆斯特丹|中国|日本|韩国|美国|英国|法国|德国|意大利|西班牙|加拿大|澳大利亚|俄罗斯|印度|泰国|越南|瑞士|荷兰|海南|云南|四川|广东|浙江|江苏"
)


def take_names(page: Page) -> None:
    """Note names; each word of a name by itself, so that "Ann" stands in "Ann Meyer"."""
    starts = _sentence_starts(page.text)
    for match in _CAPITAL.finditer(page.rest):
        word = match.group()
        bare = re.sub(r"'s$", "", word)
        if is_common(bare):
            continue
        opens = match.start() in starts
        firm = not opens or _opens_as_name(page.text, match, bare)
        _note(page, match.start(), match.start() + len(bare), bare, firm=firm)
    for pattern in (_TITLED, _TOLD, _PLACES):
        for match in pattern.finditer(page.rest):
            if TAKEN not in match.group():
                _note(page, *match.span(), match.group(), firm=True)


def is_common(word: str) -> bool:
    """Whether a word names nobody even with a capital."""
    folded = word.casefold()
    return folded in STOP_WORDS or folded in REPORTING or folded in COMMON or len(word) == 1


def _note(page: Page, start: int, end: int, word: str, *, firm: bool) -> None:
    reads = frozenset({"name:" + word.casefold()})
    page.mentions.append(Mention(kind=AnchorKind.NAME, start=start, end=end, reads=reads, firm=firm))


def _sentence_starts(text: str) -> set[int]:
    """Where a capital needs no name: at the start of a sentence, a quotation, after a colon or a list mark."""
    found = set()
    for span in sentences(text):
        inner = re.compile(r"[-*•>\s\"'(\[#]*(?:\d+[.)]\s+)?").match(text, span.start)
        found.add(inner.end() if inner else span.start)
    return found | {match.end() for match in re.finditer(r"[:;\"(]\s*|'(?=[A-Z])", text)}


def _opens_as_name(text: str, match: re.Match[str], word: str) -> bool:
    """Whether the first word of a sentence is used as a name: before a verb, and no verb or common noun itself."""
    folded = word.casefold()
    if folded in OPENERS:
        return False
    if word.isupper() or any(char.isupper() for char in word[1:]):
        return True
    if folded.endswith(_NO_NAME_ENDINGS) and not _VERB_AFTER.match(text, match.start() + len(word)):
        return False
    return _VERB_AFTER.match(text, match.start() + len(word)) is not None
