"""What the model may write next: a call of an offered tool with arguments that exist, or a form that fits the last result.

An automaton over bytes. Fixed JSON and the choices for each value follow each other; a token is allowed when its bytes continue at
least one way. Spans are not listed but walked: each start point of the request is a way that may end at any later end point.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import NamedTuple

from .format import CALL, CALL_END, END, FORMS, REASONS, Sources, form_token, reason_token
from .sources import glob_candidates
from .spans import Boundaries, boundaries, line_boundaries, numbers_of, words_of
from .tokenizer import Tokenizer
from .tools import Parameter, Tool

# How many words a span of this kind may hold; none = any number.
SPAN_WORDS = {"path": 6, "new_path": 6, "glob": 1, "url": 1, "id": 1, "word": 1}
MAY_BE_EMPTY = frozenset(("content", "new"))

_LISTING = ("list_files", "find_files", "search_text", "search_code", "list_results")
_WRITING = (
    "write_file", "edit_file", "change_line", "make_folder", "copy_file", "move_file", "delete_file", "apply_patch", "propose_patch",
    "remember", "job_stop", "promote_skill",
)  # fmt: skip
# What the part of a listed line may become besides words of the request.
LINE_VALUES = ("true", "false", "yes", "no", "on", "off", "[x]", "[ ]", "True", "False", "YES", "NO", "done")


def forms_after(tool: str, ok: bool) -> tuple[str, ...]:
    """The forms code can render for a result of this tool."""
    if not ok:
        return ("exit", "error") if tool == "run_command" else ("error",)
    if tool == "run_command":
        return ("exit", "done", "text")
    if tool in _LISTING:
        return ("list", "count", "exists", "text")
    if tool in _WRITING:
        return ("done",)
    return ("text", "list", "count", "exists", "done")


class Situation(NamedTuple):
    """Everything the choices depend on."""

    request: str
    sources: Sources
    tools: tuple[Tool, ...]
    result: tuple[str, bool, str] | None = None  # the last call's tool, whether it worked, its text
    made: tuple[str, ...] = ()  # folders that earlier calls made or wrote to, with a slash at the end
    recent: tuple[str, ...] = ()  # paths that earlier calls and their results speak of


class Way(NamedTuple):
    """One way on: bytes still to be written, or one special token; `next` gives what may follow its end."""

    text: bytes
    at: int
    ends: frozenset[int] | None  # positions where it may end; none = only at the end of the text
    special: str
    next: Callable[[], list["Way"]]

    def is_at_end(self) -> bool:
        return self.at == len(self.text) if self.ends is None else self.at in self.ends


class Machine:
    def __init__(self, situation: Situation, tokenizer: Tokenizer) -> None:
        self.situation = situation
        self.tokenizer = tokenizer
        self.written: list[int] = []
        self.done = False
        self._spans: dict[str, list[Way]] = {}
        self.ways = self._closed(self._start())

    def allowed(self) -> set[int]:
        ids = self.tokenizer.ids
        found: set[int] = set()
        for way in self.ways:
            if way.special:
                found.add(ids[way.special])
            else:
                found |= _prefix_tokens(way, self.tokenizer)
        return found

    def advance(self, token: int) -> None:
        self.written.append(token)
        if token == self.tokenizer.ids[END]:
            self.done = True
            return
        piece = self.tokenizer.token_bytes(token)
        following: list[Way] = []
        for way in self.ways:
            if way.special:
                if self.tokenizer.ids[way.special] == token:
                    following += way.next()
            elif way.text.startswith(piece, way.at):
                following.append(way._replace(at=way.at + len(piece)))
        if not following:
            raise ValueError(f"token {token} is not allowed here")
        self.ways = self._closed(following)

    def text(self) -> str:
        return self.tokenizer.decode(self.written)

    def _closed(self, ways: list[Way]) -> list[Way]:
        """With everything that may follow where a way has come to an end."""
        out: list[Way] = []
        queue = list(ways)
        while queue:
            way = queue.pop()
            if not way.special and way.is_at_end():
                queue += way.next()
            if way.special or way.at < len(way.text):
                out.append(way)
        return out

    # -- what a reply is made of

    def _start(self) -> list[Way]:
        end = [Way(b"", 0, None, END, list)]
        call = Way(b"", 0, None, CALL, self._name)
        if self.situation.result is None:
            reasons = [Way(b"", 0, None, reason_token(reason), lambda: end) for reason in REASONS]
            return [call, Way(b"", 0, None, form_token("refuse"), lambda: reasons)]
        tool, ok, _ = self.situation.result
        forms = [form for form in FORMS if form in forms_after(tool, ok)]
        return [call, *(Way(b"", 0, None, form_token(form), lambda: end) for form in forms)]

    def _name(self) -> list[Way]:
        def after(tool: Tool) -> Callable[[], list[Way]]:
            return lambda: self._glue('", "arguments": {', tool, 0, "", True)

        tools = [tool for tool in self.situation.tools if self.situation.sources.lines or tool.name != "change_line"]
        names = [_fixed(tool.name, after(tool)) for tool in tools]
        return [_fixed('\n{"name": "', lambda: names)]

    def _glue(self, before: str, tool: Tool, index: int, quote: str, first: bool = False) -> list[Way]:
        """From the end of one value to the next, or to the end of the call. `quote` closes a string that is open."""
        ways = []
        for at in range(index, len(tool.parameters)):
            parameter = tool.parameters[at]
            comma = "" if first else ", "
            text = f'{before}{quote}{comma}"{parameter.name}":'
            ways.append(_fixed(text, self._value(tool, at, parameter)))
            if parameter.required:
                return ways
        close = [Way(b"", 0, None, CALL_END, lambda: [Way(b"", 0, None, END, list)])]
        ways.append(_fixed(f"{before}{quote}}}}}\n", lambda: close))
        return ways

    def _value(self, tool: Tool, at: int, parameter: Parameter) -> Callable[[], list[Way]]:
        if parameter.kind == "flag":
            return lambda: [_fixed(" true", lambda: self._glue("", tool, at + 1, ""))]
        if parameter.kind == "line":
            return lambda: [
                _fixed(f" {number}", self._part(tool, at + 1, line.text)) for number, line in enumerate(self.situation.sources.lines, 1)
            ]
        if parameter.kind == "number":
            after: Callable[[], list[Way]] = lambda: self._glue("", tool, at + 1, "")
            return lambda: [_fixed(f" {number}", after) for number in self._numbers()]
        closing: Callable[[], list[Way]] = lambda: self._glue("", tool, at + 1, '"')
        values = LINE_VALUES if tool.name == "change_line" and parameter.name == "new" else ()
        return lambda: [
            _fixed(' "', lambda: [*self._strings(parameter, closing), *(_fixed(_escaped(value), closing) for value in values)])
        ]

    def _part(self, tool: Tool, at: int, line: str) -> Callable[[], list[Way]]:
        """What of the line is changed: a stretch of it."""
        closing: Callable[[], list[Way]] = lambda: self._glue("", tool, at + 1, '"')
        spans: Callable[[], list[Way]] = lambda: [way._replace(next=closing) for way in _spans(line, None, line_boundaries(line))]
        return lambda: [_fixed(f', "{tool.parameters[at].name}": "', spans)]

    def _numbers(self) -> list[str]:
        return numbers_of(self.situation.request) or ["1"]

    def _strings(self, parameter: Parameter, closing: Callable[[], list[Way]]) -> list[Way]:
        if parameter.choices:
            return [_fixed(choice, closing) for choice in parameter.choices]
        listed = [_fixed(_escaped(text), closing) for text in self._listed(parameter)]
        spans = [way._replace(next=closing) for way in self._span_ways(parameter.kind)]
        if parameter.kind != "new_path":
            return [*listed, *spans]
        # Something new in a folder that is there: `census/` and `thirsk`.
        inside = [_fixed(_escaped(folder), lambda: spans) for folder in folders_in(self.situation)]
        return [*listed, *spans, *inside]

    def _listed(self, parameter: Parameter) -> list[str]:
        s = self.situation
        found: list[str] = []
        if parameter.name in MAY_BE_EMPTY:
            found.append("")
        if parameter.kind in ("path", "new_path"):
            found += [".", *s.sources.paths, *(line.path for line in s.sources.lines), *s.recent]
        elif parameter.kind == "command":
            found += [command for _, command in s.sources.scripts]
        elif parameter.kind == "glob":
            found += glob_candidates(s.request, s.sources.paths)
        elif parameter.kind == "id":
            found += [identifier for identifier, _ in s.sources.ids]
        if s.result and parameter.kind in ("path", "new_path", "id", "url"):
            found += _result_words(s.result[2])
        return list(dict.fromkeys(found))

    def _span_ways(self, kind: str) -> list[Way]:
        if kind not in self._spans:
            self._spans[kind] = list(_spans(self.situation.request, SPAN_WORDS.get(kind)))
        return self._spans[kind]


def folders_in(situation: Situation) -> list[str]:
    """Where something new may go: the folders listed, and those of earlier calls."""
    listed = [path for path in situation.sources.paths if path.endswith("/")]
    return list(dict.fromkeys([*listed, *situation.made]))


def _fixed(text: str, following: Callable[[], list[Way]]) -> Way:
    return Way(text.encode("utf-8"), 0, None, "", following)


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _spans(request: str, most_words: int | None, found: Boundaries | None = None) -> Iterable[Way]:
    """One way per start point; all share the escaped request, so a span costs nothing until it is walked."""
    offsets = [0]
    for char in request:
        offsets.append(offsets[-1] + len(_escaped(char).encode("utf-8")))
    text = _escaped(request).encode("utf-8")
    found = found or boundaries(request)
    for start in found.starts:
        ends = [end for end in found.ends if end > start]
        if most_words:
            ends = [
                end for end in ends if len(request[start:end].split()) <= most_words and "\n" not in request[start:end]
            ]
        if ends:
            stop = offsets[ends[-1]]
            yield Way(text[:stop], offsets[start], frozenset(offsets[end] for end in ends), "", list)


def _result_words(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines() if 0 < len(line.strip()) <= 80]
    return [*words_of(text)[:64], *lines[:64]]


def _prefix_tokens(way: Way, tokenizer: Tokenizer) -> set[int]:
    table = _byte_table(tokenizer)
    text, at = way.text, way.at
    found = set()
    for length in range(1, min(_LONGEST[id(tokenizer)], len(text) - at) + 1):
        token = table.get(text[at : at + length])
        if token is not None:
            found.add(token)
    return found


_TABLES: dict[int, dict[bytes, int]] = {}
_LONGEST: dict[int, int] = {}


def _byte_table(tokenizer: Tokenizer) -> dict[bytes, int]:
    key = id(tokenizer)
    if key not in _TABLES:
        table = {tokenizer.token_bytes(token): token for token in range(tokenizer.first_special)}
        _TABLES[key] = table
        _LONGEST[key] = max(map(len, table))
    return _TABLES[key]


def read_reply(text: str) -> tuple[str, dict] | str:
    """A finished reply: the call as (name, arguments), or the form with its reason, `refuse:chat`."""
    if text.startswith(CALL):
        body = json.loads(text.removeprefix(CALL).split(CALL_END)[0])
        return body["name"], body["arguments"]
    names = text.removesuffix(END).strip("<|>").split("|><|")
    return ":".join(name.split(":", 1)[1] for name in names)
