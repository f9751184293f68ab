"""English words with a part in the checks of claims, in one place; as texts of words, or as alternatives of a pattern."""

STOP_WORDS = (
    "a an the and or nor but of in on at to for from by with about into onto over under than as is am are was were be"
    " been being do does did done have has had having will would shall should can could may might must i me my mine"
    " myself we us our ours you your yours he him his she her hers it its they them their theirs this that these those"
    " there here who whom whose which what when where why how if then so too very just also only still even up down out"
    " off again once not no never don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't cannot couldn't"
    " shouldn't haven't hasn't hadn't i'm i'll i've i'd we're we'll we've we'd you're you'll you've he's she's it's they're"
    " they'll that's there's let's let please ok okay yes yeah well oh now both each per via around since until while"
    " because although though unless anymore any some s t ll ve re d m am pm dont cant wont im one ones"
)
"""Words that say nothing by themselves."""

REPORTING = (
    "user users assistant bot ai person people owner member someone somebody speaker he she they said say says saying"
    " told tell tells states stated mentions mentioned mention notes noted reports reported asks asked ask asking wants"
    " want wanted wishes plans plan planned planning decides decided decide decision agrees agreed agree chooses chose"
    " prefers requests requested request confirms confirmed suggests suggested proposes proposed thinks thought believes"
    " believed intends going according question wonders wondered currently now"
)
"""Words with which a summary tells who says something; they need not stand in what was said."""

CALENDAR = (
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april"
    " may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec"
)
"""Words with a capital that name no one."""

OPENERS = (
    "meeting dinner lunch breakfast budget deadline trip flight train booking appointment project question team family"
    " plan price cost total payment order delivery password address phone email version server office home work"
    " birthday party room hotel table ticket rent bill next new old both all most many some several each every no yes"
    " please thanks hello hi ok okay sure maybe perhaps let lets currently recently today tomorrow yesterday there here"
    " one two three first second last final pending open whether allergic interested based located due born married"
    " wi-fi wifi dear use book send call check make write add put take keep buy give show tell ask set remove remember"
    " note reminder reservation conference call launch release session lesson class course exam visit"
)
"""Verbs and nouns that often open a line of notes; with a capital there they name nobody."""

ANYBODY = "team group family couple tool page website company conversation"
"""Nouns by which a summary calls speakers that its evidence doesn't name."""

FORMS = (
    "go goes went gone going|buy bought|pay paid|meet met|take took taken|give gave given|get got gotten|make made|come came"
    "|see saw seen|leave left|live lives|eat ate eaten|drink drank drunk|drive drove driven|fly flew flown|send sent"
    "|speak spoke spoken|write wrote written|read reads|know knew known|begin began begun|sell sold|keep kept|lose lost"
    "|find found|bring brought|teach taught|think thought|choose chose chosen|sleep slept|spend spent|build built|run ran"
    "|break broke broken|forget forgot forgotten|hold held|hear heard|feel felt|mother mum mom|father dad|child children|grandmother grandma granny|grandfather grandpa grandad"
    "|person people|wife wives|knife knives|move moved|use used|owe owed owes|sit sat|win won|wear wore worn|grow grew grown"
    "|lead led|tell told|swim swam swum|sing sang sung|ring rang rung|ride rode ridden|rise rose risen|fall fell fallen"
    "|steal stole stolen|wake woke woken|draw drew drawn|throw threw thrown|blow blew blown|show showed shown|catch caught"
    "|fight fought|seek sought|stand stood|understand understood|swear swore sworn|tear tore torn|bear bore born|bite bit bitten"
    "|hide hid hidden|lend lent|bend bent|mean meant|dream dreamt|learn learnt|burn burnt|feed fed|light lit|shoot shot|shake shook"
    " shaken|stick stuck|strike struck|hang hung|dig dug|freeze froze frozen|lay laid|deal dealt|bind bound|wind wound"
    "|become became|overcome overcame|undergo underwent|withdraw withdrew|die dies died dying|tooth teeth|foot feet|man men|woman women"
    "|mouse mice"
)
"""A word, then its forms that no rule gives."""

