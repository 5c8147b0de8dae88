"""The folders of the development hands with other names in them.

A world is one hand's folder and requests in which some of the words that files are named by, or that are looked for and changed, are
replaced by others, everywhere alike. So a request stays as its writer put it, while what must be copied differs each time.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..lines import LineIndex
from ..sources import RUNNERS, TYPE_WORDS, PathIndex, project_scripts
from ..spoken import typed
from ..words import NUMBERS, STOP_WORDS
from .strings import Strings

HANDS = Path(__file__).parent.parent / "hands"
TEST_HANDS = frozenset(
    "backend frontend researcher student teacher android bioinfo firechief landlord brewer hotelier quant sre carpenter intern astronomer barista dataops designer luthier sysop schoolit fintech gymowner astrolab agency ferryops gopherapi mlops optician "
    "gridops ecologist flaskdev phpclub rustgame nodeteam".split()
)
# Left out of training: what is chosen is chosen by it.
VALIDATION_HANDS = frozenset("ngo qa clerk slapdash iot quilter pyshop warehouse".split())
# What the weights say to writers they do not know teaches whom to believe.
REPLY_HANDS = frozenset("bossy chobby gamejam homelab pybeginner thesis voicemom webshop memelord packer estudiante paster".split())

_LETTERS = re.compile(r"[A-Za-z]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_FIXED = frozenset(
    """make python bash node npm main test tests build clean readme todo makefile script scripts config src docs notes logs true false
    include define return import const print echo grep bash the this that with from into after before first last line lines copy move
    rename delete remove folder file files write change replace append open show list find search read create template draft old archive
    backup backups settings report reports done also only should would could have been there their about yes minute hour days week""".split()
)


@lru_cache(maxsize=None)
def load_hand(name: str) -> tuple[dict[str, str], tuple[dict[str, Any], ...]]:
    folder = json.loads((HANDS / name / "folder.json").read_text(encoding="utf-8"))
    lines = (HANDS / name / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    return folder, tuple(json.loads(line) for line in lines if line.strip())


@lru_cache(maxsize=None)
def load_said(name: str) -> dict[str, tuple[str, ...]]:
    """How other people put the requests of a hand, by id: the same wish, the same strings to copy."""
    file = HANDS / name / "said.jsonl"
    said: dict[str, tuple[str, ...]] = {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        row = json.loads(line)
        said[row["id"]] = (*said.get(row["id"], ()), row["request"])
    return said


def training_hands() -> list[str]:
    names = sorted(path.parent.name for path in HANDS.glob("*/requests.jsonl"))
    return [name for name in names if name not in TEST_HANDS | VALIDATION_HANDS | REPLY_HANDS]


@lru_cache(maxsize=None)
def _changeable(name: str) -> tuple[str, ...]:
    """Words of paths and of what the labels copy, that are no part of how one speaks."""
    folder, rows = load_hand(name)
    texts = list(folder)
    for row in rows:
        for step in row["effect"]:
            texts += [value for key, value in step.items() if key not in ("do", "command") and isinstance(value, str) and len(value) < 80]
    words = Counter(word.lower() for text in texts for raw in _LETTERS.findall(text) for word in _CAMEL.findall(raw))
    kept = _common() | _FIXED | STOP_WORDS | set(TYPE_WORDS) | set(TYPE_WORDS.values()) | set(NUMBERS) | set(RUNNERS.values())
    return tuple(sorted(word for word in words if len(word) >= 4 and word not in kept and word.rstrip("s") not in kept))


@lru_cache(maxsize=None)
def _common() -> frozenset[str]:
    """Words that several hands use: those are how one speaks, whatever else they name."""
    used = Counter(word for name in training_hands() for word in {word for row in load_hand(name)[1] for word in _words(row["request"])})
    return frozenset(word for word, count in used.items() if count >= 3)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _LETTERS.findall(text)]


class World:
    def __init__(self, name: str, strings: Strings, share: float) -> None:
        folder, rows = load_hand(name)
        self.renamed = {word: _another(word, strings) for word in _changeable(name) if strings.chance(share)}
        self._pattern = (
            re.compile(r"(?<![A-Za-z])(?:" + "|".join(sorted(map(re.escape, self.renamed), key=len, reverse=True)) + r")(?=s?(?![a-z]))", re.IGNORECASE)
            if self.renamed
            else None
        )
        self.files = {self.said(path): self.said(text) for path, text in folder.items()}
        if len(self.files) < len(folder):  # two paths became one
            self.renamed, self._pattern, self.files = {}, None, dict(folder)
        self.index = PathIndex(self.files)
        self.lines = LineIndex(self.files)
        self.scripts = project_scripts(self.files)
        self.rows = rows
        self.said_by_others = load_said(name)
        self.by_kind = {kind: [row for row in rows if row["kind"] == kind] for kind in ("no", "chain", "act", "look")}

    def said(self, value: Any) -> Any:
        """The same with this world's words."""
        if isinstance(value, str):
            return self._pattern.sub(self._replace, value) if self._pattern else value
        if isinstance(value, list):
            return [self.said(item) for item in value]
        return {key: item if key == "do" else self.said(item) for key, item in value.items()} if isinstance(value, dict) else value

    def request(self, row: dict[str, Any]) -> str:
        return typed(self.said(row["request"]))

    def _replace(self, match: re.Match[str]) -> str:
        word = match.group()
        other = self.renamed[word.lower()]
        if word.isupper():
            return other.upper()
        return other.capitalize() if word[0].isupper() else other


def _another(word: str, strings: Strings) -> str:
    s = strings
    while True:
        other = s.one_of(s.noun, s.noun, s.tech, s.any_word, lambda: s.pick(s.words["name"])).lower()
        if other.isalpha() and other.isascii() and len(other) >= 3 and other not in _FIXED and other not in STOP_WORDS:
            return other[:-1] if other.endswith("s") and len(other) > 4 else other
