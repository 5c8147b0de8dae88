"""Documents out of the development hands: each time another world, other strings, and one of the steps as what is to be written."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ..clauses import clauses_of
from ..decode import Situation
from ..format import Sources
from ..hands.align import align
from ..hands.calls import Written, to_call
from ..hands.folder import Folder, parent
from ..lines import LineIndex
from ..sources import LISTING, PathIndex, clause_sources, first_sources, project_scripts, recent_paths
from ..spans import is_span
from .chains import JOINS
from .frames import Speaker
from .grammar import Grammar
from .noise import add_noise
from .strings import Strings
from .tasks import TaskMaker
from .worlds import World, training_hands

POOL = 16
# Other ways to do it that are tried where the first cannot be written.
MOST_READINGS = 6
# Of those from the hands, how many are made up for their folders.
TASK_SHARE = 0.25
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


# Words a hasty writer leaves out.
_DROPPED = re.compile(r"\b(?:the|a|an|my|our|please|just|me|that|to me|for me|of)\b ", re.IGNORECASE)
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


class Past(NamedTuple):
    """A call that was made, its result, and what is shown behind it: another clause with its sources, or what the result speaks of."""

    call: Written
    ok: bool
    result: str
    clause: str = ""
    sources: Sources = Sources()


class Example(NamedTuple):
    """A request, what was done on it so far, and what is to be written next."""

    text: str
    sources: Sources
    past: tuple[Past, ...]
    call: Written | None
    form: str
    reason: str
    labels: dict[str, str]


class HandMaker:
    def __init__(self, strings: Strings, grammar: Grammar) -> None:
        self.strings = strings
        self.grammar = grammar
        self.names = training_hands()
        self.tasks = TaskMaker(strings)
        self.worlds = [self._world() for _ in range(POOL)]

    def _world(self) -> World:
        share = self.strings.pick((0.0, 0.1, 0.3, 0.6))
        return World(self.strings.pick(self.names), self.strings, share)

    def make(self) -> Example:
        s = self.strings
        at = s.number(0, POOL - 1)
        if s.chance(0.01):
            self.worlds[at] = self._world()
        world = self.worlds[at]
        while True:
            if s.chance(TASK_SHARE):
                if s.chance(0.25):
                    if text := self.tasks.unwanted(world):
                        return self._nothing(world, text)
                    continue
                found = self._acting(world, made) if (made := self.tasks.make(world)) else None
                if found and found.form != "refuse":
                    return found
                continue
            row = self._said_by_any(world, s.pick(world.by_kind[_drawn_kind(s)]))
            if row["kind"] == "no":
                return self._refused(world, row)
            if s.chance(0.15) and row["kind"] != "chain":
                row = self._joined(row, self._said_by_any(world, s.pick(world.rows)))
            elif s.chance(0.15):
                row = first_clause(row)
            found = self._unwanted(world, row) if s.chance(0.12) else self._acting(world, row)
            if found:
                return found

    def _said_by_any(self, world: World, row: dict[str, Any]) -> dict[str, Any]:
        """The request in its writer's words or, as likely each, in those of another person."""
        ways = (row["request"], *world.said_by_others.get(row["id"], ()))
        return row | {"request": self.strings.pick(ways)} if len(ways) > 1 else row

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
        text = self._in_mood(world.request(row), row["kind"])
        return self._nothing(world, text) if text else None

    def _nothing(self, world: World, text: str) -> Example:
        text = self._typed_differently(text, ())
        labels = {"task": "explain", "complexity": "low", "needs": "no", "category": "answer"}
        return Example(text, self._sources(world, text), (), None, "refuse", "not-asked", labels)

    def _in_mood(self, request: str, kind: str) -> str | None:
        s = self.strings
        order = re.sub(r"^(?:please|pls|kindly|ok|hey|now),? ", "", request, flags=re.IGNORECASE)
        if kind == "look" or order.split(" ")[0].lower() not in _VERBS or order.endswith("?"):
            return None
        plain = order[:1].lower() + order[1:].rstrip(".!")
        if s.chance(0.6):
            return Speaker(s).mood(plain)
        mood = self.grammar.draw("mood.vp", s.random)
        return "".join(plain if piece == ("vp", "") else str(piece) for piece in mood)

    def _sources(self, world: World, text: str) -> Sources:
        return first_sources(clauses_of(text), text, world.index, world.scripts, world.lines)

    def _refused(self, world: World, row: dict[str, Any]) -> Example:
        text = self._typed_differently(world.request(row), ())
        return Example(text, self._sources(world, text), (), None, "refuse", REASON_OF[row["why"]], labels_of(row))

    def _acting(self, world: World, row: dict[str, Any]) -> Example | None:
        s = self.strings
        options = [row["effect"], *row["also"]]
        steps = row["effect"] if s.chance(0.8) else s.pick(options)
        text = row["request"] if row.get("made") else world.request(row)
        steps = steps if row.get("made") else world.said(steps)
        if not steps:
            return None
        text, steps = self._other_strings(text, steps)
        text = self._typed_differently(text, steps)
        if len(text) > 1500:
            return None
        sources = self._sources(world, text)
        for reading in [steps, *(world.said(other) for other in row["also"][:MOST_READINGS])]:
            played = reading and _Player(world, text, sources, s).play(align(clauses_of(text), reading))
            if played:
                past, call, form = played
                return Example(text, sources, past, call, form, "", labels_of(row))
        # Nothing that could be written says it: neither can the person be served, nor guessed at.
        return Example(text, sources, (), None, "refuse", "unclear", labels_of(row)) if s.chance(0.2) else None

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
        if s.chance(0.2):
            pieces = [piece if piece in keep else _DROPPED.sub(lambda match: "" if s.chance(0.4) else match.group(), piece) for piece in pieces]
        voice = "same" if r < 0.7 else "lower" if r < 0.8 else "shouting" if r < 0.82 else "sloppy"
        return "".join(piece if piece in keep else _noisy(piece, voice, s) for piece in pieces)

    def _with_frame(self, text: str) -> str:
        s = self.strings
        opener = s.pick(("hey", "hi,", "ok,", "so,", "please", "quick one:", "hello!", "right,", "next:", "one more thing:"))
        closer = s.pick(("thanks", "please", "thx", "thank you!", "cheers", "ta"))
        return f"{opener} {text}" if s.chance(0.5) else f"{text.rstrip('.')}. {closer}" if text[-1:] in ".?!" else f"{text}, {closer}"