NOT_PAST = (
    "goes going gone lives reads owes grandma granny grandpa grandad children people wives knives mum mom dad taken given gotten seen eaten drunk driven swum sung"
    " rung ridden risen fallen stolen woken drawn thrown blown shown sworn torn born bitten hidden shaken frozen dies dying teeth feet"
    " men women mice"
)
"""Of those forms the ones that tell of no past by themselves."""

KIN = (
    r"(?:brother|sister|mother|father|mum|mom|dad|wife|husband|son|daughter|friend|colleague|boss|neighbou?r|partner|girlfriend"
    r"|boyfriend|uncle|aunt|cousin|grandmother|grandfather|manager|flatmate|roommate|parents|kids|team|doctor|landlord)s?"
)
"""People whom others have: "my brother" is not me."""

STOP_PHRASES = (
    "ok|okay|yes|yeah|yep|no|nope|sure|fine|great|good|thanks|thank you|thx|perfect|sounds good|got it|i see|all right|alright"
    "|hello|good morning|good evening|of course|no problem|you're welcome|cool|nice|right|exactly|done|agreed|will do|go ahead"
    "|that is right|that's right|i agree|me too|good idea|very good|well done|please do|as usual|see you"
)
"""What is no evidence, for it says nothing by itself."""

# What clauses do with their words.

