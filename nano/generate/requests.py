"""One request, as a person would type it, with the calls it means and its labels.

Templates give the words, slots the values, noise the voice. Whatever the call copies is checked against the same span and
source rules the program uses; an example that breaks them is drawn again, so that training never shows the impossible.
"""

from __future__ import annotations

import re
from itertools import accumulate
from random import Random
from typing import Any, NamedTuple

from ..format import Sources
from ..sources import find_sources, glob_candidates
from ..spans import boundaries
from ..tools import TOOLS
from .decoys import Decoys
from .grammar import Grammar, Piece
from .intents import NEGATIVE, POSITIVE, Call, Intent, hard_intents, task_of
from .lexicon import load_words
from .noise import VOICES, add_noise, finish_sentence
from .project import Project
from .slots import Slots
from .strings import Strings


class Request(NamedTuple):
    text: str
    intent: Intent
    call: Call | None
    form: str
    sources: Sources
    project: Project

    def labels(self) -> dict[str, str]:
        call = self.call
        category = self.intent.category or (TOOLS[call[0]].category if call else "answer")
        needs = "no" if category == "answer" else "yes"
        return {"task": task_of(self.intent, call, self.text), "complexity": self.intent.complexity, "needs": needs, "category": category}


class RequestMaker:
    POOL = 64

    def __init__(self, random: Random) -> None:
        words = load_words()
        self.random = random
        self.grammar = Grammar(words)
        self.strings = Strings(words, random)
        self.sections = {intent.name: self._sections_of(intent.name) for intent in (*POSITIVE, *NEGATIVE)}
        self.hard = hard_intents(set(self.grammar.sections))
        self.sections |= {intent.name: self._sections_of(intent.name) for intent in self.hard}
        self._cumulative = {
            id(group): list(accumulate(i.weight for i in group)) for group in (POSITIVE, NEGATIVE, self.hard)
        }
        self.decoys = Decoys(self.strings)
        self.topic = next(intent for intent in POSITIVE if intent.name == "read_topic")
        self.projects = [Project(self.strings) for _ in range(self.POOL)]

    def _sections_of(self, name: str) -> list[str]:
        """A section may come up several times: half of all requests are verb phrases in some wrapping."""
        found = []
        for kind, share in (("vp", 10), ("s", 8), ("np", 2)):
            if f"{name}.{kind}" in self.grammar.sections:
                found += [f"{name}.{kind}"] * share
        if not found:
            raise ValueError(f"no phrases for {name}")
        return found

    def pick_intent(self, group: tuple[Intent, ...]) -> Intent:
        return self.random.choices(group, cum_weights=self._cumulative[id(group)])[0]

    def project(self) -> Project:
        """From a pool that slowly changes: an index is dear to build, and many requests about one folder are natural."""
        at = int(self.random.random() * self.POOL)
        if self.random.random() < 0.04:
            self.projects[at] = Project(self.strings)
        return self.projects[at]

    def positive(self) -> Request:
        return self.make(self.pick_intent(POSITIVE))

    def negative(self) -> Request:
        return self.make(self.pick_intent(NEGATIVE if self.random.random() < 0.62 else self.hard))

    def unwanted(self) -> Request:
        """What would be an order, asked about, forbidden, put off, imagined or quoted."""
        while True:
            intent = self.pick_intent(POSITIVE)
            if intent.calls is None or f"{intent.name}.vp" not in self.grammar.sections or intent.name in _LOOKING:
                continue
            made = self._try_unwanted(intent, self.project())
            if made:
                return made

    def _try_unwanted(self, intent: Intent, project: Project) -> Request | None:
        slots = Slots(project, self.grammar, self.strings)
        scripts = list(project.scripts)
        if intent.script or intent.name == "script":
            self._choose_script(intent, scripts, slots)
        pieces = self.grammar.draw(f"{intent.name}.vp", self.random)
        mood = self.grammar.draw("mood.vp", self.random)
        pieces = [piece for part in mood for piece in (pieces if part == ("vp", "") else [part])]
        text = self._render(pieces, self.strings.pick(VOICES), slots).text
        if len(text) > 1500:
            return None
        sources = find_sources(text, project.index, scripts, slots.ids)
        return Request(text, UNWANTED, None, "refuse", sources, project)

    def script_intent(self) -> Intent:
        return self.strings.pick([intent for intent in POSITIVE if intent.script])

    def make(self, intent: Intent, project: Project | None = None) -> Request:
        while True:
            made = self._try(intent, project or self.project())
            if made:
                return made

    def _try(self, intent: Intent, project: Project) -> Request | None:
        slots = Slots(project, self.grammar, self.strings)
        scripts = list(project.scripts)
        if intent.script or intent.name == "script":
            self._choose_script(intent, scripts, slots)
        core = self._core(intent, slots)
        text = self._decorate(core, bool(core.ends_bare))
        sources = self.decoys.add(find_sources(text, project.index, scripts, slots.ids), text, slots)
        if len(text) > 1500 or any(path not in sources.paths for path in slots.listed):
            return None
        if intent.calls is None:
            return Request(text, intent, None, "refuse", sources, project)
        call = self._call(intent, slots, sources)
        if call is None or not allowed(text, call, sources):
            return None
        call, text, sources = self._in_background(intent, call, text, sources)
        return Request(text, intent, call, self._form(intent, text), sources, project)

    def _choose_script(self, intent: Intent, scripts: list[tuple[str, str]], slots: Slots) -> None:
        """The script this request means, put into the project when it has none of that name."""
        s = self.strings
        if not intent.script:
            if not scripts:
                scripts.append(_script(s.one_of(s.tech, s.verb, s.any_word), s))
            label, command = s.pick(scripts)
            slots.surfaces["script"] = label if s.chance(0.7) else label.replace(":", " ").replace("-", " ")
        else:
            known = {label: command for label, command in scripts}
            label = next((label for label in intent.script if label in known), "")
            if not label:
                label = intent.script[0] if s.chance(0.8) else s.pick(intent.script)
                scripts.insert(s.number(0, len(scripts)), _script(label, s))
            command = dict(scripts)[label]
        slots.values["command"] = command

    # -- words

    def _core(self, intent: Intent, slots: Slots) -> "_Core":
        section = self.strings.pick(self.sections[intent.name])
        pieces = self.grammar.draw(section, self.random)
        if section.endswith(".vp"):
            wrapper = self.grammar.draw("wrap", self.random)
            pieces = [piece for part in wrapper for piece in (pieces if part == ("vp", "") else [part])]
        elif section.endswith(".np") and self.random.random() < 0.8:
            return self._render(pieces, self.strings.pick(("clean", "lower")), slots)
        return self._render(pieces, self.strings.pick(VOICES), slots)

    def _render(self, pieces: list[Piece], voice: str, slots: Slots) -> "_Core":
        text, literal, last_slot = "", "", ""
        for piece in pieces:
            if isinstance(piece, str):
                literal += piece
                continue
            text += self._noisy(literal, voice)
            literal = ""
            surface = slots.fill(*piece)
            text += surface.lstrip(" ") if text.endswith(" ") else surface
            last_slot = surface
        tail = self._noisy(literal, voice)
        text = finish_sentence((text + tail).strip(), voice, self.random)
        return _Core(text, voice, not tail.strip() and last_slot[-1:].isalnum() and " " in last_slot)

    def _noisy(self, literal: str, voice: str) -> str:
        while "  " in literal:
            literal = literal.replace("  ", " ")
        if not literal.strip():
            return literal
        if self.random.random() < 0.07:
            literal = self._with_filler(literal)
        return add_noise(literal, voice, self.random)

    def _with_filler(self, literal: str) -> str:
        """A word more, or an unexpected one in place of another: nobody's words are all in the templates."""
        words = literal.split(" ")
        at = 1 + int(self.random.random() * (len(words) - 1)) if len(words) > 2 else 0
        if not at or not words[at].isalpha():
            return literal
        if self.random.random() < 0.6:
            words.insert(at, "".join(map(str, self.grammar.draw("filler", self.random))))
        elif len(words[at]) > 3:
            words[at] = self.strings.any_word()
        return " ".join(words)

    def _decorate(self, core: "_Core", ends_bare: bool) -> str:
        """Greetings, context and thanks. After bare text at the end they would be taken for part of it: rarely, and set off."""
        s, text = self.strings, core.text
        if s.chance(0.09 if ends_bare else 0.2):
            closer = self._phrase("closer", core.voice)
            gap = s.pick((", ", ". ")) if ends_bare else s.pick((" ", " ", ", ", ". ", " - ", "\n"))
            if gap == ". " and core.voice in ("clean", "formal"):
                closer = closer[:1].upper() + closer[1:]
            text = f"{text.rstrip('.') if gap == '. ' else text}{gap}{closer}"
        elif core.voice in ("clean", "formal") and text[-1:].isalnum() and s.chance(0.5):
            text += "?" if s.chance(0.1) else "."
        elif text.endswith("?") and s.chance(0.3):
            text = text[:-1]
        if not ends_bare and s.chance(0.07):
            text = f"{text}{s.pick((' ', ', ', '. ', ' - '))}{self._phrase('reason', core.voice)}"
        if s.chance(0.14):
            preamble = ". ".join(self._phrase("preamble", core.voice) for _ in range(s.pick((1, 1, 1, 2, 3))))
            text = f"{preamble}{s.pick(('. ', ', ', '. ', '... ', '; ', ' - ', '! ', chr(10), ' so ', ' and '))}{text}"
        if s.chance(0.16):
            opener = self._phrase("opener", core.voice)
            text = f"{opener}{s.pick((' ', ' ', ' ', chr(10)))}{text}"
        return finish_sentence(text, core.voice, self.random)

    def _phrase(self, section: str, voice: str) -> str:
        text = "".join(map(str, self.grammar.draw(section, self.random)))
        return self._noisy(text, voice).strip()

    # -- calls

    def _call(self, intent: Intent, slots: Slots, sources: Sources) -> Call | None:
        if intent.name == "file_run":
            wanted = slots.values["runfile"].removeprefix("./")
            command = next((command for label, command in sources.scripts if label == wanted), None)
            if command is None:
                return None
            slots.values["command"] = command
        assert intent.calls is not None
        return intent.calls(slots.values)

    def _in_background(self, intent: Intent, call: Call, text: str, sources: Sources) -> tuple[Call, str, Sources]:
        if intent.name not in (
            "dev_run", "start_run", "watch_run", "file_run", "script",
        ) or not self.strings.chance(0.12):
            return call, text, sources
        suffix = self.strings.pick(
            (
                " in the background", " as a background job", ", in the background", " in background",
                " and keep it running in the background",
            )
        )
        return (call[0], {**call[1], "background": True}), text.rstrip(".?!") + suffix, sources

    def _form(self, intent: Intent, text: str) -> str:
        """Questions of number and of existence are answered by counting the typed result."""
        if intent.name in _COUNTED:
            lowered = f" {text.lower()}"
            if " how many" in lowered or " how much" in lowered or " count" in lowered or " how often" in lowered:
                return "count"
            if _YES_OR_NO.search(lowered) and not _WANTS_LIST.search(lowered):
                return "exists"
        return intent.form


