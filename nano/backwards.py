""""Run it, but first set x to 5", "before you build, set x to 5": what is said last is done first. Must equal src/nano/request/backwards.ts."""

from __future__ import annotations

import re

_PLEASE = r"(?:(?:please|pls|plz|kindly|can you|could you)\s+)?"
_ORDER = (
    "set|put|let|show|make|copy|save|keep|add|append|turn|switch|change|raise|lower|mark|tick|read|open|list|run|create|move|rename|replace|lemme"
)
_DONE = "put|set|copied|moved|renamed|added|changed|marked|ticked|made|run|read|taken|deleted|removed|switched|turned|updated"
_DOING = (
    "setting|putting|copying|moving|renaming|adding|changing|marking|ticking|making|creating|raising|lowering|switching|turning|bumping|pointing|updating|appending|replacing|saving"
)

_BACKWARDS = [
    # "Before you run the tests, set verbose to on".
    rf"^\W*before (?:you|u) (?P<last>[^,.;:\n?]{{3,80}}?)(?:,\s+{_PLEASE}|\s+(?={_PLEASE}(?:{_ORDER})\b){_PLEASE})(?P<first>(?:{_ORDER})\b[^?]+?)[.!]*$",
    # "Run the tests, but first set verbose to on".
    rf"^(?P<last>[^.;\n?]{{3,120}}?),? but (?:first|before (?:that|this),?) {_PLEASE}(?P<first>[^?]+?)[.!]*$",
    # "Run the tests but set verbose to on first".
    rf"^(?P<last>[^.;\n?]{{3,120}}?),? but {_PLEASE}(?P<first>(?:{_ORDER})\b[^?,.;\n]+?) first(?:,? (?:please|pls))?[.!]*$",
    # "Run the tests once you've put verbose to on".
    rf"^(?P<last>[^.;\n?]{{3,120}}?),? (?:but )?(?:only )?(?:once|after) (?:you|u)(?: have|['’]?ve) (?P<first>(?:{_DONE})\b[^?]+?)[.!]*$",
    # "Run the tests, but only after you set verbose to on".
    rf"^(?P<last>[^.;\n?]{{3,120}}?),? (?:but )?(?:only )?after (?:you|u) (?P<first>(?:{_ORDER})\b[^?]+?)[.!]*$",
    # "Run the tests after setting verbose to on".
    rf"^(?P<last>[^.;\n?]{{3,120}}?),? (?:but )?(?:only )?after (?P<first>(?:{_DOING})\b[^?]+?)[.!]*$",
]
_PATTERNS = [re.compile(pattern, re.IGNORECASE) for pattern in _BACKWARDS]

# Somebody else has to do something first, or it is not to be done now.
_NOT_NOW = re.compile(
    r"\b(?:later|tomorrow|tonight|next|not|never|n't|dont|if|unless|should|would|must|has to|have to|will|i|we|he|she|they)\b", re.IGNORECASE
)
_POINTS_BACK = re.compile(r"\b(?:it|its|them|em|that|those|there|the (?:file|original)|at the (?:bottom|end|top))\b(?! of)", re.IGNORECASE)

# What happens afterwards is asked for, or taken back.
_ABOUT = re.compile(r"\b(?:why|what|how|which|whether|fails?|broke|left|remind|undo)\b", re.IGNORECASE)

# Why it is wanted points at nothing that is done.
_BECAUSE = re.compile(r",? (?:because|since|so that)\b.*$", re.IGNORECASE)


def halves_of(request: str) -> tuple[str, str] | None:
    """In the order in which they are to be done."""
    for pattern in _PATTERNS:
        found = pattern.match(request)
        if found and not _ABOUT.search(found["last"]) and not _NOT_NOW.search(request):
            return found["first"], found["last"]
    return None


def points_back(first: str) -> bool:
    """"Copy it to b.md": what it is stands in the other half."""
    return bool(_POINTS_BACK.search(_BECAUSE.sub("", first)))
