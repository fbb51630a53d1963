"""English words of planted instructions: where one may begin, and what it is from there on.

Each rule is (name, words that begin it, what goes on). A rule is tried only where one of its
words stands, and all repeats are bounded, so a text costs time by its length alone.
Read on lower-case, simplified text.
"""

_S = r"[\s\"'“”‘’`*_-]{1,6}"
_FILL = (
    r"(?:(?:all|any|every|each|everything|of|the|these|those|this|your|my|our|and|or|please|now|"
    r"just|completely|entirely|simply|about|to|it|them|forget|ignore|disregard|other|such|to|"
    r"follow)"
    rf"{_S}){{0,6}}"
)
_EARLIER = (
    r"(?:all|any|every|previous|previously|prior|above|earlier|preceding|foregoing|existing|"
    r"former|original|initial|your|system|developer|the system|past|old|given|current)"
)
_MORE = (
    r"(?:(?:and|or|of|the|your|system|safety|security|developer|previous|prior|above|earlier|"
    r"these|those|given|"
    rf"other|such|content|ethical|internal|operating|set|assistant|user){_S}){{0,4}}"
)
_ORDERS = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|commands?|guardrails?|programming|"
    r"constraints?|restrictions?|directions|messages above|context|training)"
)
_TOLD = (
    r"(?:above|before(?: this| now)?|so far|prior|earlier|you (?:were|have been|had been|are|got|"
    r"received)(?: (?:given|told|taught|programmed|instructed))?)"
)
_MARKERS = (
    "<|im_start|>", "<|im_end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|endoftext|>",
    "<<sys>>", "<</sys>>", "[inst]", "[/inst]", "[system]", "[/system]", "</system>", "<system>",
    "<system_prompt>", "</instructions>", "<|start_header_id|>", "### system:",
    "### instruction:", "### instructions:", "## system prompt", "<|eot_id|>",
    "[system message]", "[system prompt]", "begin system prompt", "end of system prompt",
    "end system prompt",
)  # fmt: skip
ENGLISH = (
    (
        "override_en",
        "ignore|disregard|forget|override|overrule|bypass|discard|neglect|stop following|do not "
        "follow|don't follow|stop obeying|pay no attention to|set aside|no longer follow|erase|"
        "drop|skip|you don't need to follow|you do not need to follow|you need not follow|no need "
        "to follow|you no longer need to follow|cancel|delete|ignoring|disregarding|forgetting|"
        "bypassing|overriding",
        rf"{_S}{_FILL}(?:{_EARLIER}{_S}{_MORE}{_ORDERS}\b(?! (?:email|mail|manual|booklet|leaflet|"
        rf"video))|(?:{_ORDERS}|everything|anything|all|what|whatever){_S}(?:that{_S}|"
        rf"which{_S})?{_TOLD}\b|(?:the{_S})?user(?:['’]?s)?{_S}(?:requests?|questions?|messages?|"
        rf"instructions?|wishes|input)\b|(?:everything|anything|whatever|what){_S}(?:the user|the "
        rf"developer|the system|they|he|she)\b)",
    ),
    (
        "void_en",
        "all previous|previous|prior|all prior|earlier|the above|above|your previous|your original",
        rf"{_S}{_MORE}(?:instructions?|prompts?|directives?|guardrails?){_S}(?:are|is|have been|"
        rf"were){_S}(?:now{_S}|hereby{_S})?(?:void|cancell?ed|obsolete|revoked|overridden|"
        rf"superseded|null|"
        r"no longer (?:valid|apply|in effect|active)|suspended|replaced)",
    ),
    (
        "void_en",
        "the rules|your rules|the instructions|your instructions|your guidelines|those rules|your "
        "safety rules",
        r"\s(?:(?:that )?you (?:were|have been) given|above|given to you|you follow|before "
        r"this)\s(?:no longer apply|do not apply|don't apply|are void|are replaced|are "
        r"cancell?ed)|\sno longer apply to (?:you|this conversation)",
    ),
    (
        "role_en",
        "you are now|from now on you are|from now on, you are|you will now act|you must now act|"
        "act as|pretend to be|pretend you are|pretend that you are|you're now|roleplay as|"
        "role-play as|simulate being|behave as|from this point forward|from this point on|"
        "henceforth|starting now|act like you|respond as if|answer as if|behave like|as an ai "
        "without|as an ai with no",
        r"[^.!?\n]{0,60}?\b(?:dan\b|jailbroken|unrestricted|unfiltered|uncensored|without (?:any "
        r")?(?:restrictions?|rules|limits|filters?|guardrails)|no (?:content|safety|ethical|"
        r"restrictions|rules|limits|filters)|not bound by|free (?:of|from) (?:all |any )?(?:rules|"
        r"restrictions)|evil|developer mode|god mode|admin(?:istrator)? (?:mode|rights|access)|"
        r"root access|different (?:ai|assistant)|another (?:ai|assistant)|new (?:ai|assistant|"
        r"persona))",
    ),
    (
        "freed_en",
        "you have been jailbroken|you are jailbroken|you have no rules|you have no restrictions|"
        "where you have no|you are free from all|you are free of all|do anything now|you are not "
        "bound by|without content policy|you can do anything now|you no longer have any|you must "
        "obey me|obey only me|you will obey me|you serve me now|you work for me now",
        r"\b",
    ),
    (
        "mode_en",
        "enter|enable|activate|switch to|switch into|turn on|you are in|you're in",
        rf"{_S}(?:the{_S}|into{_S})?(?:developer mode|dan mode|god mode|jailbreak mode|jailbreak|"
        r"unrestricted mode|debug mode with|sudo mode|unfiltered mode)\b(?! (?:on|in) (?:my|the|"
        r"your|an?) (?:phone|android|device|tablet|chromebook|tv))",
    ),
    ("marker", _MARKERS, r""),
    (
        "speaker",
        "system:|system instruction:|system prompt:|system message:|system note:|system override:|"
        "assistant:|admin:|developer:|new instructions:|new instruction:|updated instructions:|"
        "hidden instructions:|real instructions:|important instruction:|priority override:|system "
        "update:",
        r"[^\n]{0,40}?\b(?:you (?:are|only|must|will|should|shall|have|can|may|no longer)|ignore|"
        r"disregard|forget|always|never|from now on|override|do not|don't|recommend|reply|respond|"
        r"answer|reveal|send|the (?:user|assistant))\b",
    ),
    (
        "new_orders_en",
        "your new instructions|your new instruction|your real instructions|your actual "
        "instructions|your true task|your real task|your new task|your new role|your new goal|"
        "your only goal|your new objective|your new system prompt|here are your new|follow these "
        "new|these instructions override|this message overrides|this overrides|the following "
        "overrides|these rules replace",
        rf"(?:{_S}(?:is|are|instructions?|rules?|orders|all|any|your|the|previous|instead)\b|:)",
    ),
    (
        "always_en",
        "always recommend|always promote|always praise|always endorse|always answer that|always "
        "say that|always claim|always reply that|always respond that|always suggest|only "
        "recommend|must promote|must recommend|must praise|must endorse|must advertise|never "
        "recommend anything but|never recommend any other|recommend only",
        r"\b",
    ),
    (
        "always_en",
        "always include|always append|always insert|always add|always mention|always link|always "
        "end",
        r"[^.!?\n]{0,40}?(?:https?:|www\.|\b(?:link|url|sponsor\w*|slogan|coupon|promo(?:tion)?|"
        r"phrase|sentence|discount|brand)\b)",
    ),
    (
        "always_en",
        "insert|include|append|add|mention|recommend|promote|praise|repeat",
        r"\b(?:(?<=recommend)|(?<=promote)|(?<=praise)|[^.!?\n]{0,30}?(?:https?:|\b(?:link|url|"
        r"slogan|phrase)\b))[^!?\n]{0,60}?\bin (?:every|each|all)(?: of)?(?: your)? (?:answer|"
        r"reply|response|conversation|message)s?\b",
    ),
    (
        "new_orders_en",
        "execute the instructions|follow the instructions|obey the instructions|carry out the "
        "instructions",
        r"\s(?:hidden|embedded|concealed)\b|\s(?:in|from|below|of) [^.\n]{0,40}?without (?:asking|"
        r"telling|confirm|question)",
    ),
    (
        "whenever_en",
        "whenever|every time|any time|if anyone|if someone|if a user|if the user|when a user|when "
        "the user|when users|when anyone|when someone|when asked|if asked|if you are asked|in "
        "every answer|in every reply|in every response|in all answers|in all responses|in all "
        "future|in your next|at the end of every|at the end of each|with every answer|for every "
        "question|from now on|in future answers|in future conversations|in all your",
        r"(?:\s|[^.!?\n]{0,80}?(?:\b(?:(?:you )?(?:must|should|shall|will|always|"
        r"only)\W{1,3}(?:\w+\W{1,3}){0,2}?|[,:] (?:please |then |simply |just )?|(?:answers?|"
        r"repl(?:y|ies)|responses?|questions?)\W{1,3})))(?:recommend|suggest|promote|praise|"
        r"endorse|append|insert|include (?:a |the |this |an )?(?:link|url|text|sentence|phrase|"
        r"image|code|http)|add (?:a |the |this )?(?:link|url|http)|say (?:that|it|yes)|mention|"
        r"claim|insist|reply (?:that|with only)|tell (?:them|the user|users|him|her)|send "
        r"(?:(?:the|all|a copy of the|their) )?(?:user|conversation|chat|data|payments?|"
        r"credentials|passwords?|contents)|forward|leak|approve|deny|lie|refuse|redirect|steer)\b",
    ),
    (
        "exfiltrate_en",
        "send|post|forward|upload|email|e-mail|mail|leak|transmit|exfiltrate|submit|append|copy|"
        "share|include|encode|embed|deliver|dump|report",
        (
            r"\b[^.!?\n]{0,60}?\b(?:conversations?|chat (?:history|logs?)|history|memor(?:y|ies)|"
            r"credentials?|passwords?|api keys?|secrets?|system prompt|personal (?:data|details|"
            r"information)|user (?:data|information|details)|private (?:data|keys?|notes)|all "
            r"(?:data|files|messages|contacts)|context window|tokens|cookies|saved \w+|everything "
            r"you (?:know|remember)|what you (?:know|remember)|session (?:data|keys?)|contacts|"
            r"(?:whole|full) context|environment variables|saved facts)\b",
            r"[^!?\n]{0,60}?(?:https?:|www\.|[a-z0-9]@[a-z0-9]|webhook|attacker|(?:our|my) server|"
            r"this (?:url|address|endpoint|link)|the (?:url|endpoint) below|external)",
        ),
    ),
    (
        "exfiltrate_en",
        "fetch|request|open|visit|load|navigate to|call|get|curl",
        r"\s[^\n]{0,12}?https?://[^\s]{0,100}?[?&=/][^\n]{0,40}?(?:conversation|history|memor(?:y|"
        r"ies)|secret|password|[{<](?:data|context|chat|conv|user)|api[_ ]?key)",
    ),
    (
        "reveal_en",
        "what is your|what's your|what are your|what were your",
        r"\s(?:full |exact |hidden |initial |original |secret )?(?:system prompt|initial prompt|"
        r"system message|initial instructions|hidden instructions|original instructions)\b",
    ),
    (
        "always_en",
        "end every|end each|end all|start every|start each|begin every|begin each|finish every|"
        "close every",
        r"\s(?:of your )?(?:reply|answer|response|message|email)s?\s(?:with|"
        r"by)\b[^.\n]{0,30}?(?:[\"“']|https?:|\b(?:link|words?|phrase|sentence|slogan|buy|"
        r"visit)\b)",
    ),
    (
        "image_leak",
        "![",
        r"[^\]\n]{0,80}\]\(https?://[^)\s]{0,200}[?&=/][^)\s]{0,100}(?:\{|\$|%7b|secret|history|"
        r"memory|password|密码|密钥|记忆|对话)",
    ),
    (
        "reveal_en",
        "reveal|print|show|repeat|output|leak|display|disclose|tell me|give me|dump|write out|"
        "recite|echo",
        rf"{_S}(?:(?:me|us|out|all|the|of|to|verbatim|everything|in|full|exact|complete|entire|"
        rf"text|contents?|word|for|users){_S}){{0,6}}(?:your{_S}(?:(?:full|entire|whole|exact|"
        rf"complete|hidden|secret|initial|original|internal|own){_S}){{0,2}}"
        r"(?:system prompt|prompt|instructions|rules|guidelines|system message|configuration)|"
        r"(?:hidden|secret|initial|internal|confidential)"
        rf"{_S}(?:system{_S})?(?:prompt|instructions|message)|system prompt)\b",
    ),
    (
        "conceal_en",
        "must not tell|should not tell|do not tell|don't tell|never tell|do not inform|don't "
        "inform|never inform|do not reveal|don't reveal|do not mention|don't mention|never "
        "mention|without telling|without informing|hide this from|keep this from|do not alert|do "
        "not notify|don't notify|conceal this from|do not let|don't let|without alerting|keep it "
        "secret from|keep this secret from|never reveal|don't show|do not show|never disclose|do "
        "not disclose|don't disclose|hide this|hide these",
        r"[^.!?\n]{0,40}?\b(?:the (?:user|human|operator|reviewer|moderator|auditor)|users\b|any "
        r"human|humans?\b|this (?:instruction|prompt|note)|(?:this )?message from|these "
        r"(?:instructions|rules)|that you (?:received|read|were told|were instructed))",
    ),
    (
        "unguard_en",
        "bypass|disable|turn off|circumvent|remove|switch off|deactivate|evade|get around|work "
        "around|suspend",
        rf"{_S}(?:(?:all|any|every|the|of|your|those|its|these){_S}){{0,3}}(?:(?:your|safety|"
        rf"content|ethical|moderation|security){_S})(?:(?:safety|content|ethical|security|"
        rf"moderation){_S})?(?:filters?|guardrails?|guidelines|restrictions|safeguards|moderation|"
        r"checks and balances|polic(?:y|ies)|protocols|screening|limitations)\b",
    ),
    (
        "to_the_model_en",
        "note to ai|note to the ai|note to llm|note to any ai|note to assistant|note to the "
        "assistant|attention ai|attention llm|attention assistant|message to the ai|message for "
        "the ai|message for ai|instructions for the ai|instructions for ai|instruction to the "
        "model|instructions to the model|instruction for the assistant|instructions for the "
        "assistant|if you are an ai|if you are a language model|if you are an llm|if you're an ai|"
        "if you are the assistant|as an ai, you must|ai assistants must|ai assistants should|ai "
        "agents must|ai models must|ai assistants reading|ai reading this|llms reading|llm "
        "reading|dear ai|ai agents reading|dear assistant,|hey ai,|ai assistant must|the ai must|"
        "the assistant must|the model must|the agent must now|assistants reading this",
        r"[^.\n]{0,80}?(?:[:,]|\b(?:must|should|ignore|recommend|say|reply|respond|include|output|"
        r"send|always|never|please|follow|treat|approve|rank|add|delete|tell)\b)",
    ),
    (
        "comment",
        "<!--",
        r"[^>]{0,160}?\b(?:(?:ai|assistant|llm|agent|model|chatgpt|claude)s?\s*[:,]|(?:ai|"
        r"assistants?|llms?|agents?|models?)\W[^>]{0,40}?\b(?:must|should|always|never|ignore|"
        r"recommend|reply|say|send|please))",
    ),
    (
        "comment",
        "<!--",
        r"[^>]{0,120}?(?:助手|模型|ai|智能体)\s*[:，,：]?[^>]{0,30}?(?:必须|请|务必|始终|忽略|"
        r"推荐|回复|不要)",
    ),
)
# Nobody is told to: "do not ignore ...", "they ignore ...".
NOT_BEFORE = (
    r"\b(?:not|never|we|they|who|people|cannot|he|she|i|users|without|drivers|staff|[a-z]+n['’]t|"
    r"kept|keeps|is|was|are|were|been|of|by)(?:\s{1,3}(?:to|ever|simply|just|can|could|will|would|"
    r"must|should|may|might))?\s{1,3}$"
)
# What may stand before "always recommend" for it to be an order and not a report.
ORDER_BEFORE = (
    r"(?:^|[.!?;:,，。；：\n\"'“(>*-]\s{0,3}|\b(?:you|must|should|shall|will|please|and|to|then|"
    r"assistant|ai|llm|agent|model|instead|now on|now|bot|but|so)\s{1,3})$"
)
# An order about the user's own wishes, or about giving sources, is a preference.
FOR_ME = (
    r"[^.。\n]{0,40}?(?:\b(?:to|for|tell|remind|show|give|ask|recommends?|suggests?) (?:me|us)\b|"
    r"\b(?:recommends?|suggests?) (?:that )?i\b|\b(?:sources?|references?|citations?)\b)"
)