DENIALS = (
    r"\b(?:not|never|no|none|nobody|nothing|nowhere|neither|nor|without|cannot|\w+n't|dont|doesnt|didnt|cant|wont|isnt|hardly|barely"
    r"|unable|unless|skip(?:s|ped)?|prohibit\w*|bann?(?:ed|s)?|refus\w+|declin\w+|reject\w+|dislik\w+|hat(?:e|es|ed)|avoid\w*|stop(?:s|ped)?|quit|quits|fail(?:s|ed)?|lack(?:s|ed)?"
    r"|cancel\w*|against|impossible|no longer|instead of|rather than|forb\w+d\w*|drop(?:s|ped)?|forg[eo]t(?:s|ten)? to"
    r"|turn(?:s|ed|ing)? down|almost|nearly|undecided|except)\b"
)
NOT_DENIALS = (
    r"\bnot only\b|\bnot just\b|\bdon'?t (?:forget|worry|hesitate|mind)\b|\bcan'?t wait\b|\bno (?:problem|worries|doubt|wonder)\b"
    r"|\bwhy (?:don'?t|not)\b|\bnot (?:bad|least)\b|\bnever mind\b|\bno (?:later|more|less|fewer) than\b"
    r"|\b(?:isn't|aren't|doesn't|don't|won't)\s(?:it|they|he|she|you|we)\s?\?|(?:almost|nearly) (?:all|every|always)"
)
ENDED = (
    r"\b(?:(?P<subject>(?:closed|shut)(?: down)? (?:for good|permanently|forever|its doors)|lapsed?|ended|expired|died|dead|passed away|folded|ran out|went (?:bankrupt|bust|under)|(?:is|was|are|were|has|have) (?:closed|over|shut)"
    r"|(?:did|do|does)(?:n't| not) survive)"
    r"|(?P<object>sold|wound (?:up|down)|handed in \w+ notice (?:at|as)|shut(?: down)?|closed(?: down)?|g[ai]ven? (?:up|away)|retired (?:from|as)|resigned (?:from|as)|stepped (?:down|back) (?:from|as)"
    r"|left (?=(?:\w+ ){0,3}(?:job|company|firm|team|band|club|army|navy|police|party|church|school|university|choir|committee|board|group|union|service)\b)"
    r"|broke (?:up|off)(?: with)?|split up with|got rid of|threw (?:away|out)|moved out of|dropped out of|scrapped|dissolved|discontinued"
    r"|disbanded|unsubscribed from))\b"
)
"""What was so is so no more: of a `subject` before the verb, or of the `object` behind it."""
NOT_YET = r"\b(?:will|shall|to|would|might|may|could)\s(?:\w+\s){0,2}$"
END_STOPS = r"\b(?:and|or|for|to|with|then|after|before|in|on|at|last|this|because)\b|[,;]"
ASKED_WITHIN = r"(?=\b(?:whether|where|what|how|why)\b)"
"""What is asked within a sentence is not denied with it: "I don't know where the key is"."""
DENIES_WHAT_FOLLOWS = "not|no|against|instead of|rather than|except"
CORRECTION = r"but (?:rather )?(?:on|at|in|to|for|by|from|with|the|an?|\d|(?-i:[A-Z]))\b"
"""After a denial: it denied what "but" puts something else in the place of, not the rest of the clause."""
AUXILIARY = (
    r"(?:\b(?:is|are|was|were|am|be|been|do|does|did|will|would|can|could|should|shall|have|has|had|may|might|must|it's|i'm|we're"
    r"|they're|he's|she's|that's|you're|i've|we've)|'(?:s|m|re|ve|ll|d))\s+(?:\w+ly\s+|still\s+|really\s+)?$"
)
DOUBTS = (
    r"\b(?:might|maybe|perhaps|possibly|probably|presumably|likely|unlikely|not sure|unsure|uncertain|not certain|undecided"
    r"|consider(?:s|ing|ed)?|thinking (?:of|about)|thinks? about|in case|supposedly|apparently|tentative\w*|rumou?r\w*|wondering"
    r"|would(?! (?:you|prefer|rather)\b)|'d (?:like|love)|wish(?:es)?|(?<!no )doubt(?:s|ed|ful)?|thinks|thought|believes|suspects?|reckons?"
    r"|suggests|recommends|possible|guess(?:es)?|seem(?:s|ed)?|(?:look|sound|smell)(?:s|ed)? like|if|unless|whether|hop(?:es?|ing)|suppos(?:es?|ing)|imagine|assum(?:e|ing)"
    r"|could(?! (?:you|i|we)\b))\b|(?<!\d )(?<!in )(?<!of )\b(?-i:may)\b(?!\s\d| i\b)"
)
WISHES = (
    r"\b(?:want(?:s|ed)? to|wanna|(?:would|i'd|we'd|he'd|she'd|they'd) (?:love|like) to|dream(?:s|ing)? of|wish(?:es|ed)?"
    r"|hop(?:e|es|ed|ing))\b"
)
PLANS = r"\b(?:plan\w*|inten[dt]\w*|prefer\w*|like to|love to|aim\w*|decid\w*|look\w* forward|going to)\b"
CONDITION = (
    r"(?<!know )(?<!see )(?<!ask )(?<!check )(?<!wonder )(?<!me )(?<!sure )(?<!as )(?<!even )\bif\b(?! (?:possible|needed|necessary"
    r"|not|you)\b)|\bunless\b|\bin case of\b|\bonce (?!an?\b|per\b|every\b|more\b|again\b|or\b|upon\b|in\b)(?=\w+ \w+)"
    r"|\bas long as\b|\bprovid(?:ed|ing)(?: that)?\b(?! by\b)|\bat this rate\b"
)
ON_CONDITION = r"\b(?:in|with|after|when|during|under|given|upon|as soon as|depending on|subject to)\b"
"""With these a claim may tell of a condition in other words."""
ASKING = (
    r"\b(?:ask\w*|want\w*|request\w*|wonder\w*|would like|suggest\w*|propos\w*|question\w*|whether|need\w*|looking for|inquir\w*"
    r"|enquir\w*|check\w*|unclear|unknown|(?:still|left|remains?) open|open (?:question|point|issue))\b"
)
TAG = r",\s*(?:right|ok|okay|correct|yes|no|isn't it|don't you think)\?\s*$"
PAST = (
    r"\b(?:from|used to|formerly|previously|no longer|anymore|any more|in the past|years ago|back then|was|were|had|lived|worked"
    r"|owned|did|ex|former|(?:has|have|'ve) (?:had|been))\b"
)
ONCE = (
    r"\bused to(?= [a-z])(?!\s*(?:it|the|this|that)\b)|\bformerly\b|\bin the past\b"
    r"|(?<!just )\bhad (?:an?|no|some|two|three|four|five|my|our|\d+)\b(?! \w+ (?:on|at|for)\b| (?:baby|boy|girl|child)\b)"
)
"""Not so any more: "had a cat" too, where a claim says "has"."""
LEFT_BEHIND = (
    r"\b(?:mov\w+|chang\w+|switch\w+|postpon\w+|rescheduled|went|rais\w+|increas\w+|dropped|shift\w+)\b[^,;]*?\bfrom\b"
    r"(?P<en>[^,;]{1,40}?)\bto\b"
)
"""Between "from" and "to" stands what was before the change: "moved from the 5th to the 9th"."""
AHEAD = r"(?:\b(?:will|shall|should|(?<!used )to|can|could|may|might|must|let's|gonna)|'(?:ll|d))(?:\s+(?:not|also|just|\w+ly))?(?:\s+(?:be|get|have been))?\s+$"
IS = r"(?:\b(?:is|are|am)|'s|'re|'m)\s+(?:\w+ly\s|an?\s|the\s|(?:on|in|at|with|under|off)\s)?$"
WAS = r"\b(?:was|were)\s+(?:\w+ly\s|an?\s|the\s|(?:on|in|at|with|under|off)\s)?$"
TO_BE = r"\b(?:be|is|are|being|get|gets)\s+(?:\w+ly\s+)?$"

