"""The English rules of the value gate, as in `gate_chinese`, on lower-case sentences."""

import re

from memory.models import Kind

_I = r"\b(?:i|we)\b"
_ADV = (
    r"(?: (?:just|recently|finally|also|even|already|actually|really|absolutely|totally|still|"
    r"usually|often|sometimes|never|always|only|once|definitely|mostly|mainly|currently|now|then|"
    r"both|all|do|did|kinda|so|simply|personally|sort of|kind of|first|last (?:week|month|year|"
    r"night|summer|weekend)|yesterday|today)){0,3} "
)
_DROPPED = {
    "question": r"^(?:what|who|whom|whose|when|where|why|how|which|do|does|did|is|are|was|were|"
    r"can|could|will|would|should|have|has|any|got any|ever|wanna|you|shall|"
    r"may)\b(?=.*\?$)|\?$",
    "request": r"^(?:please|pls|kindly|can you|could you|would you|will you|help me|give me|show "
    r"me|tell me|let me know|write|explain|translate|summari[sz]e|list|find|search|"
    r"recommend|suggest|generate|create|draft|compare|check out|take a look|look "
    r"at)\b(?! (?:always|never|remember|note|use|keep|avoid|don't|do not))",
    "courtesy": r"^(?:hi|hello|hey|bye|goodbye|good (?:morning|night|evening|afternoon|luck)|"
    r"thanks|thank you|thx|welcome|congrats|congratulations|cheers|see you|take care|"
    r"sorry|no problem|no worries|you're welcome|best of luck|have (?:fun|a (?:great|"
    r"good|nice|blast|wonderful|lovely))|happy (?:birthday|new year|to help)|glad|"
    r"keep (?:it up|up|going|at it|doing|me posted)|sounds|way to go|well done|good "
    r"(?:job|to (?:hear|know|see))|nice to meet)\b",
    "reaction": r"^(?:wow|whoa|woah|oh|aww?|yay|haha|lol|ok|okay|sure|yeah|yep|yes|no|nope|cool|"
    r"nice|great|awesome|amazing|right|exactly|definitely|absolutely|totally|for sure|"
    r"agreed|of course|true|indeed|got it|understood|makes sense|i see|i know|i "
    r"understand|i agree|i hear you|i bet|i get it|i guess so|that(?:'s| is| was| "
    r"sounds| must| looks| would)|it(?:'s| is| sounds| looks| must| seems)|this (?:is|"
    r"looks|sounds)|what an?|such an?|those (?:are|look)|these (?:are|look)|"
    r"they're)\b(?!.*\b(?:my|our|i|we|i'm|i've|i'll|we're)\b)",
    "good_wish": r"\b(?:i|we)(?:'m| am|'re| are)? (?:(?:so|really|just|very|truly) )*(?:hope|wish|"
    r"bet|glad|happy for|proud of you|sure you|here for you|appreciate|admire|"
    r"respect|thankful for (?:you|your)|grateful for (?:you|your)|sorry (?:to hear|"
    r"for|about)|excited for you|rooting|stoked for you|pumped to see how your|can't "
    r"wait to (?:see|hear) (?:how|what|your|it)|wonder|know (?:you|how|what)|believe "
    r"in you|(?:love|like) (?:that|it|this|how|your|to hear|hearing|what)|would love "
    r"to (?:hear|see|know)|look forward to (?:hear|see)ing)\b",
    "about_you": r"^(?:and |but |so |yeah |yup )?(?:you|your|you're|you've|you'll)\b|\byou(?:'ve| "
    r"have)? got this\b|means a lot|thanks (?:for|so)|thank you",
}
_KEPT = (
    (
        "asked_to_remember",
        Kind.FACT,
        0.95,
        r"\b(?:remember|note|keep in mind|don't forget|make a note)\b(?: down)?(?: that|:|,| my| "
        r"the| our| i\b| to)",
    ),
    (
        "correction",
        Kind.FACT,
        0.8,
        r"^(?:no|nope|actually|wait|correction|sorry)\b.*\b(?:is|it's|not|should|meant|instead)\b|"
        r"\bnot [\w$.,]+(?: [\w$.,]+)?, (?:but|it's)\b|\b(?:changed?|moved|updated|switched|"
        r"postponed|rescheduled|pushed|corrected|raised|lowered|bumped|cut)\b.* to\b|\binstead "
        r"of\b|\bi meant\b|\bis now\b|\bno longer\b",
    ),
    (
        "name",
        Kind.IDENTITY,
        0.9,
        r"\bmy (?:full |last |first |nick)?name(?:'s| is)\b|\bcall me [a-z]|\bi(?:'m| am) "
        r"(?:called|named)\b|\bi go by\b",
    ),
    (
        "cannot_take",
        Kind.PREFERENCE,
        0.9,
        r"\ballerg(?:ic|y|ies)\b|\bintolerant\b|\bi(?:'m| am)(?: an?)? (?:vegan|vegetarian|"
        r"pescatarian)\b|"
        + _I
        + r" (?:don't|do not|can't|cannot|never|won't) (?:eat|drink|smoke|stand)\b",
    ),
    (
        "likes",
        Kind.PREFERENCE,
        0.85,
        _I
        + _ADV.replace("{0,3} ", "{0,3} ")
        + r"(?:love|like|enjoy|prefer|hate|dislike|adore|favor|can't stand|don't like|don't enjoy|"
        r"loved|enjoyed)\b(?! (?:that|it|this|how|your|you|to hear|hearing|what)\b)|"
        r"\bfavou?rites?\b|\bmy go-to\b|\b(?:i'm|i am|we're)(?: a| such a| really| a huge| a "
        r"big| also| so)* (?:fan of|into|fond of|obsessed|passionate|crazy about|keen on|"
        r"interested in|hooked on)\b|\bmy (?:hobby|hobbies|passion|dream|goal|guilty pleasure|"
        r"comfort food|preference)\b|\bwould rather\b",
    ),
    (
        "about_me",
        Kind.IDENTITY,
        0.85,
        r"\bi(?:'m| am) (?:from|an? (?!bit|little|lot|huge|big|fan)|the|in (?:my|the)|on the|\d+|"
        r"originally|based|married|single|divorced|engaged|pregnant|retired|working (?:at|as|for)|"
        r"left-handed|colou?rblind|lactose|diabetic|a member)\b|\bi (?:live|work|study|grew up|"
        r"was born|come|moved|teach|own|speak|graduated|major|run a|drive a)\b|\bmy (?:birthday|"
        r"age|job|work|company|phone|email|address|major|degree|career|business|biz|shop|store|"
        r"studio|blog|channel|startup|hometown|family|wife|husband|partner|girlfriend|boyfriend|"
        r"fianc[eé]e?|son|daughter|kids?|child(?:ren)?|baby|mom|mum|dad|mother|father|parents?|"
        r"grand\w+|sister|brother|siblings?|aunt|uncle|cousin|niece|nephew|dogs?|cats?|pets?|"
        r"pup\w*|snakes?|turtles?|roommate|boss|manager|team|band|doctor|car|house|apartment|home|"
        r"garden|school|class(?:es)?|book|novel|script|screenplay|game|project|painting|hobby|"
        r"health|knee|back|ankle|old \w+|new \w+|own \w+|first \w+|second \w+|last \w+)\b",
    ),
    (
        "rule",
        Kind.RULE,
        0.8,
        r"^(?:please )?(?:always|never|make sure|be sure|avoid|don't ever|do not ever|use|keep|"
        r"stop|only)\b|\bfrom now on\b|\b(?:must|have to|has to|need to be|needs to be|should "
        r"always|should never|not allowed|at most|at least|no more than|up to|limit(?:ed)? (?:is|"
        r"to)|required to|policy is|the rule)\b(?!.*\byou\b)",
    ),
    (
        "finished",
        Kind.TASK_STATE,
        0.75,
        r"\b(?:is|are|was|were|has been|have been|been|got|now|i|we|just|"
        r"already)\b.{0,20}\b(?:done|finished|completed|deployed|released|shipped|merged|fixed|"
        r"resolved|submitted|approved|signed|launched|published|migrated|set up|blocked|failing|"
        r"failed|live|in progress|ready|wrapped up|closed|delivered|cancelled|canceled|delayed|"
        r"stuck)\b|^(?:done|finished|completed|deployed|fixed|merged|shipped|submitted|released|"
        r"launched|published|migrated|signed)\b.{3,}",
    ),
    (
        "plan",
        Kind.EVENT,
        0.75,
        _I[:-2]
        + r"(?:'m| am|'re| are)?\b"
        + r"(?: \w+){0,2} (?:going to|gonna|planning|plan to|plan on|thinking (?:of|about)|hoping "
        r"to|about to|looking (?:into|for|forward to my)|off to|signing up|preparing|getting "
        r"(?:ready|married)|heading|aiming|want to (?:be|become|make|start|build|learn|open|"
        r"create|help|use|go|try|visit|get|travel|write|run)|need to|decided|applied|intend|"
        r"scheduled|booked|signed up)\b|\b(?:i'll|we'll|i will|we will)\b.*\b(?:tomorrow|"
        r"tonight|next|soon|this (?:week|month|weekend|summer|year)|on (?:mon|tues|wednes|thurs|"
        r"fri|satur|sun)day|in (?:january|february|march|april|may|june|july|august|september|"
        r"october|november|december|a (?:week|month|few))|send|start|take|try|work|keep working|"
        r"handle|add|write|build|fix)\b",
    ),
    (
        "lately",
        Kind.FACT,
        0.65,
        r"\b(?:i'm|i am|we're|we are|i've been|we've been|i have been|been)\b(?: \w+){0,2} "
        r"(?:working|studying|learning|training|taking|trying|writing|reading|playing|"
        r"practi[sc]ing|building|starting|doing|teaching|volunteering|watching|running|living|"
        r"livin'?|struggling|dealing|going through|using|saving|making|creating|focusing|hosting|"
        r"organi[sz]ing|taking care|staying|wanting|experimenting|exploring|developing|growing|"
        r"considering|researching|facing|feeling (?:down|stressed|anxious|burned))\b",
    ),
    (
        "event",
        Kind.EVENT,
        0.65,
        r"\b(?:i|we)\b"
        + _ADV
        + r"?(?:went|got|bought|made|took|had|saw|met|won|lost|found|started|began|came|left|gave|"
        r"wrote|ran|ate|drove|flew|built|sold|broke|fell|spent|taught|quit|joined|visited|moved|"
        r"adopted|finished|attended|hosted|watched|played|tried|cooked|baked|painted|created|"
        r"snapped|organi[sz]ed|volunteered|applied|passed|learned|learnt|traveled|travelled|"
        r"hiked|camped|threw|put together|set up|received|ordered|picked up|signed|graduated|"
        r"launched|opened|published|performed|competed|fixed|rescued|planted|lived|worked|"
        r"studied|grew|became|chose|hurt|injured|called|asked for|marinated|grilled|booked|"
        r"celebrated|decided|used|tested|installed|upgraded|switched|hired|changed|explored|"
        r"discovered|forgot|missed|sat|remember)\b(?! (?:it|that|this)$)|\b(?:i've|we've|i have|"
        r"we have|i had|we had)\b(?: \w+){0,2} (?:been|got|had|never|always|done|gone|made|"
        r"taken|started|lost|won|a|an|two|three|four|five|\d+|some|this|my|our|lots|many|"
        r"tickets|plans)\b|\bi was (?:playing|at|in|on|diagnosed|born|working|driving|walking|"
        r"so|a|an|the|able|invited|offered|promoted|fired|laid off|hired)\b|^(?:just |finally |"
        r"recently )?(?:got|bought|went|started|finished|joined|won|visited|moved|adopted|made|"
        r"met|lost|losing|being)\b.{8,}",
    ),
    (
        "habit",
        Kind.PREFERENCE,
        0.7,
        r"\b(?:every (?:day|morning|night|evening|week|weekend|month|year|summer|sunday|saturday|"
        r"friday)|each (?:day|week|morning|year)|usually|on weekends|once a (?:week|month|day)|"
        r"twice a|times a (?:week|month|day)|on mondays|on sundays)\b(?!.*\byou\b)",
    ),
    (
        "helps_me",
        Kind.PREFERENCE,
        0.6,
        r"\b(?:helps?|keeps?|makes?|made|gives?|relaxes|reminds?|reminded|inspires?|motivates?|"
        r"calms?|taught|got|led|pushed) me\b(?! (?:to hear|happy to hear|smile to))",
    ),
    (
        "fact",
        Kind.FACT,
        0.6,
        r"\b(?:deadline|budget|owner|price|cost|version|server|port|client|customer|meeting|"
        r"release|contract|invoice|address|password|stock|api|database|endpoint|repo|branch|"
        r"threshold|latency|accuracy|team|project|launch|report|shipment|supplier|"
        r"warehouse)\b.{0,30}\b(?:is|are|was|will be|has|runs|costs?|uses|starts|ends|needs|=|:|"
        r"at|in|on|due)\b|^[a-z][\w ]{2,30} (?:is|are|was|will be|costs?|has|runs on|uses|starts|"
        r"ends|owns|works|lives|likes|prefers|moved|got|bought) .*(?:\d|\b(?:mon|tues|wednes|"
        r"thurs|fri|satur|sun)day\b|\b(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b)",
    ),
    (
        "said_of_another",
        Kind.FACT,
        0.55,
        r"^(?:he|she|they|[a-z]+(?: [a-z]+)?) (?:works?|lives?|likes?|loves?|prefers?|hates?|"
        r"owns?|has an?|is an? |is from|moved|married|studies|teaches|plays|speaks|was born)\b",
    ),
)
DROPPED = {name: re.compile(pattern) for name, pattern in _DROPPED.items()}
KEPT = tuple((name, kind, sure, re.compile(pattern)) for name, kind, sure, pattern in _KEPT)
CORRECTED = re.compile(
    r"^(?:no|nope|actually|wait|correction|sorry)\b.*"
    r"(?:\bshould be\b|\bi meant\b|\binstead of\b|\bnot .{1,40} but\b|[0-9])"
)
# "Maria: Hi" in a log of several speakers.
SPEAKER = re.compile(r"^[A-Z][\w.-]{0,20}(?: [A-Z][\w.-]{0,20})?:\s+")
