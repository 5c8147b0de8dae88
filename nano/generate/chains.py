"""Requests of several steps: `list src, then open main.ts`, `create hello.py with … and run it`, `change A to B and test`.

Each step is a verb phrase of its own with its own slots; what ties them together (the same file, "it") is set beforehand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..format import Sources
from ..sources import find_sources
from .intents import POSITIVE, Call, Intent, task_of
from .noise import VOICES
from .project import Project, Reference, refer
from .requests import RequestMaker, _Core, allowed
from .slots import Slots

_BY_NAME = {intent.name: intent for intent in POSITIVE}
JOINS = (
    "{a}, then {b}", "{a} and then {b}", "{a} and {b}", "{a}, {b}", "{a}. Then {b}", "first {a}, then {b}", "{a}; {b}", "{a}, and after that {b}",
    "{a}. After that {b}", "{a}\n{b}", "{a}, afterwards {b}", "1. {a}\n2. {b}", "{a}. Once that's done, {b}", "{a} and after it {b}", "{a}, and {b}",
    "{a}, next {b}", "{a}. {b}", "first {a} and then {b}", "start with this: {a}, and finally {b}", "{a}, when done {b}", "{a} then {b}", "{a} & {b}",
    "{a}. Also {b}", "{a}, also {b}", "{a}, followed by this: {b}", "{b}, but first {a}", "before you {b}, {a}", "{a} first, then {b}", "- {a}\n- {b}",
    "{a}, thereafter {b}", "{a}. Next, {b}", "{a} and afterwards {b}", "step 1: {a}, step 2: {b}", "{a} so that you can {b}", "{a}. When that works, {b}",
)  # fmt: skip
_AFTER_QUESTION = (
    "{a} {b}", "{a} {b}", "{a} then {b}", "{a} Then {b}", "{a} and then {b}", "{a}\n{b}", "{a} {b} after that", "{a} {b} afterwards",
    "{a} And {b}", "{a} Next, {b}", "{a} Also {b}", "{a} And then {b}", "{a} {b} then",
)  # fmt: skip
_LOOKING = ("list", "list_root", "text", "quick_search", "find", "find_name", "read", "list_topic", "scoped", "git_status", "quick_list", "named")
_IT = (
    "it", "it", "it", "that", "this", "the file", "the script", "that file", "that script", "the thing", "it once",
    "the new file", "the result",
)
_RUN = ("run", "run", "execute", "start", "try", "launch", "call", "test", "fire")
_SHOW = (
    "show {it}", "show me {it}", "print {it}", "read {it} back to me", "open {it}", "display {it}", "let me see {it}", "cat {it}", "read {it}", "show {it} to me",
    "give me {it}", "read {it} to me", "show what's in {it}", "view {it}", "bring {it} up", "tell me what {it} says now", "let me read {it}", "show the contents of {it}",
)  # fmt: skip
_TELL = (
    "", "", "", "", " and tell me the result", ", tell me what it prints", ", report back", " and show me the output",
    ", then stop", " and say how it went", ", let me know", " and report the result",
)
_SHOWN_NAMES = ("the file", "the result", "the new version", "it afterwards", "the change")


class Step(NamedTuple):
    call: Call
    form: str
    task: str


class Chain(NamedTuple):
    text: str
    steps: list[Step]
    sources: Sources
    project: Project


class _Draft(NamedTuple):
    """A step while its call still waits for the sources of the whole text."""

    text: str
    intent: Intent
    slots: Slots
    ends_bare: bool
    asks: bool = False  # a whole question: another sentence follows


class ChainMaker:
    def __init__(self, requests: RequestMaker) -> None:
        self.requests = requests
        self.strings = requests.strings
        plain = [
            name for name in _BY_NAME if f"{name}.vp" in requests.grammar.sections and name not in (
                "patch", "ask", "promote", "job_output_named", "job_stop_named",
            )
        ]
        self.intents = [_BY_NAME[name] for name in plain]
        self.weights = [intent.weight for intent in self.intents]

    def make(self) -> Chain:
        kinds: tuple[Callable[..., list[_Draft]], ...] = (
            self._free, self._free, self._write_run, self._write_run, self._look_read, self._look_read, self._look_read,
            self._change_show, self._change_show, self._change_check, self._change_check, self._runs, self._change_look,
            self._read_change, self._look_read,
        )  # fmt: skip
        while True:
            project = self.requests.project()
            scripts = list(project.scripts)
            drafts = self.strings.pick(kinds)(project, self.strings.pick(VOICES), scripts)
            chain = self._joined(drafts, project, scripts) if drafts else None
            if chain:
                return chain

    # -- what goes together

    def _free(self, project: Project, voice: str, scripts: list) -> list[_Draft]:
        count = 2 if self.strings.chance(0.8) else 3
        intents = self.requests.random.choices(self.intents, self.weights, k=count)
        return [self._draft(intent, project, voice, scripts) for intent in intents]

    def _write_run(self, project: Project, voice: str, scripts: list) -> list[_Draft]:
        s = self.strings
        folder = s.pick(("", "", "", f"{s.tech()}/", "scripts/"))
        path = f"{folder}{s.one_of(s.any_word, s.tech, s.noun)}.{s.pick(('py', 'py', 'py', 'sh', 'sh', 'js', 'mjs'))}"
        first = self._draft(_BY_NAME["new"], project, voice, scripts, {"newpath": Reference(path, path, False)})
        slots = Slots(project, self.requests.grammar, s)
        slots.values["runfile"] = path
        what = s.pick(_IT) if s.chance(0.75) else path
        text = f"{s.pick(_RUN)} {what}{s.pick(_TELL)}"
        return [
            first,
            _Draft(self.requests._noisy(text, voice) if what != path else text, _BY_NAME["file_run"], slots, False),
        ]

    def _look_read(self, project: Project, voice: str, scripts: list) -> list[_Draft]:
        s = self.strings
        if not project.files:
            return []
        file = s.pick(project.files)
        folder = file.rpartition("/")[0]
        kind = s.pick(
            ("list", "list", "list", "text", "quick_search", "find", "list_root", "named", "find_name", "git_status", "code")
        )
        kind = "list_root" if kind == "list" and not folder else kind
        given = {"folder": refer(f"{folder}/", project, s)} if kind == "list" else None
        first = self._draft(_BY_NAME[kind], project, voice, scripts, given)
        path = {"path": refer(file, project, s)}
        second = self._draft(_BY_NAME[s.pick(("read", "read", "quick_read"))], project, voice, scripts, path)
        return [first, second]

    def _read_change(self, project: Project, voice: str, scripts: list) -> list[_Draft]:
        """A look at a file first, then a change of the same one, which is named once."""
        s = self.strings
        if not project.files:
            return []
        path = refer(s.pick(project.files), project, s)
        first = self._draft(_BY_NAME[s.pick(("read", "quick_read"))], project, voice, scripts, {"path": path})
        key, name = s.pick((("oldpath", "append"), ("oldpath", "quick_append"), ("path", "edit"), ("path", "quick_edit")))
        it = s.pick(("it", "it", "that file", "the same file", "the file", path.text))
        return [first, self._draft(_BY_NAME[name], project, voice, scripts, {key: path._replace(text=it)})]

    def _change_show(self, project: Project, voice: str, scripts: list) -> list[_Draft]:
        s = self.strings
        name = s.pick(
            ("new", "append", "overwrite", "edit", "edit", "delete_text", "append", "quick_write", "quick_write", "quick_edit")
        )
        first = self._draft(_BY_NAME[name], project, voice, scripts)
        value = next(first.slots.values[key] for key in ("newpath", "oldpath", "path") if key in first.slots.values)
        slots = Slots(project, self.requests.grammar, s)
        slots.values["path"] = value
        surface = next(
            first.slots.surfaces[key] for key in ("newpath", "oldpath", "path") if key in first.slots.surfaces
        )
        named = s.chance(0.4)
        what = surface if named else s.pick((*_IT, *_SHOWN_NAMES))
        text = s.pick(_SHOW).replace("{it}", what)
        return [first, _Draft(text if named else self.requests._noisy(text, voice), _BY_NAME["read"], slots, False)]

    def _change_check(self, project: Project, voice: str, scripts: list) -> list[_Draft]:
        s = self.strings
        first = self._draft(
            _BY_NAME[s.pick(("edit", "edit", "quick_edit", "append", "delete_text", "new", "quick_write"))], project, voice, scripts,
        )
        second = s.pick(
            (
                "test_run", "test_run", "test_run", "build_run", "lint_run", "command", "script", "typecheck_run",
                "git_diff", "file_run",
            )
        )
        return [first, self._draft(_BY_NAME[second], project, voice, scripts)]

    def _change_look(self, project: Project, voice: str, scripts: list) -> list[_Draft]:
        s = self.strings
        first = self._draft(_BY_NAME[s.pick(("new", "edit", "remember", "empty", "append"))], project, voice, scripts)
        second = s.pick(("list", "list_root", "text", "find", "git_status", "list_root"))
        return [first, self._draft(_BY_NAME[second], project, voice, scripts)]

    def _runs(self, project: Project, voice: str, scripts: list) -> list[_Draft]:
        names = (
            "command", "script", "test_run", "build_run", "lint_run", "file_run", "clean_run", "install_run",
            "typecheck_run", "command",
        )
        count = 2 if self.strings.chance(0.75) else 3
        return [self._draft(_BY_NAME[self.strings.pick(names)], project, voice, scripts) for _ in range(count)]

    # -- text

    def _draft(
        self, intent: Intent, project: Project, voice: str, scripts: list, given: dict[str, Reference] | None = None,
    ) -> _Draft:
        requests = self.requests
        slots = Slots(project, requests.grammar, self.strings)
        for name, reference in (given or {}).items():
            slots.surfaces[name] = slots._refer(name, reference)
        if intent.script or intent.name == "script":
            requests._choose_script(intent, scripts, slots)
        asks = intent.name in _LOOKING and self.strings.chance(0.25) and f"{intent.name}.s" in requests.grammar.sections
        section = f"{intent.name}.{'s' if asks else 'vp'}"
        pieces = requests.grammar.draw(section if section in requests.grammar.sections else f"{intent.name}.np", requests.random)
        core = requests._render(pieces, voice if voice != "clean" else "formal", slots)
        text = core.text[:1].lower() + core.text[1:] if pieces and isinstance(pieces[0], str) else core.text
        if asks and text[-1:].isalnum():
            text += "?"
        return _Draft(text, intent, slots, core.ends_bare, text.endswith("?"))

    def _joined(self, drafts: list[_Draft], project: Project, scripts: list) -> Chain | None:
        s = self.strings
        text = drafts[0].text
        for before, draft in zip(drafts, drafts[1:]):
            join = s.pick(_AFTER_QUESTION if before.asks else JOINS)
            if len(drafts) > 2 and join.startswith(("{b}", "before")):
                join = "{a}, then {b}"
            text = join.replace("{a}", text.rstrip(".")).replace("{b}", draft.text)
        last = drafts[-1]
        if s.chance(0.3):
            wrapper = self.requests.grammar.draw("wrap", self.requests.random)
            text = "".join(text if piece == ("vp", "") else str(piece) for piece in wrapper)
        text = self.requests._decorate(_Core(text, s.pick(VOICES), last.ends_bare), last.ends_bare)
        sources = self.requests.decoys.add(find_sources(text, project.index, scripts), text, drafts[0].slots)
        listed = [path for draft in drafts for path in draft.slots.listed]
        if len(text) > 1500 or any(path not in sources.paths for path in listed):
            return None
        steps = []
        for draft in drafts:
            call = self.requests._call(draft.intent, draft.slots, sources)
            if call is None or not allowed(text, call, sources):
                return None
            steps.append(Step(call, draft.intent.form, task_of(draft.intent, call, draft.text)))
        return Chain(text, steps, sources, project)
