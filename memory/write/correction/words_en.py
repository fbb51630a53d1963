"""How a correction sounds in English, and what only looks like one.

Patterns over normalised text in which a full stop is a newline. `s` is the subject, `o` the old
value, `v` the new one, `tail` a subject followed by its new value with nothing between.
"""

import re

_END = r"(?=[\n\0]|\Z)"
_V = rf"(?P<v>[^\n\0]{{1,100}}?){_END}"
_S = r"(?P<s>[^\n\0]{1,60}?)"
_O = r"(?P<o>[^\n\0]{1,60}?)"
_GAP = r"[,;:\-\n ]+(?:and |but |so )?"
_BE = r"(?:is|are|was|were|'s|’s)"
_NOT = rf"(?:{_BE} (?:not|no longer|never)|isn['’]t|aren['’]t|wasn['’]t|ain['’]t)"
_IT = (
    r"(?:now )?(?:it|that|this|they|the (?:new|right|correct|actual|real) (?:one|value|number"
    r"|date))"
    r"(?:['’]s| is| are| should be|['’]ll be| will be| became)(?: (?:now|actually|really))?"
)
_RATHER = (
    rf"(?:{_IT}|make (?:it|that)|use|take|put|go with|set it to|change it to|but|rather|instead)"
)
_VERB = (
    "(?:change|update|set|move|switch|correct|adjust|fix|edit|revise|shift|bump|push|reschedule"
    "|raise"
    "|increase|lower|reduce|drop|cut|extend|amend|modify|reset|bring|postpone|delay|rename|transfer"
    "|relocate|upgrade|downgrade|alter)(?: back| up| down| over| out)?"
)
_MOVED = (
    "(?:changed|moved|switched|shifted|gone|went|become|updated|increased|dropped|risen|rose"
    "|fallen|fell"
    "|slipped|rescheduled|postponed|raised|lowered|reduced|extended|bumped|pushed(?: back)?"
    "|relocated"
    "|upgraded|corrected|revised|reassigned|handed over|transferred|renamed)"
)
_WRONG = (
    rf"(?:(?:{_BE}|has|have|had|got) )?(?:just |now |been |actually )*(?:changed|moved|different"
    rf"|wrong"
    r"|incorrect|outdated|out of date|mistaken|not (?:right|correct)|a mistake|a typo|updated"
    r"|inaccurate"
    r"|stale)(?: (?:now|again|there|here))?"
)

_CUE = (
    r"no(?=[,.!\n ])|nope|wait(?: a (?:second|minute|moment))?|hold on|hang on|actually"
    r"|sorry(?: about that)?"
    r"|i['’]m sorry|apologies|oops|my (?:mistake|bad)|correction|scratch that|strike that"
    r"|(?:that['’]s|that is"
    r"|this is|it['’]s|you['’]re) (?:wrong|not right|incorrect|not correct|not true|mistaken)"
    r"|i (?:was wrong|misspoke|made a (?:mistake|typo)|got (?:it|that) wrong|take that back)"
    r"|(?:let me|to) correct (?:that|this|myself|you)|i (?:just )?changed my mind|change of plans"
    r"|on second thoughts?|i (?:meant|mean)(?: to say)?|rather|not (?:quite|exactly)|well"
    r"|update(?=:)"
    r"|(?:quick|small|minor) (?:correction|fix|update)|to be (?:clear|precise)"
)
# At the beginning: what follows may put something right.
CUE = re.compile(rf"(?:(?:{_CUE})(?![a-z'’])[,.:;!\-\n ]*)+")
WEAK_CUE = re.compile(r"(?:(?:sorry|well|apologies|i['’]m sorry)(?![a-z'’])[,.:;!\-\n ]*)+")
# Anywhere: the speaker changes what was settled.
ANEW = re.compile(
    r"\b(?:instead|rather than|i (?:have )?changed my mind|change of plans|on second thoughts?"
    r"|my mistake"
    r"|would (?:work|be) better|is better|(?:change|make|move|switch|reschedule|push|shift) (?:it"
    r"|that|this)\b"
    r"|that (?:is|was)(?: not|n['’]t) right|not \w+ (?:but|it))"
)
LEAD = re.compile(
    r"(?:(?:please|kindly|(?:can|could|would|will) (?:you|we|i)(?: please| also| just| actually"
    r"| try to)*"
    r"|i(?: would|['’]d| actually| really| just| also)* (?:want|need|like|have)(?: you)? to"
    r"|we (?:need|have) to"
    r"|let['’]?s|let us|let me|just|also|and|so|ok|okay|well|hey|hi|hello|yes|yeah|actually|now"
    r"|then|go ahead and"
    r"|you (?:should|need to|can)|(?:it )?turns out(?: that)?|fyi|note(?: that)?|for the record"
    r"|by the way"
    r"|in fact|try to|(?:i )?(?:just )?(?:checked|realised|realized|learned|found out)(?: that)?"
    r"|oh|the thing is"
    r"|remember(?: that)?|as of (?:now|today)|from now on)(?![a-z'’])[,:;.\n ]*)+"
)

