"""A request of several steps in its clauses: "find the invoice, open it and then change the date" are three.

Nano is asked for one clause at a time, with what was done for those before it in view. A cut is made at a word or sign that joins
two orders, never inside quotes, and only where an order follows; everything else stays with the clause it stands in. All the pieces
together are the request.
"""

from __future__ import annotations

import re

from .backwards import halves_of, points_back
from .format import MAX_REQUEST_CHARS

MAX_CLAUSES = 6

_VERBS = (
    "add|append|attach|put|write|save|store|note|create|make|start|set|copy|duplicate|clone|cp|move|mv|rename|retitle|call|delete|remove|"
    "erase|rm|bin|drop|trash|throw|strike|change|replace|swap|switch|turn|edit|update|modify|bump|raise|lower|increase|decrease|reduce|"
    "correct|fix|insert|run|execute|launch|exec|build|rebuild|test|retest|lint|format|compile|deploy|install|mkdir|touch|echo|show|list|ls|"
    "open|read|find|search|grep|look|display|print|view|cat|tell|give|get|fetch|check|take|use|overwrite|fill|mark|tick|cross|clean|count|"
    "locate|head|tail|(?:let me|lemme) (?:see|have|read|look)|see|bring|pull up|stick|pop|drop|file|archive|rerun|re-run|repeat|do the same|replace|"
    "push|shift|clear|empty|restore|dump|peek|go|try|enter|record|log|cut|paste|submit|commit|restart|stage|convert|regenerate|generate|verify|"
    "recompile|recheck|redo|migrate|seed|flash|render|publish|reload|zip|unzip|pull|upload|sync|lose|ditch|chuck|nuke|kill|yank|shove|slap|toss|flip|tack"
)
_LOOKS = "show|list|ls|open|read|display|print|view|cat|tell|(?:let me|lemme) (?:see|have|read|look)|see|run|rerun|re-run|look|search|grep|find|check|verify"
_POLITE = (
    "please|pls|plz|kindly|also|then|next|afterwards|finally|lastly|now|just|after that|after this|first|second|third|secondly|thirdly|"
    "can you|could you|would you|will you|can u|could u|i want you to|i need you to|i would like you to|i'd like you to|i'd like to|i want to|"
    "let's|lets|go ahead and|go and|and|so|ok|okay|again|once more|maybe|quickly|to finish|at the end|in the end|once done|when done"
)
_THEN = "then|thne|thn|tehn|hten|thenn|aftr that|afer that|after taht"
_PLACE = r"(?:(?:in|inside|into|to|at|on|for|under|below|from|there|in there|with)\b(?:[^,;.\n]|\.(?=\w)){0,40}?,?\s+)"
_LEAD = rf"(?:(?:{_POLITE})[\s,:]+)*"
# What begins an order, after a cut.
_ORDER = re.compile(rf"{_LEAD}(?:{_VERBS})\b(?!')", re.IGNORECASE)
_PLACED_ORDER = re.compile(rf"{_LEAD}{_PLACE}(?:(?:please|just)\s+)?(?:{_VERBS})\b(?!')", re.IGNORECASE)
_LOOK = re.compile(rf"{_LEAD}(?:{_LOOKS})\b(?!')", re.IGNORECASE)

# "... saying done, and the same in the log".
_SAME = re.compile(r"(?:do )?(?:the )?same (?:in|to|for|with|at|on)\b", re.IGNORECASE)

# "Copy a to b, in the copy change the year".
_IN_COPY = re.compile(r"in (?:the copy|the new (?:one|file)|that (?:one|file)|it|there)\b", re.IGNORECASE)

# Behind these comes what is to be done, now: not "next week: ...".
_LABEL = re.compile(r"(?:\b(?:so|therefore|thus|assist|help|following|sequence|order|steps|please)|[\w-]*[./][A-Za-z][\w./-]*|\b[A-Z]+-\d+)$")

# A name and its new value, where the verb stood before.
_SETTING = re.compile(r"(?:(?:the|also)\s+)?(?!(?:from|it|them|that|this|back|up|down|close|next|due|thanks|and)\b)[\w.-]+(?: (?!to\b)[\w.-]+){0,2} (?:to|=|->) \S+", re.IGNORECASE)
_SET = re.compile(r"\b[\w.-]+ (?:to|=|->) [\w.\"“'-]+", re.IGNORECASE)
_NO_SETTING = re.compile(
    r"\b(?:copy|copies|duplicate|clone|cp|move|mv|rename|add|append|put|write|save|attach|note|go|goes|want|wants|like|need|needs|have|has|read|show|list|open|send|give|delete|remove|run|make|create|insert|stick|pop|import)\b",
    re.IGNORECASE,
)
# Such words may take back what was ordered before them, too.
_IN_DOUBT = re.compile(
    r"\?|\b(?:not|never|don'?t|later|tomorrow|if|unless|once|when|after|before|until|till|next|would|should|could|might|may|maybe|i'll|we'll|window|release)\b", re.IGNORECASE
)

