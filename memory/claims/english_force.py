"""English words that make what is said stronger or weaker than its plain words, or give the reason of it; as patterns."""

# What was meant as less than it says.

LAUGHS = r"(?:\b(?:ha(?:ha)+h?|lol|lmao|rofl|i swear)\b|[\U0001f602\U0001f923\U0001f606\U0001f605])"
EXAGGERATES = (
    r"\b(?:just )?kidding\b|\bjk\b|\ba (?:million|billion|zillion|gazillion|thousand) times\b"
    r"|(?=.*"
    + LAUGHS
    + r").*\b(?:than an?|as \w+ as|like an?|millions?|billions?|thousands?|to death|forever|literally|explod\w*|starv\w*"
    r"|(?:die|died|dying|kill\w*|dead)|the (?:whole )?world|\w+ years old)\b"
)
JESTS = r"\b(?:jok\w+|exaggerat\w+|jest\w*|kidding|hyperbol\w*|many times|repeatedly|often|very)\b"
DREAMS = r"\b(?:dream\w*|wish(?:es|ed)?|would love to|'d love to|if only|someday|fantasi\w+|bucket list)\b"
INTENDS = r"\b(?:plans?|planned|planning|inten[dt]\w*|going to|will|decid\w*|about to)\b"
TRIES = (
    r"\b(?:appl(?:y|ied|ies|ying) (?:for|to)|tr(?:y|ied|ies|ying) to|attempt\w*|(?:am|are|is|was|were|been|'m|'re) trying|bid (?:for|on)"
    r"|request(?:s|ed|ing)?|ask(?:s|ed|ing)? for|look(?:s|ed|ing)? for|audition\w* for|search(?:es|ed|ing)? for)\b"
)
REACHED = r"\b(?:manag\w+|succe\w+|got|get|worked|granted|approved|passed|finally|found|received|won)\b"

# What strengthens, and what an evidence without that very word may have instead.

ALWAYS = r"\b(?:always|invariably|constantly|without exception|every (?:single )?time|never)\b"
LIKE_ALWAYS = r"\b(?:all|every\w*|each|whenever|continu\w+|forever|usual\w*|no|not|nothing|none|\w+n't|nobody|rule|ever)\b|\d/7"
EACH_DAY = r"\b(?:every ?(?:single )?(?:day|morning|evening|night|week)|daily|weekly|nightly)\b"
LIKE_EACH_DAY = r"\b(?:each|always|a (?:day|week|night)|per|all|usual\w*|regular\w*|times|twice|once|habit|(?:day|morning|evening|night|weekend|week)s)\b"
ALL = (
    r"(?<!at )(?<!after )(?<!above )(?<!first of )\ball\b(?! right| day| night| week| year| year| over| about| along| set)"
    r"|\b(?:each|every)\b(?! (?:other|time|so often|\w*day|\w*morning|\w*evening|\w*night|week\w*|month|year|\w+ (?:days|weeks|months|years|hours)"
    r"|second|third|fourth|other|few|hour|minute|spring|summer|autumn|winter|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|quarter|semester))|\b(?:everyone|everybody|everything|everywhere|entire\w*|complete(?:ly)?|fully)\b"
)
LIKE_ALL = (
    r"\b(?:both|no|none|nobody|nothing|no one|any\w*|never|always|whole|total\w*|throughout|full|per|apiece|a piece|finished|complete\w*|rest"
    r"|not a single|without exception)\b"
)
ONLY = r"\b(?:only|solely|exclusively|nothing but|no one but|nobody but)\b"
LIKE_ONLY = r"\b(?:just|no|not|nothing|none|\w+n't|but|except|alone|sole|single|merely|one|never|limited|until|unless|as long as|if|at (?:least|most))\b"
MOST = (
    r"\b(?:best|worst|(?<!at )most (?!of|likely|people|recent|days|mornings|evenings|nights|weekends|important thing)\w+|(?<!at )least \w+"
    r"|(?:(?:strong|fast|quick|bigg|small|tall|short|long|old|young|new|cheap|rich|poor|hard|easi|strict|deep|high|low|great|near|nic|fin"
    r"|kind|loud|quiet|bright|dark|warm|cold|cool|hott|earli|lat|safe|smart|clever|happi|busi|heavi|light|wid|narrow|pretti|funni|tough|weak)e|large|close)st)\b"
)
LIKE_MOST = (
    r"\b(?:most|least|favou?rites?|top|record|number one|no\.? ?1|first|prefers?|than any\w*|than all|nothing (?:is )?\w+er|no(?:body| one)?\b.*\bthan"
    r"|\w+est|leading|champion|last|unbeat\w+)\b"
)
EXACTLY = r"\b(?:exactly|precisely)\b"
LIKE_EXACTLY = r"\b(?:exact|precise|sharp|on the dot|to the (?:minute|day|cent|penny)|just|same)\b"
CAUSE = r"\b(?:because|due to|owing to|thanks to|as a result|therefore|caus(?:e|es|ed|ing)|led to|leads to|result(?:s|ed)? in|blames?)\b"
LIKE_CAUSE = (
    r"\b(?:so|since|reason|why|from|made|makes?|making|fault|gives?|gave|trigger(?:s|ed)?|hence|consequently|on account of|means?|meant"
    r"|thus)\b|(?:^|[,;.]\s)as\b"
)

# What explains without a word for it.

HELD_BACK = (
    r"\b(?:(?:can't|cannot|can not|could ?n[o']t|unable to|not able to) (?:do|make|come|go|join|attend|meet|start|leave|stay|move|be|help|work|drive"
    r"|travel|play|take|eat|drink|bring|pay|keep|use)|won't|have to|need to|not (?:free|available)|(?:am|are|'m|'re) (?:out|off|late|busy))\b"
)
"""Who can't or won't take part, or has to do otherwise: what a bare statement of theirs beside it gives the reason of."""
WENT_WRONG = r"\b(?:broke|broken|crash\w*|fail\w*|leak\w*|burnt?|cracked|stopped|died|tore|torn|jammed|froze|flooded|corrupted|lost|wrong|too \w+)\b"
ANSWERS = r"^[,;:\s-]*(?:i|we)\b(?:'ve|\s+have)?\s+(?:just\s+)?(?:\w+ed|took|sent|brought|got|threw|put|went)\b.*\b(?:it|them|(?:that|this) (?:one|back))\b"
"""What was done about what went wrong, which it calls "it"."""
OWN = r"\b(?:i|i'm|i've|i'll|we|we're|we've|my|our|me|us)\b"
JOINED = r"^[,;:\s-]*(?:and|but|or|then|which|who|when|while|if|unless|although|though|also|plus|anyway|instead|\w+ing)\b"
NO_REASON = r"\b(?:why|reason|no idea|unrelated|by the way|coincidence\w*|not because|separately)\b"
UNKNOWN_CAUSE = r"\b(?:no idea|not sure|unclear|unknown|n[o']t know|nobody knows)\b[^,;.]{0,12}\b(?:why|reason|cause[ds]?|from)\b"

# What takes back what was said before.

INSTEAD = r"(?<!can't )(?<!not )(?<!n't )\b(?:make (?:that|it)|i meant?|i should have said|correction|scratch that)\b"
TAKES_BACK = (
    r"\b(?:actually|hang on|hold on|now|no,? wait|wait|sorry|oops|wrong|mistake\w*|mixed up|misread|misremember\w*|typo|turns out|instead|(?:been |was |is |got )?(?:changed"
    r"|moved|switched|pushed|delayed|postponed|rescheduled|brought forward))\b"
)