CHANGE = [
    re.compile(rf"{_VERB} {_S} from {_O} (?:to|into) {_V}"),
    re.compile(
        rf"{_VERB} {_S} to (?:be )?(?P<v>[^\n\0]{{1,60}}?)(?:,? (?:from|instead of|rather than"
        rf"|not) {_O})?{_END}"
    ),
    re.compile(
        rf"(?:scratch|strike|drop|cancel|discard|ignore|forget) {_O} (?:as"
        rf"|for) {_S}{_GAP}{_RATHER} {_V}"
    ),
    re.compile(
        rf"(?:replace|swap|exchange|substitute) {_O} (?:with|by"
        rf"|for) (?P<v>[^\n\0]{{1,60}}?) (?:as|for|in) {_S}{_END}"
    ),
    re.compile(rf"(?:replace|swap|exchange) {_S} (?:with|by|for) {_V}"),
    re.compile(
        rf"(?:use|put|take|go with) (?P<v>[^\n\0]{{1,60}}?) (?:instead of|rather than"
        rf"|not) {_O} (?:as|for) {_S}{_END}"
    ),
    re.compile(
        rf"(?:use|put|take|go with) (?P<v>[^\n\0]{{1,60}}?) (?:as|for) {_S}(?: (?:instead of"
        rf"|rather than|not) {_O})?{_END}"
    ),
    re.compile(
        rf"i (?:actually |really )?(?:meant|mean)(?: to say"
        rf"| to write)? (?P<v>[^\n\0]{{1,60}}?) (?:for|as) {_S}"
        rf"(?:,? (?:instead of|rather than|not) {_O})?{_END}"
    ),
    re.compile(rf"{_S} {_NOT} {_O}{_GAP}{_RATHER} {_V}"),
    re.compile(rf"{_S} {_NOT} {_O} but {_V}"),
    re.compile(rf"(?:it['’]s |it is |that['’]s )?not {_O}(?:{_GAP}(?:{_IT}|but|rather)| but) {_V}"),
    re.compile(
        rf"{_S} {_BE} (?P<v>[^\n\0]{{1,60}}?),? (?:and )?(?:not|instead of|rather than) {_O}{_END}"
    ),
    re.compile(
        rf"{_S} (?:should|ought to|needs? to|must|has to) (?:be|read|say) (?P<v>[^\n\0]{{1,60}}?),?"
        rf" (?:and )?(?:not|instead of|rather than) {_O}{_END}"
    ),
    re.compile(
        rf"{_S} (?:(?:has|have|was|is|got|had)(?: just| now| been"
        rf"| already)* )?{_MOVED} from {_O} to {_V}"
    ),
    re.compile(
        rf"{_S} (?:(?:has|have|was|is|got|had)(?: just| now| been| already)* )?{_MOVED} to {_V}"
    ),
    re.compile(
        rf"i (?:said|told you|gave you|wrote) {_O} (?:for|as) {_S}{_GAP}(?:but )?(?:i meant"
        rf"|{_RATHER}) {_V}"
    ),
    re.compile(
        rf"i (?:was wrong|made a mistake|made a typo|misspoke) (?:about|on|with"
        rf"|in) {_S}{_GAP}{_RATHER} {_V}"
    ),
    re.compile(
        rf"(?:i|you)(?:['’]ve| have)? (?:got|have|had|gave you) {_S} wrong{_GAP}{_RATHER} {_V}"
    ),
    re.compile(rf"{_S} {_WRONG}{_GAP}{_RATHER} {_V}"),
    re.compile(
        rf"(?:we|i|they|you)(?:['’]ve| have)?(?: just| now"
        rf"| already)? {_MOVED} {_S} (?:from {_O} )?to {_V}"
    ),
    re.compile(rf"(?:instead of|rather than|not) {_O}, {_S} {_BE} (?:now )?{_V}"),
    re.compile(rf"(?:update|correct|fix)(?: on| to| for)? {_S} ?[:=] ?{_V}"),
    re.compile(rf"{_S} {_BE} (?:now |already )?(?:down|up|back) to {_V}"),
    re.compile(
        rf"(?P<s>[^\n\0]{{1,60}}?['’]s? (?:new|correct|right|updated|actual|real"
        rf"|latest) [^\n\0]{{1,60}}?) (?:{_BE}|should be|:) {_V}"
    ),
    re.compile(rf"{_S} (?:is|are) (?P<v>[^\n\0]{{1,60}}?) now(?:,? not {_O})?{_END}"),
    re.compile(
        rf"(?P<v>[^\n\0]{{1,60}}?) (?:is|are) (?:now )?(?P<s>(?:the|my"
        rf"|our) [^\n\0]{{1,60}}?) now{_END}"
    ),
    re.compile(
        rf"(?P<v>[^\n\0]{{1,60}}?) (?:is|are) now (?P<s>(?:the|my|our) [^\n\0]{{1,60}}?){_END}"
    ),
    re.compile(
        rf"the (?:new|correct|right|updated|actual|real|latest) {_S} (?:{_BE}|should be|:) {_V}"
    ),
    re.compile(rf"{_S} (?:is|are|['’]s) (?:now|actually|in fact|really) {_V}"),
    re.compile(r"(?:make|set|have|put|mark|call) (?P<tail>[^\n\0]+)"),
]
AFTER_CUE = [
    re.compile(rf"(?:i meant )?(?P<v>[^\n\0]{{1,60}}?),? not {_O}{_END}"),
    re.compile(rf"(?:{_IT}|make (?:it|that)) (?P<v>[^\n\0]{{1,60}}?) (?:for|as) {_S}{_END}"),
    re.compile(
        rf"{_S} (?:{_BE}|should be|should have been|should read|will be|needs to be) (?:now )?{_V}"
    ),
    re.compile(rf"{_S} ?[:=] ?{_V}"),
    re.compile(rf"(?P<s>[^\n\0,]+), ?{_V}"),
    re.compile(rf"(?P<v>[^\n\0]{{1,60}}?) (?:for|as) {_S}{_END}"),
    re.compile(rf"(?:{_IT}|make (?:it|that))? ?{_V}"),
]

