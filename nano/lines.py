"""Lines of the project that a request may be about: what a setting is called in a file, and its value now.

A line is listed when it shares telling words with the request, rare words first. Scores are small integers, so that the order is the
same in any language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from .format import Line
from .words import STOP_WORDS

MAX_LINES = 8
MAX_LINE_CHARS = 160
MAX_FILE_CHARS = 60_000

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[^\W\d_]+|\d+")
# How much a word counts that occurs in at most so many lines.
_RARITY = ((2, 6), (6, 4), (15, 3), (40, 2))


_FIRST = re.compile(
    r"\b(?:first|top|opening|1st) (?:\w+ )?(?:line|row|entry|item|bullet|point|heading|sentence)\b|\b(?:top|beginning|start|head) of\b|\b(?:title|heading|headline)\b"
)
_LAST = re.compile(r"\b(?:last|bottom|final|closing) (?:\w+ )?(?:line|row|entry|item|bullet|point|sentence)\b|\b(?:bottom|end) of\b")
_NUMBERED = re.compile(r"\b(?:line|row) (?:number |no\.? )?([0-9]{1,4})\b")


# A name and its value; what only opens a part of a file.
_SETTING = re.compile(r"\w[\"']?\s*(?:=|:)\s*[\"']?\S|\[[ x]\]|^#define ")
_SECTION = re.compile(r"^(?:\[[^\]]+\]|#+ .+|[\w\"' -]+:(?: \{)?)$")
_HEADING = re.compile(r"^(?:#(?!define)|//|--|\[[^\]]*\]$|\"\"\"|<!--|\\)")


@lru_cache(maxsize=200_000)
def _words_in(line: str) -> frozenset[str]:
    return frozenset(folded(line))


# What one does with a line, and what one calls it, says nothing about which it is.
_ABOUT_LINES = frozenset(
    """line lines row rows entry entries word words text change changed replace set remove delete drop put add append write edit update
    correct fix mark tick copy move rename search find list display print kindly everywhere every first last bottom instead currently
    called saying says""".split()
)


class LineIndex:
    """The lines of a folder by the words in them. Built once per folder."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.lines: list[Line] = []
        self.words: list[frozenset[str]] = []
        self.counts: Counter[str] = Counter()
        self.places: dict[str, list[int]] = {}
        self.by_path: dict[str, list[int]] = {}
        self.names: dict[str, frozenset[str]] = {}
        self.below: dict[int, list[int]] = {}  # of a line that opens a section, those in it
        for path, text in sorted(files.items()):
            if len(text) <= MAX_FILE_CHARS:
                self._add(path, text)

    def _add(self, path: str, text: str) -> None:
        self.names[path] = _words_in(path)
        section = -1
        for number, raw in enumerate(text.split("\n"), 1):
            line = raw.strip()
            if not line or len(line) > MAX_LINE_CHARS:
                continue
            words = _words_in(line)
            at = len(self.lines)
            self.lines.append(Line(path, number, line))
            self.by_path.setdefault(path, []).append(at)
            if _SECTION.search(line):
                section = at
            elif section >= 0:
                self.below.setdefault(section, []).append(at)
            self.words.append(words)
            self.counts.update(words)
            for word in words:
                self.places.setdefault(word, []).append(at)

    def match(self, request: str, ranks: Mapping[str, int]) -> tuple[Line, ...]:
        """Best first: by the words shared, and whether the file is named. `ranks` are those of PathIndex."""
        scores: Counter[int] = Counter()
        under: Counter[int] = Counter()
        for word in telling(request):
            worth = next((worth for most, worth in _RARITY if self.counts[word] <= most), 1)
            for at in self.places.get(word, ()):
                named = word in self.names[self.lines[at].path] and ranks.get(self.lines[at].path, 0) >= 5
                scores[at] += worth if named else 2 * worth
                for below in self.below.get(at, ()):
                    under[below] += worth
        for at in scores:
            scores[at] += under[at]
            rank = ranks.get(self.lines[at].path, 0)
            scores[at] += 20 if rank >= 6 else 12 if rank == 5 else 0
            scores[at] += 4 * bool(_SETTING.search(self.lines[at].text)) - 4 * bool(_HEADING.search(self.lines[at].text))
        best = sorted(scores, key=lambda at: (-scores[at], at))[:MAX_LINES]
        return tuple(self.lines[at] for at in list(dict.fromkeys([*self._placed(request, ranks), *best]))[:MAX_LINES])

    def _placed(self, request: str, ranks: Mapping[str, int]) -> list[int]:
        """Lines that the request names by where they stand, in the files that it names: "the last line", "line 12"."""
        lowered = request.lower()
        named = [path for path in sorted(ranks, key=lambda path: (-ranks[path], path)) if ranks[path] >= 5 and path in self.by_path]
        found: list[int] = []
        for path in named[:2]:
            places = self.by_path[path]
            found += [places[0]] if _FIRST.search(lowered) else []
            found += [places[-1]] if _LAST.search(lowered) else []
            wanted = {int(number) for number in _NUMBERED.findall(lowered)}
            found += [at for at in places if self.lines[at].number in wanted][:2]
        return found


def folded(text: str) -> list[str]:
    """Words in a form in which `samples` and `sampling` are one."""
    return [_fold(word) for word in _WORD.findall(_CAMEL.sub(" ", text).lower())]


def telling(request: str) -> list[str]:
    words = _WORD.findall(_CAMEL.sub(" ", request).lower())
    return list(dict.fromkeys(_fold(word) for word in words if word not in STOP_WORDS and word not in _ABOUT_LINES and (len(word) > 1 or word.isdigit())))


def _fold(word: str) -> str:
    return (word[:-1] if len(word) > 3 and word.endswith("s") else word)[:6]