UNWANTED = Intent("unwanted", 0, None, category="answer", reason="not-asked")
_LOOKING = (
    "read", "read_from", "list", "list_root", "text", "code", "find", "find_name", "find_glob", "git_status", "git_diff", "git_log", "git_branch",
    "view_head", "view_tail", "view_shape", "view_columns", "view_describe", "recall", "plan_show", "system",
)  # fmt: skip
_COUNTED = (
    "text", "find", "find_name", "find_glob", "list", "list_root", "quick_search", "quick_list", "quick_read", "named",
)
_YES_OR_NO = re.compile(
    r"(?:^|[.!?,:;\n-]) *(?:is|are|isn't|do|does|did|has|have) (?:there|we|i|it|any|some|\S+ (?:used|mentioned|exist))"
)
_WANTS_LIST = re.compile(r" (?:which|what|where|who|show|list|find|tell|name|give)\b")


class _Core(NamedTuple):
    text: str
    voice: str
    ends_bare: bool


def _script(label: str, strings: Strings) -> tuple[str, str]:
    if label == "test" and strings.chance(0.2):
        return label, "pytest"
    if strings.chance(0.6):
        return label, f"npm {label}" if label in ("test", "start") else f"npm run {label}"
    return label, strings.pick((f"make {label}", f"make {label}", f"cargo {label}"))