_ASKED = re.compile(
    rf"(?:^|[,;:.!?(–-]\s*|\b(?:please|you|and|to|so|then|first|just|kindly|also|now|i want|is)\s+)(?:{_LEAD})(?:{_PLACE})?(?:{_VERBS})\b(?!')"
    r"|^\W*(?:\w+,?\s+)?(?:what|whats|where|wheres|which|who|how|is|are|do|does|did|has|have)\b|\b(?:should (?:be|read|say|become)|becomes|from \S+ to)\b|->|=>|→",
    re.IGNORECASE,
)

# "Timeout to 30 in app.ini", "WAIT 5 in ping.sh": no word orders it, but what comes after does.
_STATED = re.compile(
    r"[^?:;]{0,60}?(?:\b(?:to|at|becomes?) |= ?)[\"“']?[\w.%/-]+[\"”']?(?: (?:in|for|on) (?:\S+ ?){1,4})?$"
    r"|[\w.-]+(?: (?!(?:for|of|in|on|at|from|by|week|day)\b)[\w.-]+){0,2} \d[\d.,]*[a-z%]{0,2}(?: (?:in|for|on) (?:\S+ ?){1,4})?$",
    re.IGNORECASE,
)
_NOT_STATED = re.compile(
    r"\?|\b(?:i|we|they|someone|somebody|anyone|nobody|why|has|have|was|were|did|does|seems?|would|could|might|may|if|when|unless|until|compare|review|explain)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(r"\b(?:is|are) now\b|\bnow (?:is|are)\b|\b(?:gets?|goes|must|becomes?)\b", re.IGNORECASE)
_ALSO = re.compile(r"(?:and|also|then|please also)\b", re.IGNORECASE)
_BARE = re.compile(r"(?:show|list|open|read|see|print|view)(?: (?:please|pls|plz))?[.!]*$", re.IGNORECASE)

# "Take the captions and put them in old", "make a copy and call it b": one step in two halves.
_TAKES = re.compile(r"(?:^|[,.;]\s*|\b(?:please|then|and|you)\s+)(?:take|grab|get|pick)\b[^,.;]*$", re.IGNORECASE)
_PUTS = re.compile(r"(?:then )?(?:put|move|copy|stick|shove|throw|drop|place|rename|turn|make)\b", re.IGNORECASE)
_CALLS = re.compile(r"(?:call|name|title) (?:it|that|this|the (?:copy|new one|file|folder))\b", re.IGNORECASE)
# "What is then in it?", "it should then say".
_HANGING = re.compile(r"\b(?:to|with|by|into|as|say|says|saying|reads?|is|are|was|were|what|which|should|must|would|will|i|we)$", re.IGNORECASE)
# A question that is looked up: "what drafts are there? And open the first".
_LOOKED_UP = re.compile(r"\W*(?:(?:so|and|ok|hey|now),? )?(?:what|whats|what's|which|where|wheres|where's|who|whos|who's|how many|how much|is there|are there|do we have|any)\b", re.IGNORECASE)
_LATE = re.compile(r"\b(?:finally|lastly)\b", re.IGNORECASE)

# Where a clause may end. A strong one joins steps; a weak one may also join words.
_JOIN = re.compile(
    r"(?P<strong>\s*;\s+|\s+&&\s+|\s*\n+\s*|\s+\d{1,2}[.)]\s+|[,.;:!]?\s+(?:and\s+|but\s+)?(?:"
    rf"{_THEN}|afterwards|after ?that|after this|after it(?=,? (?:{_LOOKS}|give)\b)|after which|thereafter|thereupon|finally|lastly|after(?=,? (?:{_LOOKS})\b)|"
    r"(?:once|when|as soon as) (?:that|it|this|you|they|the (?:file|folder|copy|new one))(?:'s|’s|s| is| has| have|'re| are)(?: been)? (?:done|finished|there|ready|through|over|complete|completed|in|in place|made|set|saved|sorted|settled|good|ok)|followed by)\b[,:]?\s+|(?:[,.;]\s+|\s+and\s+)next,?\s+)"
    r"|(?P<full>[.!?]+\)?\s+)"
    r"|(?P<weak>\s*,\s+(?:and|also|plus|&|n)\s+|\s+(?:and|also|plus|&|\+|n|'n|'n'|an)\s+|\s*,\s+|\s+[-–>]+\s+)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|`[^`]*`|(?<![^\W_])'[^'\n]*'(?![^\W_])|(?<![^\W_])‘[^’\n]*’(?![^\W_])")
# "A.txt with one line, b.txt with another": each file is a step of its own.
_FILE_WITH = re.compile(r"[\"'`]?[\w./-]+\.\w{1,5}[\"'`]? (?:with|saying|containing|that says|reading)\b", re.IGNORECASE)
_WITH_FILE = _FILE_WITH
# "The port is 8443 now. Change it in both configs": what it becomes is said before.
_PLACES = re.compile(
    r"^(?:(?:please|pls|so|and|kindly|also|now|just|can you|could you)[\s,]+)*(?:change|fix|correct|update|set|adjust|put|swap|replace|adapt|make)\s+"
    r"(?:(?:it|that|this|them|both|the same|(?:the|its|their|my|our) [\w-]+(?: (?!in\b|on\b|for\b|at\b)[\w-]+)?)\s+)?(?:(?:too|also)\s+)?(?:in|on|for|at)\b",
    re.IGNORECASE,
)
# "It's 5 now, put it in both configs".
_IT_PLACES = re.compile(
    r"^(?:(?:please|pls|so|kindly|now|just|can you|could you)[\s,]+)*(?:change|fix|correct|update|set|adjust|put|swap|replace)\s+"
    r"(?:(?:it|that|this|them|both|the same)\s+)?(?:(?:too|also|everywhere)\s+)?(?:in|on|for|at)\b(?! there)",
    re.IGNORECASE,
)
_PLACES_END = re.compile(r"[.!?;\n](?:\s|$)|,?\s(?:and )?then\b", re.IGNORECASE)
_SAYS_VALUE = re.compile(r"\b(?:to|with|by|as|from|be|becomes?)\b|[=“\"]|->|(?<![\w.-])\d+(?:\.\d+)?(?![\w.-])", re.IGNORECASE)
_IS_VALUE = re.compile(r"\d|“|\b(?:now|instead|becomes|anymore|any more)\b", re.IGNORECASE)
# Behind these comes text that is to be written, up to a strong join or a look.
_PAYLOAD = re.compile(
    r":\s|\b(?:saying|says|say|reading|containing|contains|with the (?:text|line|lines|content|contents|words|following|note)|the (?:text|line|words|row|entry|sentence)|"
    r"a line|another line|one line|the following|this line|these lines|content)\b",
    re.IGNORECASE,
)


def clauses_of(request: str) -> list[str]:
    """The clauses in the order in which they are to be done; one where nothing joins two orders."""
    if len(request) > MAX_REQUEST_CHARS:
        return [request]
    halves = halves_of(request)
    if not halves:
        return _cut_up(request)
    first, last = halves
    pieces = _cut_up(first)
    return [request] if points_back(pieces[0] if pieces else "") else [*pieces, *_cut_up(last)]


def _cut_up(request: str) -> list[str]:
    masked = _masked(request)
    cuts: list[tuple[int, int]] = []  # end of a clause, beginning of the next
    start = 0
    for join in _JOIN.finditer(masked):
        if join.start() <= start or len(cuts) >= MAX_CLAUSES - 1:
            continue
        if _divides(masked, start, join):
            begin = _begin(masked, join)
            cuts.append((_end(masked, join), begin))
            start = join.end()
    pieces = []
    at = 0
    for end, begin in cuts:
        pieces.append(request[at:end].strip())
        at = begin
    return [piece for piece in (*pieces, request[at:].strip()) if piece]


def _masked(request: str) -> str:
    """What is quoted says nothing about clauses."""
    return _QUOTED.sub(lambda match: "“" + "_" * (len(match.group()) - 2) + "”", request)


def _divides(text: str, start: int, join: re.Match[str]) -> bool:
    before, after = text[start : join.start()], text[join.end() :]
    if join.lastgroup == "weak" and _FILE_WITH.match(after) and _WITH_FILE.search(before):
        return True
    word = join.lastgroup == "strong" and bool(re.search(r"[a-z]", join.group(), re.IGNORECASE))
    if join.lastgroup == "weak" and ">" not in join.group() and _is_setting(before, after):
        return True
    is_asked = len(before.split()) > 1 or _starts_order(before.strip()) if word else _has_order(before) or _is_stated(before.strip(), after) or _is_told(before, join, after)
    if not after.strip() or not is_asked or join.lastgroup != "strong" and _says_where(before, join, after):
        return False
    if join.lastgroup == "strong":
        sign = join.group().strip() in ("", ";", "&&") or bool(re.match(r"\s+\d", join.group()))
        if "\n" in join.group() and _PAYLOAD.search(before) or sign and not _starts_order(after):
            return False
        if _HANGING.search(before.rstrip()) or _LATE.search(join.group()) and not _starts_order(after):
            return False
        is_command = re.match(r"\s*(?:run|execute)\b", before, re.IGNORECASE) and not re.match(r"then\b", after, re.IGNORECASE)
        return "&&" not in join.group() or not is_command
    if join.lastgroup == "full":
        return ("?" not in join.group() or bool(_LOOKED_UP.match(before))) and _starts_order(after)
    if _CALLS.match(after) or _TAKES.search(before) and _PUTS.match(after):
        return False
    if _PAYLOAD.search(_unlabelled(before)) and not _after_quote(before):
        return bool(_LOOK.match(after) or _SAME.match(after)) and "," not in join.group().replace(", and", "").replace(", also", "")
    return bool(_ORDER.match(after) or _SAME.match(after) or _is_placed(before, join, after))


def _is_placed(before: str, join: re.Match[str], after: str) -> bool:
    is_joined = "and" in join.group().lower() or bool(_IN_COPY.match(after)) and not re.search(r"\band$", before, re.IGNORECASE)
    return is_joined and bool(_PLACED_ORDER.match(after))


def _is_told(before: str, join: re.Match[str], after: str) -> bool:
    """"The address is a@b.de now. Also add it to the runbook": a second order says that the first was one."""
    return join.lastgroup == "full" and bool(_TOLD.search(before) and _ALSO.match(after)) and _starts_order(after)


def _is_stated(before: str, after: str) -> bool:
    is_told = _STATED.match(before) and not _NOT_STATED.search(before)
    return bool(is_told and _LOOK.match(after)) and not _BARE.match(after.strip()) and "?" not in after


def _says_where(before: str, join: re.Match[str], after: str) -> bool:
    """A sentence that only says where the one before it is to become true."""
    sentence = _PLACES_END.split(after, maxsplit=1)[0]
    is_told = not _starts_order(before.strip()) and bool(_IS_VALUE.search(before))
    places = _IT_PLACES if join.lastgroup == "weak" else _PLACES
    return is_told and bool(places.match(sentence)) and not _SAYS_VALUE.search(sentence)


def _is_setting(before: str, after: str) -> bool:
    """"Retries to 3 and timeout to 30": each is a change of its own."""
    plain = re.sub(r"^[^:]{1,30}: ", "", before.lstrip())
    if not (_SETTING.match(plain) or _starts_order(plain)) or _NO_SETTING.search(before) or _IN_DOUBT.search(after):
        return False
    return bool(_SETTING.match(after) and _SET.search(before))


def _unlabelled(before: str) -> str:
    """Without what leads up to an order: "kindly assist: find the invoice", "hosts.txt: add"."""
    label, colon, rest = before.partition(": ")
    return rest if colon and _LABEL.search(label) and not _has_order(label) and _starts_order(rest) else before


def _starts_order(text: str) -> bool:
    plain = _unnumbered(text)
    return bool(_ORDER.match(plain) or _PLACED_ORDER.match(plain))


def _unnumbered(text: str) -> str:
    """Without the mark of a list: `2. `, `- `."""
    return re.sub(r"^\s*(?:\d+[.)]|[-*•])\s+", "", text)


def _has_order(before: str) -> bool:
    """An order, or a question to be looked up: something is asked for before the cut."""
    return bool(_ASKED.search(before))


def _after_quote(before: str) -> bool:
    """The text to be written was quoted, so it is over."""
    return before.rstrip(" ,.)").endswith("”")


def _begin(text: str, join: re.Match[str]) -> int:
    """A word that joins belongs to the clause it opens: "then show it"."""
    word = re.search(r"[A-Za-z+&>]", join.group())
    return join.end() if join.lastgroup == "full" or not word else join.start() + word.start()


def _end(text: str, join: re.Match[str]) -> int:
    return join.start() + (len(join.group().rstrip()) if join.lastgroup == "full" else 0)
