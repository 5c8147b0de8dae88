"""What a free-text argument may be: a stretch of the request between two of its boundaries.

A boundary lies at the edge of a word, also of a word without its quotes and end punctuation, and at a few signs inside words
(`src/a.ts:42`, `PORT=3000`, `3000->8080`). The model only points: whatever it picks stands in the request letter by letter.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .words import NUMBERS

OPENERS = "\"'`“”„‘’«»([{<*_~"
CLOSERS = "\"'`“”‘’«»)]}>*_~.,;:!?…"
MAX_STARTS = 64

_WORD = re.compile(r"\S+")
# Inside a word: a span may begin after, or end before, one of these.
_INNER = re.compile(r"->|=>|→|[=:,;|\"'`“”‘’()]")
_POSSESSIVE = re.compile(r"['’]s$")


class Boundaries(NamedTuple):
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def boundaries(request: str) -> Boundaries:
    outer: list[int] = []
    inner: list[int] = []
    ends: set[int] = set()
    for match in _WORD.finditer(request):
        _word_boundaries(match.group(), match.start(), (outer, inner, ends))
    return Boundaries(_limited(request, outer, inner), tuple(sorted(ends)))


def line_boundaries(line: str) -> Boundaries:
    """Of a listed line: also around each run of digits, so that the number of `60000u` or `30s` can be changed."""
    found = boundaries(line)
    runs = [match.span() for match in re.finditer(r"[0-9]+(?:\.[0-9]+)*", line)]
    return Boundaries(tuple(sorted({*found.starts, *(start for start, _ in runs)})), tuple(sorted({*found.ends, *(end for _, end in runs)})))


def _word_boundaries(word: str, offset: int, found: tuple[list[int], list[int], set[int]]) -> None:
    outer, inner, ends = found
    end = len(word)
    first = 0
    outer.append(offset)
    while first < end - 1 and word[first] in OPENERS:
        first += 1
        outer.append(offset + first)
    ends.add(offset + end)
    last = end
    while last > 1 and word[last - 1] in CLOSERS:
        last -= 1
        ends.add(offset + last)
    possessive = _POSSESSIVE.search(word[:last])
    if possessive and possessive.start():
        ends.add(offset + possessive.start())
    for sign in _INNER.finditer(word):
        if sign.start() > 0:
            ends.add(offset + sign.start())
        if first < sign.end() < end:
            inner.append(offset + sign.end())


def _limited(request: str, outer: list[int], inner: list[int]) -> tuple[int, ...]:
    """A grammar grows with its start points. Beginnings of lines and of the request matter most, signs inside words least."""
    if len(outer) + len(inner) <= MAX_STARTS:
        return tuple(sorted({*outer, *inner}))
    if len(outer) <= MAX_STARTS:
        return tuple(sorted({*outer, *inner[: MAX_STARTS - len(outer)]}))
    first_of_line = [start for start in outer if start == 0 or "\n" in request[:start][-8:].replace(" ", "")[-1:]]
    chosen = first_of_line[: MAX_STARTS // 2]
    for start in outer:
        if len(chosen) >= MAX_STARTS:
            break
        if start not in chosen:
            chosen.append(start)
    return tuple(sorted(chosen))


def is_span(request: str, text: str) -> bool:
    if not text:
        return False
    found = boundaries(request)
    starts, ends = set(found.starts), set(found.ends)
    at = request.find(text)
    while at >= 0:
        if at in starts and at + len(text) in ends:
            return True
        at = request.find(text, at + 1)
    return False


def words_of(request: str) -> list[str]:
    """The request's words without quotes and punctuation, as path matching and globs see them."""
    return [word for raw in _WORD.findall(request) if (word := bare(raw))]


def bare(word: str) -> str:
    stripped = word.strip("\"'`“”„‘’«»()[]{}<>,;:!?…*~")
    stripped = _POSSESSIVE.sub("", stripped)
    return stripped[:-1] if stripped.endswith(".") and not stripped.endswith("..") else stripped


def numbers_of(request: str) -> list[str]:
    """Those written in digits, then those in words."""
    spoken = [str(NUMBERS[word]) for raw in words_of(request) if (word := raw.lower()) in NUMBERS and not word.isdigit()]
    return list(dict.fromkeys([*re.findall(r"\d{1,6}", request), *spoken]))
