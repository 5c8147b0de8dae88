"""Tools the model has never been told about, from unknown.txt: it must pick them by their line, and refuse without them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from .grammar import Sequence, _parse
from .requests import RequestMaker
from .strings import Strings

FILE = Path(__file__).parent / "unknown.txt"
_ACTING = (
    "send", "create", "close", "set", "add", "deploy", "delete", "move", "copy", "make", "order", "book", "print",
    "lights", "restart", "scale", "play",
)
_TOO_HARD = (
    "translate", "calculator", "dictionary", "wiki", "tell_joke", "poem", "review_code", "explain_code",
    "generate_tests", "summarize", "sentiment", "convert_currency", "random_number",
)
_LANGUAGES = "french german spanish italian japanese chinese russian portuguese dutch polish turkish english arabic korean hindi greek".split(
)
_CURRENCIES = "euro euros dollars usd pounds yen francs rupees pesos eur gbp".split()
_ENVIRONMENTS = "production staging prod dev test qa preview canary live".split()


class UnknownTool(NamedTuple):
    names: list[str]
    parameters: list[tuple[str, str]]
    lines: list[str]
    requests: list[Sequence]

    @property
    def line(self) -> str:
        return self.lines[0]

    @property
    def acts(self) -> bool:
        return self.names[0].startswith(_ACTING)

    @property
    def reason(self) -> str:
        return "too-hard" if self.names[0] in _TOO_HARD else "no-tool"

    def named(self, strings: Strings) -> tuple[str, str]:
        name = strings.pick(self.names)
        parameters = ", ".join(parameter for parameter, _ in self.parameters)
        return name, f"{name}({parameters}) {strings.pick(self.lines)}"

    def signature(self, strings: Strings) -> str:
        return self.named(strings)[1]

    def ask(self, requests: RequestMaker) -> tuple[str, dict[str, Any]]:
        """A request for it, and the arguments in the order of its parameters."""
        strings = requests.strings
        values = {name: _value(kind, strings) for name, kind in self.parameters}
        pieces: list = []
        requests.grammar._walk(strings.pick(self.requests), strings.random, pieces)
        text = "".join(piece if isinstance(piece, str) else _surface(values[piece[0]], strings) for piece in pieces)
        if strings.chance(0.5):
            text = text[:1].upper() + text[1:]
        for section, place in (("opener", 0), ("closer", 1)):
            if strings.chance(0.12) and not text.endswith(tuple(values.values())):
                extra = requests._phrase(section, "lower")
                text = f"{text} {extra}" if place else f"{extra} {text}"
        kinds = dict(self.parameters)
        return text, {name: int(value) if kinds[name] == "number" else value for name, value in values.items()}


def load_tools(strings: Strings) -> list[UnknownTool]:
    tools: list[UnknownTool] = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        if word == "tool":
            tools.append(UnknownTool(rest.split(), [], [], []))
        elif word == "params":
            tools[-1].parameters.extend(
                (name.strip(), kind.strip()) for name, kind in (pair.split(":") for pair in rest.split(","))
            )
        elif word == "line":
            tools[-1].lines.extend(rest.split("|"))
        else:
            tools[-1].requests.append(_parse(line))
    return tools


def _value(kind: str, s: Strings) -> str:
    if kind == "number":
        return str(s.number(1, 999))
    makers = {
        "word": lambda: s.one_of(
            s.tech, s.any_word, lambda: f"{s.tech()}-{s.tech()}",
        ), "phrase": s.phrase, "sentence": s.sentence, "name": s.name,
        "place": s.place, "noun": s.noun, "url": s.url, "path": s.relative_path, "sql": s.sql, "language": lambda: s.pick(
            _LANGUAGES
        ),
        "currency": lambda: s.pick(_CURRENCIES), "environment": lambda: s.pick(
            _ENVIRONMENTS
        ), "onoff": lambda: s.pick(("on", "off")),
        "math": lambda: f"{s.number(1, 999)} {s.pick('+-*/')} {s.number(1, 99)}", "time": lambda: f"{s.number(1, 12)}:{s.number(0, 59):02d}",
        "date": lambda: s.pick(
            (
                f"{s.number(1, 28)} {s.pick(('may', 'june', 'march'))}", s.pick(("monday", "friday", "sunday")),
                f"{s.number(2024, 2030)}-{s.number(1, 12):02d}-{s.number(1, 28):02d}",
            )
        ),
    }  # fmt: skip
    return makers[kind]()


def _surface(value: str, strings: Strings) -> str:
    return f'"{value}"' if " " in value and strings.chance(0.35) else value
