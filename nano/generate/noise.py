"""How the same words look when different people type them: capitals, typos, missing letters, a second language.

Only the words around the slots are touched; what must be copied exactly stays as it is.
"""

from __future__ import annotations

import re
from random import Random

VOICES = (
    *("clean",) * 6, *("lower",) * 6, *("sloppy",) * 6, "foreign", "foreign", "foreign", "formal", "formal",
    "shouting",
)
_WORDS = re.compile(r"[A-Za-z']+")
_FIRST_PERSON = re.compile(r"\bi\b(?![.\-/])")
_NEIGHBOURS = {
    "a": "qsz", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj", "i": "uo", "j": "hk", "k": "jl", "l": "k",
    "m": "n", "n": "bm", "o": "ip", "p": "o", "q": "w", "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb", "w": "qe", "x": "zc",
    "y": "tu", "z": "x",
}  # fmt: skip
_SLANG = tuple(
    (re.compile(rf"\b{re.escape(long)}\b"), short.split("|"))
    for long, short in {
        "give me": "gimme", "let me": "lemme", "want to": "wanna", "going to": "gonna", "got to": "gotta", "i don't know": "idk", "something": "smth|sth",
        "without": "w/o", "with": "w/|w", "please": "pls|plz", "okay": "k|ok", "right now": "rn", "because": "cuz|bc", "you": "u", "your": "ur", "are": "r",
        "why": "y", "and": "n|&", "though": "tho", "thanks": "thx|ty", "thank you": "ty|thx", "about": "abt", "real quick": "rq", "what is": "whats|wats",
        "directory": "dir", "repository": "repo", "configuration": "config", "documentation": "docs", "application": "app", "function": "func|fn",
        "variable": "var", "message": "msg", "version": "ver", "database": "db", "background": "bg", "command": "cmd", "for": "4", "before": "b4",
        "really": "rly", "people": "ppl", "tomorrow": "tmrw", "today": "2day", "i am": "im", "is there": "is there like", "what": "wat|wht", "the": "da|teh",
        "don't know why": "dunno why", "do not": "dont", "does not": "doesnt", "cannot": "cant", "need to": "needa", "kind of": "kinda", "out of": "outta",
    }.items()
)  # fmt: skip
_PREPOSITIONS = {
    "in": ("on", "at", "into"), "on": ("in", "at"), "to": ("for", "in", ""), "of": ("from", ""), "for": ("to",),
    "at": ("in", "on"), "with": ("by",),
}
_FOREIGN = (
    (
        re.compile(r"\bi want to\b"), "i want",
    ), (re.compile(r"\bi need to\b"), "i need"), (re.compile(r"\bcan you\b"), "you can"),
    (
        re.compile(r"\bwhat is\b"), "what it is",
    ), (re.compile(r"\bdo we have\b"), "we have"), (re.compile(r"\bdo you\b"), "you"),
    (re.compile(r"\bshow me\b"), "show to me"), (re.compile(r"\btell me\b"), "say me"), (re.compile(r"\bi am\b"), "i"),
    (
        re.compile(r"\bdoes not\b|\bdoesn't\b"), "not",
    ), (re.compile(r"\bis there\b"), "there is"), (re.compile(r"\bthere is\b"), "is"),
    (re.compile(r"\blook at\b"), "look on"), (
        re.compile(r"\bi'd like\b"), "i would like",
    ), (re.compile(r"\bwhere is\b"), "where it is"),
)  # fmt: skip


def add_noise(text: str, voice: str, random: Random) -> str:
    if voice == "lower":
        return text.lower().replace("'", "" if random.random() < 0.5 else "'")
    if voice == "sloppy":
        return _sloppy(text, random)
    if voice == "foreign":
        return _foreign(text, random)
    if voice == "formal":
        text = text.replace(" pls", " please").replace("wanna ", "want to ").replace("gimme", "give me")
    if voice == "shouting" and random.random() < 0.4:
        return text.upper()
    return _FIRST_PERSON.sub("I", text) if random.random() < 0.8 else text


def _sloppy(text: str, random: Random) -> str:
    text = text.lower()
    for pattern, shorts in _SLANG:
        if random.random() < 0.3:
            text = pattern.sub(shorts[int(random.random() * len(shorts))], text)
    text = text.replace("'", "")
    rate = max(0.0, random.random() - 0.3) * 0.35
    return _WORDS.sub(lambda match: _typo(match.group(), random) if random.random() < rate else match.group(), text)


def _typo(word: str, random: Random) -> str:
    if len(word) < 3:
        return word
    at = int(random.random() * (len(word) - 1))
    kind = random.random()
    if kind < 0.4:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind < 0.65:
        return word[:at] + word[at + 1 :]
    if kind < 0.8:
        return word[:at] + word[at] + word[at:]
    near = _NEIGHBOURS.get(word[at], word[at])
    return word[:at] + near[int(random.random() * len(near))] + word[at + 1 :]


def _foreign(text: str, random: Random) -> str:
    text = text.lower() if random.random() < 0.5 else text
    for pattern, other in _FOREIGN:
        if random.random() < 0.4:
            text = pattern.sub(other, text)
    if random.random() < 0.4:
        text = _FIRST_PERSON.sub("I", text)
    return _WORDS.sub(lambda match: _foreign_word(match.group(), random), text).replace("  ", " ")


def _foreign_word(word: str, random: Random) -> str:
    if word in ("the", "a", "an") and random.random() < 0.45:
        return ""
    if word in _PREPOSITIONS and random.random() < 0.12:
        options = _PREPOSITIONS[word]
        return options[int(random.random() * len(options))]
    return word


def finish_sentence(text: str, voice: str, random: Random) -> str:
    """A capital first letter and an end mark, where this voice cares."""
    if voice in ("clean", "formal") and text[:1].islower() and random.random() < 0.75:
        return text[0].upper() + text[1:]
    return text
