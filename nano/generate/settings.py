"""Values that are changed by name alone, and lines of files to be shown beside a request.

The program lists lines that share words with the request. In training they are made up: some hold what is meant, most do not.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..format import Line, Sources
from ..lines import MAX_LINES, telling
from ..sources import find_sources
from ..spans import is_span
from .intents import Call
from .project import Project, refer
from .requests import RequestMaker
from .strings import Strings

_TEMPLATES = (
    "set {key} to {new}", "set the {key} to {new}", "set {key} in {path} to {new}", "{key} to {new}", "{key} = {new}", "change {key} to {new}",
    "change the {key} to {new} in {path}", "make the {key} {new}", "put the {key} at {new}", "put {key} up to {new}", "bring {key} down to {new}",
    "raise the {key} to {new}", "lower the {key} in {path} to {new}", "bump {key} to {new}", "{path}: {key} should be {new}", "the {key} must be {new}",
    "the {key} should be {new}, not what it says now", "i want {key} at {new}", "we need a {key} of {new}", "{key} -> {new}", "turn {key} to {new}",
    "update {key} to {new} please", "in {path} set {key} to {new}", "could you set the {key} to {new}?", "please change {key} in {path} to {new}",
    "can you put {new} as the {key}", "write {new} as the new {key}", "{key} is {new} now", "{key} is now {new}, correct it", "use {new} for {key}",
    "increase {key} to {new}", "reduce the {key} to {new}", "{new} is the right {key}, fix {path}", "let {key} be {new}", "switch {key} to {new}",
    "the {key} in {path} is wrong, it is {new}", "correct the {key}: {new}", "{key}: {new}", "{path}, {key}, {new}", "make it {new} for {key}",
)  # fmt: skip
_LINES = (
    "{name} = {old}", "{name}: {old}", '"{name}": {old},', '"{name}": "{old}",', "{NAME}={old}", "#define {NAME} {old}", "{name}={old}", "{Words}: {old}",
    "- {Words}: {old}", "{Words} {old}", "export {NAME}={old}", "{name} {old}", "  {name}: {old}", "const {NAME} = {old}", "{Words},{old}", "{Words};{old};",
    "{name} := {old}", "<{name}>{old}</{name}>", "{name}: '{old}'", "{Words} .... {old}", "{name} = {old} ; {other}", "{name} = {old}  # {other}",
)  # fmt: skip


class Made(NamedTuple):
    text: str
    sources: Sources
    call: Call | None


def make(requests: RequestMaker) -> Made:
    while True:
        made = _try(requests)
        if made:
            return made


def _try(requests: RequestMaker) -> Made | None:
    s, project = requests.strings, requests.project()
    if not project.files:
        return None
    words = [s.one_of(s.noun, s.tech, s.any_word).lower() for _ in range(s.pick((1, 2, 2, 3)))]
    old, new = _values(s)
    path = refer(s.pick(project.files), project, s)
    key = s.pick((" ".join(words), " ".join(words), "_".join(words), "-".join(words)))
    text = s.pick(_TEMPLATES).replace("{key}", key).replace("{new}", new).replace("{path}", path.text)
    voice = s.pick(("clean", "lower", "clean"))
    text = text[:1].upper() + text[1:] + "." if voice == "clean" and s.chance(0.5) else text
    sources = find_sources(text, project.index, list(project.scripts))
    others = [line for line in some_lines(text, project, s, least=2) if old not in line.text]
    if s.chance(0.15):
        return Made(text, sources._replace(lines=tuple(others)), None)
    named = _named(words, old, s)
    at = s.pick((0, 0, 0, 0, 1, 2)) if others else 0
    lines = [*others[:at], Line(path.value, s.number(1, 80), named), *others[at:]][:MAX_LINES]
    number = next(place for place, line in enumerate(lines, 1) if line.text == named)
    if not is_span(named, old) or not is_span(text, new):
        return None
    return Made(text, sources._replace(lines=tuple(lines)), ("change_line", {"line": number, "old": old, "new": new}))


def _values(s: Strings) -> tuple[str, str]:
    kind = s.random.random()
    if kind < 0.55:
        size = s.pick((9, 99, 999, 9999, 99999))
        return str(s.number(0, size)), str(s.number(0, size))
    if kind < 0.7:
        return s.pick((("true", "false"), ("false", "true"), ("on", "off"), ("yes", "no"), ("no", "yes"), ("off", "on")))
    if kind < 0.8:
        return s.version(), s.version()
    return s.one_of(s.noun, s.any_word, lambda: s.pick(s.words["name"])), s.one_of(s.noun, s.any_word, lambda: s.pick(s.words["name"]))


def _named(words: list[str], old: str, s: Strings) -> str:
    joined = s.pick(("_".join(words), "_".join(words), "-".join(words), words[0] + "".join(word.title() for word in words[1:])))
    shape = s.pick(_LINES)
    return (
        shape.replace("{name}", joined).replace("{NAME}", joined.upper()).replace("{Words}", " ".join(words).capitalize())
        .replace("{old}", old).replace("{other}", s.phrase()).strip()
    )  # fmt: skip


def some_lines(text: str, project: Project, s: Strings, least: int = 0) -> tuple[Line, ...]:
    """Lines that share a word with the request and have nothing to do with it."""
    words = [word for word in re.findall(r"[A-Za-z]{3,}", text) if telling(word)]
    if not words or not project.files or s.chance(0.2):
        return ()
    found = []
    for _ in range(s.pick((least, least + 1, 3, 5, 7, MAX_LINES, MAX_LINES))):
        word = s.pick(words)
        rest = s.one_of(s.phrase, s.code_line, s.sentence, s.noun, lambda: f"= {s.number(0, 999)}")
        line = s.pick((f"{word} {rest}", f"{rest} {word}", f"{word}: {rest}", f"- {word} {rest}", f"{rest}, {word}, {s.noun()}"))
        found.append(Line(s.pick(project.files), s.number(1, 200), " ".join(line.split())[:150]))
    return tuple(found)