TO_COME = r"\b(?:will|shall|gonna|going to (?!the\b|my\b|an?\b|bed\b|work\b|school\b)(?=[a-z]))\b|'ll\b"
"""What follows is to come, be it a verb or what it is about."""
PERFECT = r"\b(?:has|have|had) (?:\w+ly )?(?:had|been|got|made|done|gone|\w+ed)\b"

SETTLED = r"\b(?:is|was|has been|have been) (?:set|scheduled|moved|booked|fixed) (?:for|to|on)\b"
SUGGESTIONS = r"\b(?:could|(?:how|what) about|why (?:not|don't)|(?:shall|should) we)\b"
DECISIONS = r"\b(?:decid\w+|agree\w*|settled|chose|let's|will|go(?:ing)? (?:with|for))\b"

# Who speaks, of whom.

FIRST_PERSON = r"\b(?:i|we|i'm|i'll|i've|i'd|we're|we'll|we've|we'd|me|my|let's|lets|us|our)\b"
I_OR_ME = r"\b(?:i|we|me|us|i'm|i'll|i've|i'd|we're|we'll|we've|we'd)\b"
PRONOUNS = r"\b(?:he|she|they|him|her|his|their|them)\b"
USER = r"(?:users?|owner|member|person|speaker)\b"
ASSISTANT = r"(?:assistant|bot|ai|mneme)\b"
LEAD = (
    r"^\s*(?:on [^,]{3,30},\s*|according to\s+|(?:perhaps|maybe|probably|possibly|currently|so far|apparently|only|both|yesterday"
    r"|tomorrow|today)\s+|as of [^,]{3,30},\s*|\W+)?(?:the\s+)?"
)
"""What may stand before the one whom a claim is about."""
SAID_ON = r"(?:as of|(?:said|decided|asked|stated|mentioned|reported|noted|agreed|told) on|\(|\[)\s*$"
FRAMES = (
    r"\b(?:i|we) (?:also |just |really )?(?:think|hope|know|heard|guess|believe|met|saw|told|learned|understand|suppose|expect"
    r"|remember|said|mean|bet|assume)\b"
)
"""With these words somebody tells of another, not of themselves."""
VERB_AFTER_NAME = r"\s(?:is|was|has|had|will|would|can|said|told|came|went|made|took|got|sent|paid|bought|met|wrote|brought|left|[a-z]+s|[a-z]+ed)\b"
VERB_AFTER = (
    r"\s(?:is|was|are|were|has|had|have|will|would|can|could|may|might|must|should|does|did|do|also|and|or|never|always"
    r"|not|no|wants?|[a-z]{2,}(?:s|ed))\b|'s\b"
)
GREETING = r"(?:hi|hey|hello|dear|ok|thanks)"
MUTUAL = "meet marry date join know"
"""What is done to each other: who meets whom makes no difference."""
ORDERED = "to over than before after above below"
"""Between two words these make their order matter."""
CALLED = r"\b(?P<who>[a-z]+)(?:'s name is|'s name's| is called| is named|,? called|,? named) (?P<name>(?-i:[A-Z])\w+)"

OPPOSITES = (
    "like likes liked love loves enjoy enjoys|hate hates hated dislike dislikes",
    "accept accepts accepted approve approves approved|refuse refused reject rejected decline declined",
    "buy buys bought buying purchase|sell sells sold selling",
    "increase increased raise raised rises|decrease decreased reduce reduced lower lowered falls",
    "often frequently always usually|rarely seldom never",
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
    "daily a.day per.day each.day every.day|weekly a.week per.week each.week every.week|monthly a.month per.month each.month every.month|yearly annual annually a.year per.year each.year every.year",
)
"""Groups of words that exclude each other."""

