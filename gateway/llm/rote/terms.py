"""The words of a text that carry meaning: lightly stemmed, stop words left out, East Asian text in pairs (pure)."""

import re
import unicodedata
from collections.abc import Container
from functools import lru_cache

_EAST_ASIAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_PIECE = re.compile(rf"[{_EAST_ASIAN}]+|(?:(?![{_EAST_ASIAN}])\w)+(?:['’](?:(?![{_EAST_ASIAN}])\w)+)*")
_ASCII_WORD = re.compile(r"\w+(?:'\w+)*", re.ASCII)
_EAST_ASIAN_START = re.compile(f"[{_EAST_ASIAN}]")

_STOP_WORDS = frozenset(
    (  # noqa: SIM905 - a list of words is read as prose
        "a about after again all also am an and any anything are as at be because been before being but by "
        "can could did do does doing don't done ever find for from get give given go got had has have having "
        "he her here hers him his how how's i i'm i've if in into is it it's its just know let list look me "
        "mention mentioned mine more most much my myself no not now of off ok okay on one or our out please "
        "recall remember remind said say search she should show so some something such tell than that that's "
        "the their them then there these they thing things think this those to told too up us very was we "
        "were what what's when when's where where's which who who's whom whose why will with would yes you "
        "you've your yours"
    ).split()
)
_CHINESE_BREAKS = re.compile(
    "什么时候|什麼時候|为什么|為什麼|是不是|有没有|有沒有|能不能|告诉我|告訴我|还记得|還記得|记得|記得|什么|什麼|怎么|怎麼"
    "|多少|哪里|哪裡|哪儿|哪个|哪個|何时|何時|我们|我們|你们|你們|他们|他們|请问|請問"
    "|[我你您他她它的了是吗嗎呢吧啊在和与與谁誰哪也都就还還这這那]"
)
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", ""))
_SHORTEST_STEM = 3  # shorter stems melt different words into one


@lru_cache(maxsize=8192)  # of words, not of messages: people use few
def stem(word: str) -> str:
    """A word without its plural, tense and possessive endings; words that differ only in those become one."""
    word = re.sub(r"['’]s?$", "", word)
    for ending, instead in _ENDINGS:
        root = word.removesuffix(ending)
        if (
            root != word
            and len(root) >= _SHORTEST_STEM
            and not (ending == "s" and root.endswith(("s", "u", "i")))
        ):
            word = root + instead
            break
    if len(word) > _SHORTEST_STEM + 1 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > _SHORTEST_STEM + 1 else word


WEAK_TERMS = frozenset(
    map(
        stem,
        (  # noqa: SIM905 - a list of words is read as prose
            "address call called color colour date day hour kind last long many month much name next number old"
            " people person place sort time today tomorrow type week year yesterday 时间 名字 日期 地方 号码 电话"
        ).split(),
    )
)
"""Terms that say what kind of answer a question wants, and little about what it is about."""


def _runs(text: str) -> tuple[list[str], list[str]]:
    """The stems of a text and its runs of East Asian characters."""
    if text.isascii():
        return [stem(word) for word in _ASCII_WORD.findall(text.lower()) if word not in _STOP_WORDS], []
    stems: list[str] = []
    runs: list[str] = []
    for found in _PIECE.finditer(unicodedata.normalize("NFKC", text).casefold()):
        piece = found.group()
        if _EAST_ASIAN_START.match(piece):
            runs.extend(run for run in _CHINESE_BREAKS.split(piece) if run)
        elif piece not in _STOP_WORDS:
            stems.append(stem(piece))
    return stems, runs


def terms(text: str) -> frozenset[str]:
    """Every term that a text can be found by; East Asian runs give all their overlapping pairs."""
    stems, runs = _runs(text)
    pairs = (run[at : at + 2] for run in runs for at in range(max(len(run) - 1, 1)))
    return frozenset([*stems, *pairs])


def question_terms(text: str, *, known: Container[str]) -> frozenset[str]:
    """The terms that a question consists of.

    East Asian runs are cut into pairs that don't overlap, at places where `known` terms stand, so that one word
    counts once.
    """
    stems, runs = _runs(text)
    return frozenset([*stems, *(pair for run in runs for pair in _cut(run, known=known))])


def _cut(run: str, *, known: Container[str]) -> list[str]:
    pairs = []
    at = 0
    while at < len(run):
        here, following = run[at : at + 2], run[at + 1 : at + 3]
        if here not in known and following in known:
            at += 1
            continue
        pairs.append(here)
        at += 2
    return [pair for pair in pairs if len(pair) == 2 or len(run) == 1]
