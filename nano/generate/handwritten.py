"""Documents out of the development hands: each time another world, other strings, and one of the steps as what is to be written."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ..decode import Situation
from ..format import Sources
from ..hands.calls import Written, to_call
from ..hands.folder import Folder, parent
from ..sources import find_sources
from ..spans import is_span
from .chains import JOINS
from .grammar import Grammar
from .noise import add_noise
from .strings import Strings
from .worlds import World, training_hands

POOL = 12
REASON_OF = {
    "knowledge": "too-hard", "judgement": "too-hard", "about": "not-asked", "negated": "not-asked", "postponed": "not-asked",
    "conditional": "not-asked", "hypothetical": "not-asked", "quoted": "not-asked", "impossible": "no-tool", "vague": "unclear",
    "chat": "chat", "language": "no-tool",
}  # fmt: skip
_EFFECT_OF = {
    "refactor": "write", "generation": "write", "boilerplate": "write", "unit_test": "write", "review": "read", "security_review": "read",
    "debug": "read", "explain": "read", "planning": "meta", "orchestration": "run",
}  # fmt: skip
_FORM_OF = {"read": "text", "list": "list", "find": "list", "search": "list", "run": "exit"}
_COUNTED = re.compile(r"\bhow (?:many|often|much)\b|\bcount\b|\bnumber of\b", re.IGNORECASE)
_EXISTS = re.compile(r"^(?:\W*(?:hey|hi|so|and|ok|um),? )?(?:is|are|do|does|did|has|have) (?:there|we|i|it|any|some|you)\b", re.IGNORECASE)


_VERBS = frozenset(
    """add append put write create make start copy duplicate move rename delete remove bin drop change set replace swap turn raise lower bump
    run execute build test install update edit insert strike take cross mark tick correct fix increase reduce clean save store file mkdir cp
    mv rm switch enable disable note record stick throw get""".split()
)
_ALIKE = {
    word: group
    for line in (
        "show display print open view", "look peek glance", "change alter modify switch", "replace swap exchange", "add append attach",
        "create make", "folder directory dir", "file document", "delete remove erase", "copy duplicate", "rename retitle", "move shift transfer",
        "find locate", "search grep look", "run execute start launch", "please kindly pls", "bottom end", "top beginning start", "list enumerate",
        "then afterwards next", "tell inform", "says reads contains", "saying containing with", "called named", "set put", "inside in within",
        "tomorrow later tonight", "never not", "should must", "maybe perhaps", "line row entry", "text wording", "whole entire complete",
    )
    for group in [tuple(line.split())]
    for word in group
}  # fmt: skip


class Example(NamedTuple):
    """A request, what was done on it so far, and what is to be written next."""

    text: str
    sources: Sources
    past: tuple[tuple[Written, bool, str], ...]
    call: Written | None
    form: str
    reason: str
    labels: dict[str, str]


class HandMaker:
    def __init__(self, strings: Strings, grammar: Grammar) -> None:
        self.strings = strings
        self.grammar = grammar
        self.names = training_hands()
        self.worlds = [self._world() for _ in range(POOL)]

    def _world(self) -> World:
        share = self.strings.pick((0.1, 0.3, 0.6, 0.9))
        return World(self.strings.pick(self.names), self.strings, share)

    def make(self) -> Example:
        s = self.strings
        at = s.number(0, POOL - 1)
        if s.chance(0.01):
            self.worlds[at] = self._world()
        world = self.worlds[at]
        while True:
            row = s.pick(world.rows)
            if row["kind"] == "no":
                return self._refused(world, row)
            if s.chance(0.1) and row["kind"] != "chain":
                row = self._joined(row, s.pick(world.rows))
            found = self._unwanted(world, row) if s.chance(0.12) else self._acting(world, row)
            if found:
                return found

    def _joined(self, row: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
        """Two requests of the same hand as one."""
        if other["kind"] not in ("look", "act") or "?" in row["request"] or len(row["request"]) + len(other["request"]) > 240:
            return row
        second = other["request"][:1].lower() + other["request"][1:]
        text = self.strings.pick(JOINS).replace("{a}", row["request"].rstrip(".")).replace("{b}", second)
        steps = [*row["effect"], *other["effect"]]
        swapped = text.find(second) < text.find(row["request"].rstrip("."))
        return row | {"kind": "chain", "request": text, "effect": steps, "also": []} if not swapped else row

    def _unwanted(self, world: World, row: dict[str, Any]) -> Example | None:
        """An order of this hand, asked about, forbidden or put off: nothing is to be done."""
        order = re.sub(r"^(?:please|pls|kindly|ok|hey|now),? ", "", world.request(row), flags=re.IGNORECASE)
        if row["kind"] == "look" or order.split(" ")[0].lower() not in _VERBS or order.endswith("?"):
            return None
        mood = self.grammar.draw("mood.vp", self.strings.random)
        text = "".join(order[:1].lower() + order[1:].rstrip(".!") if piece == ("vp", "") else str(piece) for piece in mood)
        labels = {"task": "explain", "complexity": "low", "needs": "no", "category": "answer"}
        return Example(text, self._sources(world, text), (), None, "refuse", "not-asked", labels)

    def _sources(self, world: World, text: str) -> Sources:
        return find_sources(text, world.index, world.scripts, (), world.lines)

    def _refused(self, world: World, row: dict[str, Any]) -> Example:
        text = self._typed_differently(world.request(row), ())
        return Example(text, self._sources(world, text), (), None, "refuse", REASON_OF[row["why"]], labels_of(row))

    def _acting(self, world: World, row: dict[str, Any]) -> Example | None:
        s = self.strings
        options = [row["effect"], *row["also"]]
        steps = world.said(row["effect"] if s.chance(0.8) else s.pick(options))
        text = world.request(row)
        if not steps:
            return None
        text, steps = self._other_strings(text, steps)
        text = self._typed_differently(text, steps)
        if len(text) > 1500:
            return None
        past, call = self._played(world, text, steps)
        sources = self._sources(world, text)
        if call is None and len(past) < len(steps):
            if past:
                return None
            # Nothing that could be written says it: neither can the person be served, nor guessed at.
            return Example(text, sources, (), None, "refuse", "unclear", labels_of(row)) if s.chance(0.5) else None
        form = _form(steps[-1]["do"], text) if call is None else ""
        return Example(text, sources, past, call, form, "", labels_of(row))

    def _played(self, world: World, text: str, steps: list[dict[str, Any]]) -> tuple[tuple, Written | None]:
        """Up to a step drawn at random; the first one is the one that matters most."""
        s = self.strings
        stop = 0 if s.chance(0.5) else s.number(0, len(steps))
        folder = Folder(world.files)
        situation = Situation(text, self._sources(world, text), ())
        past: list[tuple[Written, bool, str]] = []
        made: list[str] = []
        for at, step in enumerate(steps):
            call = to_call(step, situation, folder)
            if call is None:
                return tuple(past), None
            if at == stop:
                return tuple(past), call
            ok, result = folder.act(step, s.random)
            if not ok:
                return (), None
            past.append((call, ok, result))
            made += folders_of(call)
            situation = situation._replace(result=(call.real[0], ok, result), made=tuple(dict.fromkeys(made)))
        return tuple(past), None

    # -- other words

    def _other_strings(self, text: str, steps: list[dict[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
        """Texts that the request spells become others of their kind; later steps that name them follow."""
        s = self.strings
        for at, step in enumerate(steps):
            key = {"write": "content", "append": "content", "search": "text"}.get(step["do"])
            value = step.get(key) if key else None
            if not value or "\n" in value or text.count(value) != 1 or not is_span(text, value) or not s.chance(0.55):
                continue
            if key == "text" and any(value.lower() in str(other).lower() for other in steps[at + 1 :]):
                continue
            other = self._like(value)
            if other in text or '"' in other and '"' in text or "'" in other and "'" in text:
                continue
            text = text.replace(value, other)
            steps = [{name: _swapped(item, value, other) if name != "do" else item for name, item in one.items()} for one in steps]
        return self._other_numbers(text, steps)

    def _like(self, value: str) -> str:
        s = self.strings
        words = len(value.split())
        if words == 1:
            return s.one_of(s.any_word, s.identifier, s.noun, s.tech)
        prefix = "- " if value.startswith("- ") else ""
        return prefix + s.one_of(s.phrase, s.sentence, s.list_item, s.phrase).lstrip("- ").rstrip(".")

    def _other_numbers(self, text: str, steps: list[dict[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
        """The new value of an edit, where it is a number that stands nowhere else."""
        s = self.strings
        for step in steps:
            if step["do"] != "edit" or not s.chance(0.6):
                continue
            numbers = [number for number in re.findall(r"(?<![\w.,:-])\d+(?![\w.,:-]*\w)", step["new"]) if number not in step["old"]]
            for number in numbers[:1]:
                if len(re.findall(rf"(?<![\w.,]){number}(?!\w|[.,]\d)", text)) != 1 or text.count(number) != 1:
                    continue
                other = str(s.number(2, 9 * 10 ** len(number)))
                if other in text:
                    continue
                text = text.replace(number, other)
                steps = [{k: _swapped(v, number, other) if k == "new" else v for k, v in one.items()} for one in steps]
        return text, steps

    def _typed_differently(self, text: str, steps: Any) -> str:
        """Now and then in small or capital letters or with slips, but never inside what is copied."""
        s = self.strings
        r = s.random.random()
        if r < 0.45:
            return text
        kept = sorted({str(v) for step in steps for k, v in step.items() if k != "do" and len(str(v)) > 1}, key=len, reverse=True)
        kept += [word for word in text.split() if re.search(r"[./_\d<>=\"'`]", word)]
        pattern = re.compile("(" + "|".join(map(re.escape, kept)) + ")") if kept else None
        pieces = pattern.split(text) if pattern else [text]
        keep = set(kept)
        if r > 0.93:
            return self._with_frame(text)
        voice = "same" if r < 0.7 else "lower" if r < 0.8 else "shouting" if r < 0.82 else "sloppy"
        return "".join(piece if piece in keep else _noisy(piece, voice, s) for piece in pieces)

    def _with_frame(self, text: str) -> str:
        s = self.strings
        opener = s.pick(("hey", "hi,", "ok,", "so,", "please", "quick one:", "hello!", "right,", "next:", "one more thing:"))
        closer = s.pick(("thanks", "please", "thx", "thank you!", "cheers", "ta"))
        return f"{opener} {text}" if s.chance(0.5) else f"{text.rstrip('.')}. {closer}" if text[-1:] in ".?!" else f"{text}, {closer}"


def _noisy(piece: str, voice: str, strings: Strings) -> str:
    """With other words for some, then as this voice types."""
    said = re.sub(r"[a-z]+", lambda match: _said_otherwise(match.group(), strings), piece)
    return add_noise(said, voice, strings.random) if said.strip() and voice != "same" else said


def _said_otherwise(word: str, strings: Strings) -> str:
    return strings.pick(_ALIKE[word]) if word in _ALIKE and strings.chance(0.3) else word


def _swapped(value: Any, old: str, new: str) -> Any:
    return value.replace(old, new) if isinstance(value, str) else value


def _form(do: str, text: str) -> str:
    if do in ("list", "find", "search"):
        if _COUNTED.search(text):
            return "count"
        if do != "list" and _EXISTS.search(text):
            return "exists"
    return _FORM_OF.get(do, "done")


def folders_of(call: Written) -> list[str]:
    """Where something was made or put: a later step may put more there."""
    name, arguments = call.real
    if name == "make_folder":
        return [f"{arguments['path'].rstrip('/')}/"]
    paths = [value for key, value in arguments.items() if key in ("path", "to") and isinstance(value, str)]
    return [f"{parent(path)}/" for path in paths if parent(path)]


def labels_of(row: dict[str, Any]) -> dict[str, str]:
    """Small talk is `explain`; work for a larger model has the category of its main effect, as everywhere."""
    task = "explain" if row["task"] == "chat" else row["task"]
    judged = row.get("why") == "judgement"
    category = _EFFECT_OF[task] if judged else row["category"]
    return {"task": task, "complexity": "mid" if judged else "low", "needs": "no" if category == "answer" else "yes", "category": category}