RELATIVES = (
    "mother mothers mum mom|father fathers dad|brother brothers|sister sisters|son sons boy|daughter daughters girl"
    "|husband husbands|wife wives|uncle uncles|aunt aunts|grandmother grandma|grandfather grandpa"
)
"""No claim brings one in: "hikes with her husband" is more than "I like hiking"."""

# Relatives of relatives.

SAME_KIN = (
    "mother mum mom mummy",
    "father dad daddy",
    "husband boyfriend fiance",
    "wife girlfriend fiancee",
    "son boy",
    "daughter girl",
)
KIN_ALONE = "mother|mum|mom|mummy|father|dad|daddy|husband|boyfriend|wife|girlfriend|partner|son|boy|daughter|girl|brother|sister|uncle|aunt"
CONTINUES = r"^[,\s]*(?:and )?(?:(?:he|she|it|they)(?:'s| is| was|'re| are)? )?(?:called|named)\b"
"""Opens a clause that names whom the clause before it told of."""
KIN_OF_KIN = (
    "husband wife partner|sister|sister-in-law",
    "husband wife partner|brother|brother-in-law",
    "husband wife partner|mother|mother-in-law",
    "husband wife partner|father|father-in-law",
    "husband wife partner|daughter|stepdaughter",
    "husband wife partner|son|stepson",
    "brother sister|daughter|niece",
    "brother sister|son|nephew",
    "brother sister|wife|sister-in-law",
    "brother sister|husband|brother-in-law",
    "son daughter|son|grandson grandchild",
    "son daughter|daughter|granddaughter grandchild",
    "son daughter|wife|daughter-in-law",
    "son daughter|husband|son-in-law",
    "mother father|mother|grandmother grandma",
    "mother father|father|grandfather grandpa",
    "mother father|brother|uncle",
    "mother father|sister|aunt",
    "uncle aunt|son daughter|cousin",
)
"""Whose | who of theirs | is called what."""

# What is first and what second.

ORDERS = (
    ("time", r"\bfirst,?\s(?P<first>.+?)(?:,| and)? (?:and )?then (?P<second>.+)"),
    ("time", r"^\W*before (?P<second>[^,]+), (?P<first>.+)"),
    ("time", r"^\W*after (?P<first>[^,]+), (?P<second>.+)"),
    ("time", r"(?P<first>.+?)\bbefore\b(?P<second>.+)"),
    ("time", r"(?P<second>.+?)\bafter\b(?P<first>.+)"),
    ("time", r"(?P<first>.+?)\b(?:then|afterwards)\b(?P<second>.+)"),
    ("cause", r"^\W*(?:because|since) (?P<first>[^,]+), (?P<second>.+)"),
    ("cause", r"(?P<second>.+?)\b(?:because|due to|owing to|thanks to)\b(?P<first>.+)"),
    (
        "cause",
        r"(?P<first>.+?)(?:,? so|\btherefore|\bthat's why|\bwhich is why|\bcaus(?:es?|ed)|\bled to|\bresulted in)\b(?P<second>.+)",
    ),
    (
        "than",
        r"(?P<first>.+?)\b(?P<by>\w{2,}er|worse|(?:more|less|fewer) \w+)\b[^,;]*?\bthan\b(?P<second>.+)",
    ),
)
"""How a sentence puts one thing `first` and another `second`; `by` what, where that is part of the order."""
IS_PASSIVE = r"\bby\b|\b(?:is|are|was|were|been|being|got)\s(?:\w+ly\s)?\w+(?:ed|en)\b"

# Answers.

YES = (
    r"yes|yeah|yep|yup|correct|exactly|indeed|that's right|of course|(?:it|he|she|they|i|we|that|there)"
    r" (?:is|are|was|were|does|do|did|has|have|am|will|can)(?!n't| not|n't)"
)
OPEN_QUESTION = r"\b(?:or|what|who|whom|whose|which|where|when|why|how)\b"
"""No yes answers these."""
