"""What a speaker says of themself in English, and the attribute under which it is kept."""

import re

from memory.models import Kind

from .extract_form import Form

_I = r"(?:i|we)"
_ADV = (
    r"(?:\s(?:really|also|just|still|absolutely|always|personally|currently|now|do|usually|"
    r"actually|mostly|both|generally|especially)){0,2}"
)
_PART = r"[^,.;!?]{1,60}?"
_PARTS = r"[^.;!?]{1,120}?"
_TAIL = (
    r"(?:\s(?:too|as well|now|these days|at the moment|currently|a lot|so much|very much|right "
    r"now))?"
)


def _form(attribute: str, kind: str, pattern: str, many: bool = False) -> Form:
    return Form(attribute, kind, re.compile(pattern + _TAIL + r"$", re.IGNORECASE), many)


FORMS = (
    _form(
        "name", Kind.IDENTITY, r"my (?:full |first )?name(?:'s| is) (?P<v>[A-Za-z][\w.' -]{0,40}?)"
    ),
    _form("name", Kind.IDENTITY, r"i(?:'m| am) (?:called|named) (?P<v>[A-Za-z][\w.' -]{0,40}?)"),
    _form(
        "nickname",
        Kind.IDENTITY,
        r"(?:please |you can |just |everyone can |people |my friends )?call(?:s)? me "
        r"(?P<v>(?!back|at|on|in|if|when|by|later|a\b|the\b|crazy|"
        r"tomorrow)[A-Za-z][\w.'-]{0,20}(?: [A-Z][\w.'-]{0,20})?)",
    ),
    _form(
        "home",
        Kind.IDENTITY,
        rf"i{_ADV} live in (?P<v>(?!fear|hope|the past|the moment|peace){_PART})(?: with "
        rf"[^,.;]{{1,40}})?",
    ),
    _form(
        "home",
        Kind.IDENTITY,
        rf"i(?:'ve| have)?{_ADV} (?:just |recently )?moved to (?P<v>{_PART})(?: (?:last|this|in) "
        rf"[^,.;]{{1,20}})?",
    ),
    _form("home", Kind.IDENTITY, rf"i(?:'m| am) (?:based|living) in (?P<v>{_PART})"),
    _form(
        "hometown",
        Kind.IDENTITY,
        rf"i(?:'m| am| come) (?:originally )?from (?P<v>(?!the (?:future|same)|here){_PART})",
    ),
    _form("hometown", Kind.IDENTITY, rf"i (?:grew up|was born) in (?P<v>(?!19|20){_PART})"),
    _form(
        "age",
        Kind.IDENTITY,
        r"i(?:'m| am)(?: now| currently)? (?P<v>[0-9]{1,3})(?: years old| yrs old)?",
    ),
    _form("birthday", Kind.IDENTITY, rf"my birthday(?:'s| is)(?: on)? (?P<v>{_PART})"),
    _form(
        "occupation",
        Kind.IDENTITY,
        r"i(?:'m| am)(?: currently| now)? (?:an?|the) (?P<v>(?:[a-z-]+ ){0,3}(?:engineer|"
        r"developer|teacher|nurse|doctor|designer|student|lawyer|writer|artist|manager|analyst|"
        r"scientist|accountant|chef|driver|consultant|researcher|programmer|architect|dentist|"
        r"pilot|musician|photographer|editor|journalist|therapist|coach|professor|librarian|"
        r"electrician|carpenter|farmer|founder|barista|pharmacist|translator|salesperson|"
        r"director))(?: at [^,.;]{1,40})?",
    ),
    _form(
        "occupation",
        Kind.IDENTITY,
        rf"i{_ADV} work as (?:an?|the) (?P<v>{_PART})(?: (?:at|for|in) [^,.;]{{1,40}})?",
    ),
    _form(
        "company",
        Kind.IDENTITY,
        rf"i{_ADV} work (?:at|for) (?P<v>(?!home|night|least|a living){_PART})(?: as "
        rf"[^,.;]{{1,40}})?",
    ),
    _form(
        "company",
        Kind.IDENTITY,
        rf"i(?:'m| am){_ADV} (?:working|employed) (?:at|for) (?P<v>(?!home|night){_PART})",
    ),
    _form(
        "school",
        Kind.IDENTITY,
        rf"i{_ADV} (?:go to|attend|study at|graduated from) (?P<v>(?!bed|sleep|work|the "
        rf"gym){_PART})",
    ),
    _form(
        "major", Kind.IDENTITY, rf"i(?:'m| am)?{_ADV} (?:major|majoring|majored) in (?P<v>{_PART})"
    ),
    _form(
        "allergy",
        Kind.PREFERENCE,
        rf"i(?:'m| am){_ADV}(?: severely| badly| highly| slightly| deathly)? allergic to "
        rf"(?P<v>{_PARTS})",
        True,
    ),
    _form(
        "allergy",
        Kind.PREFERENCE,
        r"i have an? (?:severe |bad |mild )?(?P<v>[a-z ]{2,30}?) allergy",
        True,
    ),
    _form(
        "diet",
        Kind.PREFERENCE,
        r"i(?:'m| am)(?: now| a strict)? (?:an? )?(?P<v>vegan|vegetarian|pescatarian|lactose "
        r"intolerant|gluten intolerant)",
    ),
    _form(
        "does not eat",
        Kind.PREFERENCE,
        rf"i{_ADV} (?:don't|do not|never|can't|cannot) eat (?P<v>(?!much|out|here|that|it\b|"
        rf"anything){_PARTS})",
        True,
    ),
    _form(
        "does not drink",
        Kind.PREFERENCE,
        rf"i{_ADV} (?:don't|do not|never|can't|cannot) drink (?P<v>(?!much|that|it\b){_PARTS})",
        True,
    ),
    _form(
        "dislikes",
        Kind.PREFERENCE,
        rf"i{_ADV} (?:hate|dislike|can't stand|cannot stand|don't like|do not like|don't enjoy) "
        rf"(?P<v>(?!that\b|it\b|this\b|how\b|when\b|you\b|to say){_PARTS})",
        True,
    ),
    _form(
        "favourite",
        Kind.PREFERENCE,
        rf"my (?:all-time )?favou?rite (?P<a>[a-z]+(?: [a-z]+)?) (?:is|are) (?P<v>{_PART})",
    ),
    _form(
        "prefers",
        Kind.PREFERENCE,
        rf"i(?:'d)?{_ADV} prefer (?P<v>(?!that\b|it\b|this\b|not\b|you\b){_PARTS})",
        True,
    ),
    _form(
        "likes",
        Kind.PREFERENCE,
        rf"i{_ADV} (?:love|like|enjoy|adore) (?P<v>(?!that\b|it\b|this\b|how\b|when\b|you\b|"
        rf"your\b|to (?:hear|see|know)|what\b){_PARTS})",
        True,
    ),
    _form(
        "interest",
        Kind.PREFERENCE,
        rf"i(?:'m| am){_ADV}(?: very| quite)? (?:interested in|fond of|passionate about|keen on|a "
        rf"(?:big |huge )?fan of) (?P<v>(?!that\b|it\b|this\b|hearing|knowing|seeing){_PARTS})",
        True,
    ),
    _form("hobby", Kind.PREFERENCE, rf"my (?:hobby|hobbies) (?:is|are) (?P<v>{_PARTS})", True),
    _form("speaks", Kind.IDENTITY, rf"i{_ADV} speak (?P<v>[A-Z][a-z]+(?: and [A-Z][a-z]+)?)", True),
    _form(
        "pet",
        Kind.IDENTITY,
        r"i (?:have|own|adopted|got) (?P<v>(?:an?|two|three|four|[0-9]+) (?:[a-z]+ ){0,2}(?:cats?|"
        r"dogs?|rabbits?|parrots?|hamsters?|turtles?|snakes?|birds?|pupp(?:y|ies)|kittens?))(?: "
        r"(?:named|called) [^,.;]{1,20})?",
        True,
    ),
    _form(
        "family",
        Kind.IDENTITY,
        r"i have (?P<v>(?:an?|two|three|four|[0-9]+) (?:[a-z]+ ){0,1}(?:sons?|daughters?|kids?|"
        r"child(?:ren)?|brothers?|sisters?))",
        True,
    ),
    _form("email", Kind.IDENTITY, r"my (?:e-?mail|email address)(?:'s| is) (?P<v>[!-~]{5,80})"),
    _form(
        "phone",
        Kind.IDENTITY,
        r"my (?:phone|phone number|mobile|cell)(?:'s| is) (?P<v>[0-9+() -]{5,20})",
    ),
)
NOT = re.compile(
    r"\b(?:if|unless|maybe|perhaps|probably|might|(?-i:may)|could|would|wouldn't|should|supposed|wish|"
    r"imagine|pretend|suppose|used to|no longer|not|isn't|wasn't|didn't|doesn't|guess|think|"
    r"thought|heard|what|who|where|which|whether|was going|had|as if|like i)\b|n't\b",
    re.IGNORECASE,
)
NEGATIVE = frozenset(["does not eat", "does not drink", "dislikes"])
ENUMERATION = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+", re.IGNORECASE)
