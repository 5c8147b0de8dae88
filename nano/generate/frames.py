"""Ways to say things, written by many people: a sentence with holes for what differs.

`nano/frames/*.tsv` holds one person's lines each, `kind <TAB> sentence`. A request is said by one of them, now and then with a part
in another's words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from .strings import Strings

FRAMES = Path(__file__).parent.parent / "frames"
MOODS = ("negated", "postponed", "conditional", "hypothetical", "about", "quoted")

Voice = dict[str, tuple[str, ...]]

_HOLE = re.compile(r"\{(\w+)\}")
# Behind another order these words join by themselves.
_JOINING = re.compile(r"(?:and|then|after|afterwards|also|plus|finally|next|when|once|lastly|later|now)\b|[,;&+>-]", re.IGNORECASE)
_MIXED = 0.25
# An order that can follow "don't" or "should I": a plain verb first, one sentence, nothing that only an order has.
_PLAIN_ORDER = re.compile(
    r"(?:add|append|put|write|create|make|start|copy|duplicate|move|rename|delete|remove|bin|drop|change|set|replace|swap|turn|raise|bump|run|execute|"
    r"update|edit|insert|strike|take|cross|mark|tick|correct|fix|save|store|switch|note|stick|throw|get|cut|kill|nuke|wipe|erase|scrap|ditch|trash|"
    r"amend|modify|file|shift|dump|launch|kick|clear|tack|pop|fire|whack|yank|rip|chuck|toss|zap|blow|drag|slap|rewrite|convert|flip|spin|dup|clone)\b[^.?!;:\n]*$",
    re.IGNORECASE,
)
_ORDERING = re.compile(r"\b(?:please|pls|plz|kindly|thanks|thx|you|u|for me|ya|would|could|can|now|asap|immediately|also)\b", re.IGNORECASE)


@lru_cache(maxsize=None)
def voices() -> tuple[Voice, ...]:
    return tuple(_load(file) for file in sorted(FRAMES.glob("*.tsv")))


def _load(file: Path) -> Voice:
    found: dict[str, list[str]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        kind, tab, sentence = line.partition("\t")
        if tab and _usable(kind, sentence):
            found.setdefault(kind, []).append(sentence.strip())
    return {kind: tuple(sentences) for kind, sentences in found.items()}


def _usable(kind: str, sentence: str) -> bool:
    """Steps are done in the order they are named: what names the second first would be learned wrongly."""
    if kind in ("join", "join3"):
        holes = _HOLE.findall(sentence)
        return holes == sorted(holes)
    return bool(sentence.strip())


@lru_cache(maxsize=None)
def _orders(kind: str) -> tuple[str, ...]:
    """Everybody's lines of this kind that are a bare order."""
    lines = (line.rstrip(".! ") for voice in voices() for line in voice.get(kind, ()))
    return tuple(line for line in lines if _PLAIN_ORDER.match(line) and not _ORDERING.search(line))


class Speaker:
    """One person, for one request."""

    def __init__(self, strings: Strings) -> None:
        self.strings = strings
        self.all = voices()
        self.own = strings.pick(self.all)

    def _lines(self, kind: str) -> tuple[str, ...]:
        voice = self.strings.pick(self.all) if self.strings.chance(_MIXED) else self.own
        return voice.get(kind) or self.own.get(kind) or next(lines for other in self.all if (lines := other.get(kind)))

    def say(self, kind: str, **values: str) -> str:
        """A sentence of this kind with its holes filled. One that has a hole nobody fills is not taken."""
        lines = [line for line in self._lines(kind) if set(_HOLE.findall(line)) <= set(values)]
        wanted = [line for line in lines if set(_HOLE.findall(line)) == set(values)]
        return fill(self.strings.pick(wanted or lines), values)

    def part(self, kind: str, **values: str) -> str:
        """The same as a part of a longer sentence: no question, no second sentence, if this person has such a line."""
        lines = [line for line in self._lines(kind) if set(_HOLE.findall(line)) == set(values)]
        plain = [line for line in lines if "?" not in line and not re.search(r"[.!]\s", line)]
        if not lines:
            return self.say(kind, **values).rstrip(".!? ")
        line = self.strings.pick(plain or lines)
        if re.match(r"[A-Z][a-z]", line) and self.strings.chance(0.8):
            line = line[:1].lower() + line[1:]
        return fill(line, values).rstrip(".!? ")

    def joined(self, *orders: str) -> str:
        """Orders one after the other."""
        if len(orders) == 3:
            return self.say("join3", a=orders[0], b=orders[1], c=orders[2])
        first, second = orders
        if _JOINING.match(second):
            return first + self.strings.pick((" ", ", ", " ", ". ", "; ")) + second
        return self.say("join", a=first, b=second)

    def order(self, kind: str, **values: str) -> str | None:
        """A bare order of this kind, in anybody's words."""
        lines = [line for line in _orders(kind) if set(_HOLE.findall(line)) == set(values)]
        return fill(self.strings.pick(lines), values) if lines else None

    def mood(self, order: str) -> str:
        return self.say(self.strings.pick(MOODS), do=order)


def fill(sentence: str, values: dict[str, str]) -> str:
    return _HOLE.sub(lambda match: values[match.group(1)], sentence)