def allowed(text: str, call: Call, sources: Sources) -> bool:
    """Whether every argument could be produced at run time, where only spans and listed sources are open."""
    found = boundaries(text)
    starts, ends = set(found.starts), set(found.ends)
    kinds = {parameter.name: parameter.kind for parameter in TOOLS[call[0]].parameters}
    return all(_possible(text, kinds[name], value, (starts, ends, sources)) for name, value in call[1].items())


def _possible(text: str, kind: str, value: Any, context: tuple[set[int], set[int], Sources]) -> bool:
    starts, ends, sources = context
    if kind in ("flag", "choice"):
        return True
    if kind == "number":
        return str(value) in text
    if value == "":
        return kind == "text"
    if kind in ("path", "new_path") and (value == "." or value in sources.paths):
        return True
    if kind == "new_path":
        folder = next((path for path in sources.paths if path.endswith("/") and value.startswith(path)), "")
        value = value.removeprefix(folder) or value
    if kind == "command" and any(value == command for _, command in sources.scripts):
        return True
    if kind == "id" and any(value == identifier for identifier, _ in sources.ids):
        return True
    if kind == "glob" and value in glob_candidates(text, sources.paths):
        return True
    at = text.find(value)
    while at >= 0:
        if at in starts and at + len(value) in ends:
            return True
        at = text.find(value, at + 1)
    return False
