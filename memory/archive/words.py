"""Words that the search treats in a way of their own: without content, with irregular forms, of times."""

import re

from memory.claims.words import listed

STOP_WORDS = frozenset(
    listed(
        """
        a about above again ah all also am an and any are aren't as at be because been before being
        below between both but by bye can can't cannot could couldn't d did didn't do does doesn't
        doing don't dont down during each few for from further goodbye had hadn't haha has hasn't have
        haven't having he he'd he'll he's hello her here here's hers herself hey hi him himself his
        hiya hmm how how's i i'd i'll i'm i've if im in into is isn't it it's its itself just know
        let's like ll lol m may me mention mentioned might more most must my myself no nope nor not
        now of off oh ok okay on once one only or other our ours ourselves out over own please re
        recall remember s said same say says shall she she'd she'll she's should shouldn't so some
        such sure t tell than thank thanks that that's thats the their theirs them themselves then
        there there's these they they'd they'll they're they've this those through thx to too um under
        until up upon us ve very was wasn't we we'd we'll we're we've well were weren't what what's
        whats when when's where where's which while who who's whom whose why why's will with won't
        would wouldn't wow yeah yep yes you you'd you'll you're you've your yours yourself yourselves
        """
    )
)

# Function words, question words and courtesies of Chinese, the longest first: they part a run of characters.
STOP_PHRASES = re.compile(
    "|".join(
        listed(
            """
            怎么样 为什么 哪一天 是不是 有没有 能不能 提到过 不客气 没关系 什么 怎么 怎样 如何 为何 哪里 哪儿 哪个
            哪些 哪天 多少 几个 是否 可以 请问 告诉 记得 曾经 之前 以前 上次 我们 你们 他们 她们 它们 咱们 自己
            这个 那个 这些 那些 这里 那里 一下 一个 一些 的话 以及 或者 因为 所以 但是 不过 然后 还是 已经 关于
            时候 提到 说过 谢谢 你好 您好 好的 再见 嗯嗯 哈哈 好吧 是的 对了 请 曾 吗 呢 吧 啊 呀 哦 嗯 的 了
            是
            """
        )
    )
)

# What is said without anything to remember: thanks, greetings, agreement, praise.
COURTESIES = frozenset(
    listed(
        """
        afternoon agree agreed alright amazing awesome brilliant congrats congratulations cool correct
        course cute day definitely evening exactly excellent fantastic fine glad good got gotcha great
        greetings haha happy indeed interesting kidding kind lot lovely luck morning much neat nice
        night perfect really right see soon sorry sounds super sweet talk that'll then thing things
        think totally true understood way weekend welcome wonderful
        """
    )
)
COURTESY_PHRASES = re.compile(
    "早上好|上午好|中午好|下午好|晚上好|早安|晚安|大家好|收到|明白了?|知道了|辛苦了?|太好了|太棒了|真棒|真好"
    "|厉害|没问题|不错|加油|恭喜|抱歉|对不起|当然|原来如此|有道理|哈+|嘿嘿|感谢|多谢|拜拜|回头见|祝你|愉快|开心"
)

STOP_CHARACTERS = frozenset(
    "一与且个为么也了于些什从他们会但你到及向吗吧呀呢和哦哪啊在她它对就很您想我或把是有的给而被要让说跟过还这那都"
)

# A word, then its forms that no rule gives: irregular ones, other spellings, a number as a word.
_FORMS = """
    be was were been | become became | begin began begun | bite bit bitten | blow blew blown | break broke broken |
    bring brought | build built | buy bought | catch caught | choose chose chosen | come came | deal dealt |
    dig dug | do did done | draw drew drawn | drink drank drunk | drive drove driven | eat ate eaten |
    fall fell fallen | feed fed | feel felt | fight fought | find found | fly flew flown | forget forgot forgotten |
    forgive forgave forgiven | freeze froze frozen | get got gotten | give gave given | go went gone |
    grow grew grown | hang hung | have had | hear heard | hide hid hidden | hold held | keep kept |
    know knew known | lead led | leave left | lend lent | lose lost | make made | mean meant | meet met | pay paid |
    ride rode ridden | ring rang rung | rise rose risen | run ran | say said | see saw seen | seek sought |
    sell sold | send sent | shake shook shaken | shine shone | shoot shot | sing sang sung | sit sat | sleep slept |
    speak spoke spoken | spend spent | stand stood | steal stole stolen | stick stuck | strike struck |
    swear swore sworn | swim swam swum | take took taken | teach taught | tear tore torn | tell told |
    think thought | throw threw thrown | understand understood | wake woke woken | wear wore worn | win won |
    write wrote written | child children | foot feet | goose geese | knife knives |
    bus buses | die dies died dying | gas gases | lens lenses | lie lies lied lying | pie pies | tie ties tied tying |
    man men | mouse mice | person people | shelf shelves | tooth teeth | wife wives | wolf wolves | woman women |
    good better best | bad worse worst | far further | beat beaten | bend bent | bleed bled | burn burnt |
    creep crept | dream dreamt | flee fled | kneel knelt | lay laid | lean leant | learn learnt | light lit |
    prove proven | sew sewn | show shown | shrink shrank shrunk | sink sank sunk | slide slid | spell spelt |
    spill spilt | spin spun | spring sprang sprung | sting stung | sweep swept | swell swollen | swing swung |
    weave wove woven | weep wept | crisis crises | diagnosis diagnoses | half halves | loaf loaves | scarf scarves |
    thief thieves | center centre | centers centres | color colour | colors colours | favor favour |
    favorite favourite | favorites favourites | flavor flavour | flavors flavours | gray grey | harbor harbour |
    honor honour | humor humour | jewelry jewellery | labor labour | mom mum | neighbor neighbour |
    neighbors neighbours | neighborhood neighbourhood | pajamas pyjamas | program programme | theater theatre |
    theaters theatres | 2 two | 3 three | 4 four | 5 five | 6 six | 7 seven | 8 eight | 9 nine | 10 ten |
    11 eleven | 12 twelve | 20 twenty
"""


def _irregular() -> dict[str, str]:
    forms: dict[str, str] = {}
    for group in _FORMS.split("|"):
        first, *others = group.split()
        forms.update(dict.fromkeys(others, first))
    return forms


IRREGULAR = _irregular()

# Words that tell when something is, as terms: stems, and pairs of characters.
TIME_TERMS = frozenset(
    listed(
        """
        ago april august autumn decemb februari fri fridai januari juli june last mai march mon mondai
        month next novemb octob recent sat saturdai septemb sinc spring summer sun sundai thu thursdai
        todai tomorrow tonight tue tuesdai wed wednesdai week weekend winter year yesterdai 上周 下周 个月
        今天 今年 今晚 前天 去年 号 后天 周末 年 日 明天 明年 星期 昨天 昨晚 最近 月
        """
    )
).union(map(str, range(1950, 2050)))