def _drawn_kind(strings: Strings) -> str:
    r = strings.random.random()
    return "no" if r < 0.34 else "chain" if r < 0.61 else "act" if r < 0.8 else "look"


def first_clause(row: dict[str, Any]) -> dict[str, Any]:
    """A chain cut after its first clause: one step less to be read over."""
    clauses = clauses_of(row["request"])
    if len(clauses) < 2 or not row["effect"]:
        return row
    steps = align(clauses, row["effect"])[0]
    if len(steps) > 1:
        return row | {"request": clauses[0], "effect": steps, "also": []}
    do = steps[0]["do"]
    kind, task = ("look", "explain") if do in ("read", "list", "find", "search") else ("act", "orchestration" if do == "run" else "boilerplate")
    return row | {"request": clauses[0], "effect": steps, "also": [], "kind": kind, "task": task}


class _Player:
    """Carries out the steps of a request up to one drawn at random, as the program does: clause by clause."""

    def __init__(self, world: World, text: str, sources: Sources, strings: Strings) -> None:
        self.world = world
        self.strings = strings
        self.folder = Folder(world.files)
        self.clauses = clauses_of(text)
        self.situation = Situation(text, sources, ())
        self.past: list[Past] = []
        self.made: list[str] = []
        self.changed = False

    def play(self, parts: list[list[dict[str, Any]]]) -> tuple[tuple[Past, ...], Written | None, str] | None:
        """The calls so far and the next one, or the form where a clause is done. Nothing where the first step cannot be written."""
        s = self.strings
        ends = sum(map(len, parts))
        stop = 0 if s.chance(0.35) else s.number(1, ends) if ends > 1 else s.number(0, 1)
        count = 0
        for at, steps in enumerate(parts):
            if at > 0:
                self._next_clause(self.clauses[at])
                if not steps and s.chance(0.5):
                    return self._told(parts, at)
            for number, step in enumerate(steps):
                call = to_call(step, self.situation, self.folder)
                if call is None:
                    return (tuple(self.past[:-1]), self.past[-1].call, "") if self.past else None
                if count == stop:
                    return tuple(self.past), call, ""
                if not self._act(step, call):
                    return None
                count += 1
                last = number == len(steps) - 1
                if last and at < len(parts) - 1 and s.chance(0.2):
                    return self._told(parts, at)
        return self._told(parts, len(parts) - 1)

    def _told(self, parts: list[list[dict[str, Any]]], at: int) -> tuple[tuple[Past, ...], None, str]:
        done = [step for steps in parts[: at + 1] for step in steps]
        return tuple(self.past), None, _form(done[-1]["do"], self.clauses[at])

    def _act(self, step: dict[str, Any], call: Written) -> bool:
        ok, result = self.folder.act(step, self.strings.random)
        self.past.append(Past(call, ok, result))
        self.made += folders_of(call)
        self.changed = self.changed or step["do"] not in ("read", "list", "find", "search", "run")
        recent = recent_paths((past.call.real[0], past.call.real[1], past.ok, past.result) for past in self.past)
        if call.real[0] in LISTING:
            self._show("", Sources(paths=recent))
        made = tuple(dict.fromkeys(self.made))
        self.situation = self.situation._replace(result=(call.real[0], ok, result), made=made, recent=recent)
        return ok

    def _show(self, clause: str, sources: Sources) -> None:
        self.past[-1] = self.past[-1]._replace(clause=clause, sources=sources)

    def _next_clause(self, clause: str) -> None:
        world, files = self.world, self.folder.files
        index = PathIndex(files) if self.changed else world.index
        lines = LineIndex(files) if self.changed else world.lines
        scripts = project_scripts(files) if self.changed else world.scripts
        sources = clause_sources(clause, self.situation.recent, index, scripts, lines, self.situation.request)
        self._show(clause, sources)
        self.situation = self.situation._replace(sources=sources)


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


_TASK_OF = {
    "negated": "explain", "quoted": "explain", "chat": "explain", "hypothetical": "explain", "language": "explain", "about": "explain",
    "knowledge": "explain", "postponed": "planning", "conditional": "planning", "impossible": "orchestration", "vague": "boilerplate",
}  # fmt: skip


def _task_of(row: dict[str, Any]) -> str:
    """What most hands say of its kind: writers differ in what they call a chain, and a refusal has no task of its own."""
    if row["kind"] == "chain":
        return "orchestration"
    task = _TASK_OF.get(row.get("why", ""), row["task"])
    return "explain" if task == "chat" else task


def labels_of(row: dict[str, Any]) -> dict[str, str]:
    """Small talk is `explain`; work for a larger model has the category of its main effect, as everywhere."""
    task = _task_of(row)
    judged = row.get("why") == "judgement"
    category = _EFFECT_OF[task] if judged else row["category"]
    return {"task": task, "complexity": "mid" if judged else "low", "needs": "no" if category == "answer" else "yes", "category": category}
