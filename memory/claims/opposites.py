"""Words that exclude each other: a claim may not put one where its evidence has the other."""

import re

_GROUPS = (
    "like likes liked love loves enjoy enjoys|hate hates hated dislike dislikes",
    "accept accepts accepted approve approves approved|refuse refused reject rejected decline declined",
    "buy buys bought buying purchase|sell sells sold selling",
    "increase increased raise raised rises|decrease decreased reduce reduced lower lowered falls",
    "before|after",
    "often frequently always usually|rarely seldom never",
    "经常 常常 总是|很少 偶尔 从不 从来不",
    "more|less fewer",
    "cheap cheaper|expensive",
    "open opens opened|close closes closed shut",
    "start starts started begin begins began|end ends ended finish finishes finished stop stops stopped",
    "arrive arrives arrived land lands landed|leave leaves left depart departs departed",
    "morning|afternoon|evening|night",
    "enable enabled enables|disable disabled disables",
    "allow allowed allows permit permitted|forbid forbidden ban banned",
    "win wins won|lose loses lost",
    "red|blue|green|yellow|black|white|brown|pink|purple|orange|grey gray",
    "dog dogs|cat cats",
    "tea|coffee",
    "train|bus|plane flight|car",
    "north northern|south southern|east eastern|west western",
    "english|german|french|spanish|italian|portuguese|chinese|japanese",
    "single|married",
    "vegetarian vegan|meat",
    "lend lends lent|borrow borrows borrowed",
    "喜欢 爱吃 爱喝|讨厌 不喜欢",
    "买|卖",
    "增加 提高 涨|减少 降低 降",
    "之前 以前|之后 以后",
    "早上 上午|下午|晚上",
    "红色|蓝色|绿色|黄色|黑色|白色|紫色|粉色|灰色",
    "同意 接受|拒绝",
    "开启 打开|关闭",
    "开门 营业|关门 打烊",
    (
        "daily a.day per.day each.day every.day|weekly a.week per.week each.week every.week"
        "|monthly a.month per.month each.month every.month|yearly annual annually a.year per.year each.year every.year"
    ),
    "每天 每日|每周 每星期|每月 每个月 月薪|每年 年薪",
    "到达 抵达 点到 分到|出发 起飞",
    "咖啡|茶",
    "火车 高铁|飞机|汽车|公交",
    "猫|狗",
    "东边 东门 东侧 东面|西边 西门 西侧 西面|南边 南门 南侧 南面|北边 北门 北侧 北面",
    "英文 英语|德文 德语|法文 法语|日文 日语|中文 汉语|西班牙语|葡萄牙语",
    "税前|税后",
    "已婚|未婚 单身",
    "借给|借了",
)


_RELATIVES = (
    (
        "mother mothers mum mom|father fathers dad|brother brothers|sister sisters|son sons boy|daughter daughters girl"
        "|husband husbands|wife wives|uncle uncles|aunt aunts|grandmother grandma|grandfather grandpa"
    ),
    "爸 父亲|妈 母亲|哥哥|弟弟|姐姐|妹妹|儿子|女儿|丈夫 老公|妻子 老婆|爷爷|奶奶|外公 姥爷|外婆 姥姥",
)
"""No claim brings one in: "hikes with her husband" is more than "I like hiking"."""

_DENIED = re.compile(r"(?:\b(?:not|never|no longer)|n't)\s(?:\w+ly\s)?$|(?:[不没未]|没有)$", re.IGNORECASE)


def _pattern(words: list[str]) -> re.Pattern[str]:
    return re.compile(
        "|".join(rf"\b{word}\b" if word.isascii() else word for word in words),
        re.IGNORECASE,
    )


_SIDES = tuple(
    tuple(_pattern(side.split()) for side in group.split("|")) for group in (*_RELATIVES, *_GROUPS)
)
_TWO = 2


def opposed(claim: str, evidence: str) -> str | None:
    """The word of the claim whose opposite alone stands in the evidence, or a relative who doesn't; or None.

    Of two opposites the one denied is the other: who hates it doesn't like it.
    """
    for number, sides in enumerate(_SIDES):
        said = [side.search(evidence) is not None for side in sides]
        if number >= len(_RELATIVES) and not any(said):
            continue
        for side, is_said in zip(sides, said, strict=True):
            for found in () if is_said else side.finditer(claim):
                if len(sides) > _TWO or not _DENIED.search(claim, 0, found.start()):
                    return found.group()
    return None
