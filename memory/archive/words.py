"""Words that the search treats in a way of their own: those without content and those with irregular forms."""

import re

STOP_WORDS = frozenset(
    """
    a about above again all also am an and any are aren't as at be because been before being below between both but
    by can can't cannot could couldn't did didn't do does doesn't doing don't dont down during each few for from
    further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his
    how how's i i'd i'll i'm im i've if in into is isn't it it's its itself just let's like may me might more most must
    my myself no nor not now of off on once one only or other our ours ourselves out over own please same shall she
    she'd she'll she's should shouldn't so some such than that that's thats the their theirs them themselves then there
    there's these they they'd they'll they're they've this those through to too under until up upon us very was wasn't
    we we'd we'll we're we've were weren't what what's whats when when's where where's which while who who's whom whose
    why why's will with won't would wouldn't you you'd you'll you're you've your yours yourself yourselves
    d ll m re s t ve
    hello hey hi hiya thanks thank thx ok okay yes yeah yep nope sure bye goodbye well oh ah wow lol haha hmm um tell
    remember recall know mention mentioned said say says
    """.split()
)

# Function words, question words and courtesies of Chinese, longest first: they part a run of characters.
STOP_PHRASES = re.compile(
    "|".join(
        sorted(
            """
            什么 怎么样 怎么 怎样 如何 为什么 为何 哪里 哪儿 哪个 哪些 哪天 哪一天 多少 几个 是否 是不是 有没有 能不能
            可以 请问 请 告诉 记得 曾经 曾 之前 以前 上次 我们 你们 他们 她们 它们 咱们 自己 这个 那个 这些 那些 这里 那里
            一下 一个 一些 的话 以及 或者 因为 所以 但是 不过 然后 还是 已经 关于 时候 提到 提到过 说过 谢谢 你好 您好 好的
            不客气 再见 没关系 嗯嗯 哈哈 好吧 是的 对了 吗 呢 吧 啊 呀 哦 嗯 的 了 是
            """.split(),
            key=len,
            reverse=True,
        )
    )
)

STOP_CHARACTERS = frozenset(
    "我你您他她它们的了吗呢吧啊呀哦是在有和与跟及就都也很还到过给这那哪些什么个一为对会要想说把被让从向于而且但或"
)

_FORMS = """
    be was were been | become became | begin began begun | bite bit bitten | blow blew blown |
    break broke broken | bring brought | build built | buy bought | catch caught | choose chose chosen |
    come came | deal dealt | dig dug | do did done | draw drew drawn | drink drank drunk |
    drive drove driven | eat ate eaten | fall fell fallen | feed fed | feel felt | fight fought | find found |
    fly flew flown | forget forgot forgotten | forgive forgave forgiven | freeze froze frozen |
    get got gotten | give gave given | go went gone | grow grew grown | hang hung | have had | hear heard |
    hide hid hidden | hold held | keep kept | know knew known | lead led | leave left | lend lent |
    lose lost | make made | mean meant | meet met | pay paid | ride rode ridden | ring rang rung |
    rise rose risen | run ran | say said | see saw seen | seek sought | sell sold | send sent |
    shake shook shaken | shine shone | shoot shot | sing sang sung | sit sat | sleep slept |
    speak spoke spoken | spend spent | stand stood | steal stole stolen | stick stuck | strike struck |
    swear swore sworn | swim swam swum | take took taken | teach taught | tear tore torn | tell told |
    think thought | throw threw thrown | understand understood | wake woke woken | wear wore worn | win won |
    write wrote written | child children | foot feet | goose geese | knife knives | leaf leaves | life lives |
    man men | mouse mice | person people | shelf shelves | tooth teeth | wife wives | wolf wolves |
    woman women | good better best | bad worse worst | far further
"""


def _irregular() -> dict[str, str]:
    forms: dict[str, str] = {}
    for group in _FORMS.split("|"):
        first, *others = group.split()
        forms.update(dict.fromkeys(others, first))
    return forms


IRREGULAR = _irregular()