_OVER = "(?:any ?more|any longer)"
_DONE = rf"(?:(?: now| for now| please| then)*(?:,[^\n\0]*)?{_END})"
RETRACT = [
    re.compile(
        rf"(?:forget|delete|remove|drop|discard|erase|wipe|clear|scratch"
        rf"|disregard)(?: about)? {_S}{_DONE}"
    ),
    re.compile(rf"(?:do not|don['’]t|stop) remember(?:ing)? {_S}(?: {_OVER})?{_DONE}"),
    re.compile(
        rf"{_S} (?:is|are|was) (?:cancelled|canceled|void|obsolete|gone|off the table"
        rf"|no longer valid"
        rf"|no longer needed|not valid {_OVER}){_DONE}"
    ),
    re.compile(rf"{_S} (?:is|are) no longer {_O}{_DONE}"),
    re.compile(rf"{_S} (?:isn['’]t|aren['’]t|is not|are not) {_O} {_OVER}{_DONE}"),
]
EVERYTHING = re.compile(
    r"^(?:everything|all(?: of it)?|anything)(?: (?:you know|i (?:said|told you)))? (?:about|on) "
)
ABOUT = re.compile(r" (?:please|now|for now|then|thanks|thank you|entirely|completely)$")

QUESTION = re.compile(
    r"\?|\A(?:is|are|was|were|do|does|did|has|have|what|when|which|who|whose|where|why|how|should"
    r"|shall)\b"
    r"|\bor not\b"
)
REQUEST = re.compile(
    r"\A(?:\W*(?:please|actually|sorry|wait|no|i['’]m sorry|and|so|ok|okay|well|hmm|oh)\b)*\W*"
    r"(?:can|could|would|will) (?:you|we|i)\b|\bhow about (?:we|i|you)?\b|\bcan (?:you|we|i)\b"
    r"|\bcould (?:you|we|i)\b"
)
OTHERWISE = re.compile(r"\bif\b|\bwhether\b|\btell me\b|\bconfirm\b|\bcheck\b|\bremind\b")
LOOKALIKE = {
    "kept": re.compile(
        r"\b(?:don['’]t|do not|never|no need to|not to|shouldn['’]t|should not|won['’]t"
        r"|wouldn['’]t|can['’]t"
        r"|cannot)(?: \w+){0,2}? (?:change|update|touch|edit|move|modify|alter|replace|forget"
        r"|delete|remove|switch)\b"
        r"|\bkeep(?:s|ing)?\b|\bleave .+ as (?:it )?is\b|\b(?:stays?|remains?|unchanged|still)\b"
        r"|\bas before\b"
    ),
    "confirmed": re.compile(
        r"\bnot wrong\b|\bisn['’]t wrong\b|\bno mistake\b|\bnothing wrong\b"
        r"|(?<!not )(?<!n['’]t )\b(?:is|was|are|'s|’s)"
        r" (?:right|correct|fine|ok|okay|good)\b|\byou(?:['’]re| are) right\b|\bas (?:i|you"
        r"|we) (?:said|agreed)\b"
    ),
    "supposed": re.compile(
        r"\bif\b|\bsuppos(?:e|ing)\b|\bimagine\b|\bunless\b|\bmaybe\b|\bperhaps\b|\bmight\b"
        r"|\bprobably\b|\bmay"
        r" (?:be|have|change|need|move)\b|\bpossibly\b|\bthinking (?:of|about)\b"
        r"|\bconsider(?:ing)?\b"
        r"|\bplan(?:s|ned|ning)? to\b|\bwonder(?:ing)?\b|\bi (?:think|guess|believe|hope|wish"
        r"|doubt|assume)\b"
        r"|\bcould be\b|\bwould be\b(?! better)|\bwhat about\b|\b(?:once|until|when) "
    ),
    "reported": re.compile(
        r"\b(?!i\b)\w+(?<!\bi) (?:said|says|told|mentioned|claim(?:s|ed)|suggest(?:s|ed)|asked"
        r"|thinks|proposed"
        r"|reckons|wrote|insists|heard)\b|\baccording to\b|\bi (?:heard|read|was told)\b"
        r"|\bapparently\b|\brumou?r"
        r"|\bremind\b"
    ),
}
CLOSING = re.compile(
    r"\bthanks?\b(?! to)|\bthank you\b|\bthat(?:['’]?s| is| will be|['’]ll be) (?:all|it"
    r"|everything|enough)\b"
    r"|\bnot (?:now|yet|just yet|at (?:this|the) (?:time|moment)|right now|today|really|necessary"
    r"|interested|needed)\b"
    r"|\bi(?:['’]m| am) (?:good|fine|done|all set|okay|ok|not)\b|\bnothing else\b|\b(?:don['’]t"
    r"|won['’]t|do not)"
    r" (?:want|need|be|like|think|have)\b|\bnever ?mind\b|\bgood ?bye\b"
)
SUBJECT_LEAD = re.compile(
    r"^(?:(?:that|about|the value of|the entry for|the record of|what i said about|for|as|of|in"
    r"|my note on"
    r"|remembering|it is|that is|and|also|actually|then|to)\b[,: ]*)+"
)
SUBJECT_TAIL = re.compile(
    r"[ ,]*\b(?:now|please|again|again please|value|entry|to be|as|at|to|for now|again now)$"
    r"|[,:; ]+$"
)
ARTICLE = re.compile(r"^(?:the|an?|our|this|that|your) ")
NOTHING = re.compile(
    r"^(?:it|that|this|them|those|one|the (?:value|one|thing|number)|things?|(?:it|that) (?:all"
    r"|instead)|everything)?$"
)
VALUE_LEAD = re.compile(
    r"^(?:(?:to|at|be|is|now|actually|really|only|just|exactly|it['’]s|as|with|:"
    r"|=)(?![a-z'’]) ?)+(?=.)"
)
VALUE_TAIL = re.compile(
    r"(?:[,;] ?(?:and|but|so|please|thanks|thank you|sorry|instead|because|since|it|the|my|i"
    r"|which|that|as|not|if|ok"
    r"|okay|you|we)\b.*| (?:please|instead|now|then|thanks|thank you|from now on|going forward"
    r"|anymore|rather"
    r"|because .*|since .*|and (?:not|please|thanks?|then|the|my|our|its) .*|if .*)|[,;:. ]+)$"
)
# change the budget to 1200 and the owner to Zoe
FURTHER = re.compile(
    r"(?:,? and |, )(?P<s>(?:the|my|our|its) [^\n\0]{1,60}?) (?:to|is) (?P<v>[^\n\0]+)"
)

