"""A request that was dictated, as it would have been typed: `notes slash log dot txt` is `notes/log.txt`."""

from __future__ import annotations

import re

# Words for signs inside a name, only between two words that a name may be made of.
_JOINED = re.compile(r"(?<=\w) (forward slash|slash|dot|underscore|hyphen|dash) (?=\w)", re.IGNORECASE)
_SIGNS = {"forward slash": "/", "slash": "/", "dot": ".", "underscore": "_", "hyphen": "-", "dash": "-"}
# "Into underscore posts": a name begins with it.
_BEGINS = re.compile(
    r"(?<!\w)(in|into|to|from|as|of|on|the|my|our|is|and|under|at|for|with|open|show|called|named) underscore (?=\w)", re.IGNORECASE
)
_ENDS = re.compile(r" (full stop|question mark|exclamation mark|comma|colon|semicolon)(?=\s|$)", re.IGNORECASE)
_END_SIGNS = {
    "full stop": ".", "question mark": "?", "exclamation mark": "!", "comma": ",", "colon": ":", "semicolon": ";",
}
# Without one of these nobody dictates: "the dot com boom" and "a colon in the log" stay as they are.
_DICTATED = re.compile(
    r"\w (?:forward slash|slash|underscore) \w|\w dot (?:txt|md|csv|py|sh|c|h|ts|js|json|ya?ml|html|css|ini|conf|log|toml|tex|xml|ged)\b"
    r"|\bfull stop\b|\bquestion mark$",
    re.IGNORECASE,
)


def typed(request: str) -> str:
    if not _DICTATED.search(request):
        return request
    begun = _BEGINS.sub(r"\1 _", request)
    joined = _JOINED.sub(lambda match: _SIGNS[match.group(1).lower()], begun)
    return _ENDS.sub(lambda match: _END_SIGNS[match.group(1).lower()], joined)
