"""What a question asks for by its form: a time, the words of the assistant, those of the one who asks."""

import re

# What asks for a time.
ASKS_WHEN = re.compile(
    r"\b(?:when|how long|how many (?:days|weeks|months|years)|(?:what|which) (?:date|day|month|year|time))\b"
    r"|什么时候|何时|哪天|哪一天|哪年|几号|几月|多久|什么时间"
)

# Question words of several words, of which an answer has none.
QUESTION_PHRASES = re.compile(
    r"\b(?:what|which) (?:kind|type|sort)s? of\b|\bhow (?:many times|much|many|long|often|old)\b"
)

# What asks for words of the assistant, to which a question says you: did you tell me, your advice. Can you tell me is
# no such question, nor what would you say.
_SAY = (
    r"(?:advise|answer|describe|explain|give|list|mention|offer|promise|propose|provide|recommend|say|send|share|show"
    r"|suggest|teach|tell|write)"
)
_SAID = (
    r"(?:advised|answered|described|explained|gave|given|listed|mentioned|offered|promised|proposed|provided|recommended"
    r"|said|sent|shared|showed|shown|suggested|taught|told|written|wrote)"
)
_SAYS_CHINESE = "(?:给|告诉|教|推荐|建议|说|提|讲|介绍|回答|解释|分享|列|写|发|帮)"
ASKS_ASSISTANT = re.compile(
    rf"\bdid you (?:\w+ )?{_SAY}\b|(?<!\bto )(?<!\bwith )\byou(?:'ve|'d)? (?:\w+ )?{_SAID}\b"
    r"|\byour (?:\w+ )?(?:advice|answer|explanation|recommendation|suggestion|tip)s?\b"
    rf"|(?<![和向跟给对同与])你(?:(?:曾|之前|以前|上次|刚才|当时|那天).{{0,6}}?{_SAYS_CHINESE}"
    rf"|.{{0,2}}{_SAYS_CHINESE}.{{0,6}}?[了过])"
)
# In a question it means the words of the one who asks. Tell me is said in any.
SAYS_I = re.compile(r"\b(?:i|my|mine|i've|i'd|i'm)\b|(?<!告诉)(?<!提醒)(?<!给)(?<!帮)我")