# Going somewhere, coming from somewhere: what the place is the value of.
ROLES = (
    (
        re.compile(
            r"\b(?:go|going|travel(?:ing|ling)?|fly|flying|head(?:ing)?|ride|bus|train|flight"
            r"|trip|tickets?|move)"
            r" to (?P<v>(?!be\b)[^\n\0?]{1,60}?)(?= (?:on|at|for|instead|please|from|with)\b"
            r"|[.\n\0?]|, (?:please|and)|\Z)"
        ),
        frozenset(["to", "destin"]),
    ),
    (
        re.compile(
            r"\b(?:leav(?:e|ing)|depart(?:ing)?|com(?:e|ing)|start(?:ing)?|bus|train|flight"
            r"|fly(?:ing)?|trip)"
            r" (?:\w+ )?(?:from|in) (?P<v>[^\n\0?]{1,60}?)(?= (?:on|at|for|instead|please|to|with"
            r"|and)\b|[.\n\0?]|\Z)"
        ),
        frozenset(["from", "origin", "departur"]),
    ),
)
# Wanting or not wanting what is a matter of yes or no.
WANTED = re.compile(r"\b(?:want|like|need|include|add|purchase|buy|get|with|have|take)\b")
UNWANTED = re.compile(r"\b(?:no|without|skip|remove|drop|cancel|not)\b")
# Small words beside a typed value: "at 3 pm sharp".
FILLER = re.compile(
    r"(?:\b(?:at|by|on|before|after|only|about|around|sharp|starting|per|each|in total|total"
    r"|exactly|a|the"
    r"|month|year|week|day|person|for|us|to)\b|[ ,/])*"
)
NEW = re.compile("^(?:new|latest|updated|correct|right|actual|current|old|real) (?=.)")
# What may stand beside a value that is said alone; more tells of something else.
SMALL = re.compile(
    r"\b(?:make|made|set|schedule|reschedule|book|change|changed|move|push|put|switch|shift"
    r"|update|want|like|love|need"
    r"|needs?|prefer|please|better|best|work|works|mind|mistake|instead|rather|actually|sorry"
    r"|wait|no|nope|meant"
    r"|mean|try|let|get|give|do|go|use|take|have|be|been|is|good|correct|correction|wrong|right"
    r"|oops|hold|second"
    r"|thoughts?|thing|one|might|think|i['’](?:d|m|ve|ll)|it['’]s|that['’]s|let['’]s|don['’]t"
    r"|plans?|me|up|back|ok"
    r"|okay|hmm|oh|look|find|different|while|again)\b"
)
