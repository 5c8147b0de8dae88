"""Training documents: whole conversations and classifications, as stretches of prompt with the model's own words marked.

The shares below are the recipe. A document is a list of stretches; only those the model writes count fully in the loss.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from ..clauses import clauses_of
from ..format import (
    CALL,
    END,
    Part,
    Sources,
    call_text,
    classify_parts,
    cut,
    MAX_REQUEST_CHARS,
    form_text,
    result_parts,
    system_parts,
    user_parts,
)
from ..sources import LISTING, clause_sources, recent_paths
from ..tools import CATEGORIES, TOOLS, signature
from . import chains, offers, results, settings, unknown
from .handwritten import Example, HandMaker
from .intents import Call
from .requests import Request, RequestMaker


# Of the documents that come from the hands; the generator's are filler.
HAND_SHARE = 0.84


class Stretch(NamedTuple):
    part: Part
    own: bool  # written by the model


class Document(NamedTuple):
    stretches: list[Stretch]
    labels: dict[str, str] | None = None  # of a classification, in the order of its field tokens


class DocumentMaker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.requests = RequestMaker(random)
        self.strings = self.requests.strings
        self.unknown = unknown.load_tools(self.strings)
        self.chains = chains.ChainMaker(self.requests)
        self.hands = HandMaker(self.strings, self.requests.grammar)

    def make(self) -> list[Document]:
        """A conversation, often together with the classification of its request."""
        r = self.random.random()
        if r < HAND_SHARE:
            return self._hand(self.hands.make())
        r = (r - HAND_SHARE) / (1 - HAND_SHARE)
        if r < 0.42:
            return self._single(self.requests.positive())
        if r < 0.56:
            return self._chain()
        if r < 0.72:
            return self._refused(self.requests.negative())
        if r < 0.86:
            return self._refused(self.requests.unwanted())
        if r < 0.9:
            return self._setting()
        if r < 0.97:
            return self._unknown()
        return self._nothing_to_run()

    # -- kinds of documents

    def _hand(self, example: Example) -> list[Document]:
        """One reply, after what the program has called before it."""
        category = example.labels["category"] if self.strings.chance(0.8) else self.strings.pick(CATEGORIES)
        talk = _Talk(offers.canonical(category), example.text, example.sources)
        for past in example.past:
            if past.call.own == past.call.real:
                talk.call(past.call.own)
            else:
                talk.called(past.call.real)
            talk.result(results.Result(past.ok, past.result), past.sources, past.clause)
        if example.call:
            talk.call(example.call.own)
        else:
            talk.form(example.form, example.reason or None)
        return self._with_labels(talk, example.text, example.labels, 0.0 if example.past else 0.7)

    def _setting(self) -> list[Document]:
        """A value that the request does not say, in one of the lines it is shown with; without that line it is unclear."""
        made = settings.make(self.requests)
        talk = _Talk(offers.canonical(self.strings.pick(("write", "write", "answer", "read"))), made.text, made.sources)
        if made.call:
            talk.call(made.call)
        else:
            talk.form("refuse", "unclear")
        labels = {"task": "boilerplate", "complexity": "low", "needs": "yes", "category": "write"}
        return self._with_labels(talk, made.text, labels, 0.4)

    def _single(self, request: Request) -> list[Document]:
        assert request.call
        labels = request.labels()
        shown = offers.choose((request.call[0],), labels["category"], self.strings)
        talk = _Talk([tool.line for tool in shown], request.text, self._with_lines(request))
        talk.call(_renamed(request.call, shown))
        self._finish(talk, request.call, request.form, request)
        return self._with_labels(talk, request.text, labels, 0.45)

    def _finish(self, talk: "_Talk", call: Call, form: str, request: Request) -> None:
        """What comes after a call: a result and its form, a failure, or a failure that can be mended."""
        r = self.random.random()
        if r < 0.45:
            return
        if r < 0.82:
            if call[0] == "run_command" and self.strings.chance(0.3):
                talk.result(results.failed_command(self.strings))
            else:
                talk.result(results.good(call, request.project, self.strings))
            talk.form(form)
            return
        failure = results.bad(call, request.project, self.strings)
        talk.result(failure)
        if failure.nearest and call[0] in ("read_file", "list_files", "data_view") and talk.plain_names:
            mended = (call[0], {**call[1], "path": failure.nearest})
            talk.call(mended)
            if self.strings.chance(0.6):
                talk.result(results.good(mended, request.project, self.strings))
                talk.form(form)
            return
        talk.form("exit" if call[0] == "run_command" and failure.text.startswith("exit code") else "error")

    def _chain(self) -> list[Document]:
        chain = self.chains.make()
        first = chain.steps[0].call
        category = TOOLS[first[0]].category
        needed = tuple(dict.fromkeys(step.call[0] for step in chain.steps))
        shown = offers.choose(needed, category, self.strings)
        talk = _Talk([tool.line for tool in shown], chain.text, chain.sources._replace(lines=settings.some_lines(chain.text, chain.project, self.strings)))
        clauses = clauses_of(chain.text)
        for at, step in enumerate(chain.steps):
            talk.call(_renamed(step.call, shown))
            last = at == len(chain.steps) - 1
            if step.call[0] == "run_command" and self.strings.chance(0.12):
                talk.result(results.failed_command(self.strings))
                talk.form("exit")
                break
            if self.strings.chance(0.06):
                failure = results.bad(step.call, chain.project, self.strings)
                talk.result(failure)
                talk.form("exit" if failure.text.startswith("exit code") else "error")
                break
            result = results.good(step.call, chain.project, self.strings)
            if last or len(clauses) != len(chain.steps):
                talk.result(result)
            else:
                recent = recent_paths([*talk.done, (*step.call, result.ok, result.text)])
                sources = clause_sources(clauses[at + 1], recent, chain.project.index, list(chain.project.scripts), None, " ".join(clauses))
                talk.result(result, sources._replace(lines=settings.some_lines(clauses[at + 1], chain.project, self.strings)), clauses[at + 1])
            if last:
                talk.form(step.form)
        labels = {"task": "orchestration", "complexity": "low", "needs": "yes", "category": category}
        return self._with_labels(talk, chain.text, labels, 0.3)

    def _refused(self, request: Request) -> list[Document]:
        labels = request.labels()
        category = labels["category"] if self.random.random() < 0.5 else self.strings.pick(CATEGORIES)
        talk = _Talk([tool.line for tool in offers.choose((), category, self.strings)], request.text, self._with_lines(request))
        talk.form("refuse", request.intent.reason)
        return self._with_labels(talk, request.text, labels, 0.75)

    def _unknown(self) -> list[Document]:
        asked = self.strings.pick(self.unknown)
        text, arguments = asked.ask(self.requests)
        offered = self.strings.chance(0.65)
        others = [tool for tool in self.unknown if tool.line != asked.line]
        foreign = [self.strings.pick(others).signature(self.strings) for _ in range(self.strings.number(0, 4))]
        name, line = asked.named(self.strings)
        if offered:
            foreign.insert(self.strings.number(0, len(foreign)), line)
        lines = self._with_foreign(offers.canonical(self.strings.pick(CATEGORIES)), foreign)
        project = self.requests.project()
        sources = Sources() if self.strings.chance(0.4) else Sources(project.index.match(text))
        talk = _Talk(lines, text, sources._replace(lines=settings.some_lines(text, project, self.strings)))
        if not offered:
            talk.form("refuse", asked.reason)
            return [talk.document()]
        talk.call((name, arguments))
        if self.strings.chance(0.3):
            talk.result(results.Result(True, self.strings.sentence()))
            talk.form(self.strings.pick(("text", "text", "text", "done")) if not asked.acts else "done")
        return [talk.document()]

    def _with_foreign(self, lines: list[str], foreign: list[str]) -> list[str]:
        """Each takes the line of a tool that the client does not have, mostly the last ones."""
        for line in foreign:
            at = len(lines) - 1 if self.strings.chance(0.5) else self.strings.number(0, len(lines) - 1)
            while lines[at] in foreign:
                at = (at - 1) % len(lines)
            lines[at] = line
        return lines

    def _nothing_to_run(self) -> list[Document]:
        """`run the tests` without scripts, `the boat notes` without such a file: nothing may be invented."""
        if self.strings.chance(0.35):
            request = self.requests.make(self.requests.topic)
            shown = offers.choose(("read_file",), "read", self.strings)
            talk = _Talk([tool.line for tool in shown], request.text, request.sources._replace(paths=()))
            talk.form("refuse", "unclear")
            return self._with_labels(talk, request.text, request.labels(), 0.6)
        request = self.requests.make(self.requests.script_intent())
        shown = offers.choose(("run_command",), "run", self.strings)
        talk = _Talk([tool.line for tool in shown], request.text, request.sources._replace(scripts=()))
        talk.form("refuse", "unclear")
        return self._with_labels(talk, request.text, request.labels(), 0.6)

    def _with_lines(self, request: Request) -> Sources:
        return request.sources._replace(lines=settings.some_lines(request.text, request.project, self.strings))

    def _with_labels(self, talk: "_Talk", text: str, labels: dict[str, str], share: float) -> list[Document]:
        documents = [talk.document()]
        if self.random.random() < share:
            stretches = [Stretch(part, False) for part in classify_parts(text)]
            documents.append(Document(stretches, labels))
        return documents


def _renamed(call: Call, shown: list[offers.Shown]) -> Call:
    """The call under the names this list uses."""
    tool = next(tool for tool in shown if tool.tool == call[0])
    return tool.name, {tool.renamed.get(name, name): value for name, value in call[1].items()}


class _Talk:
    """A conversation being written down."""

    def __init__(self, lines: list[str], text: str, sources: Sources) -> None:
        self.lines = lines
        self.sources = sources
        self.plain_names = all(line.split("(")[0] in TOOLS for line in lines)
        parts = [*system_parts(lines), *user_parts(cut(text, MAX_REQUEST_CHARS, 0), sources)]
        self.stretches = [Stretch(part, False) for part in parts]
        self.open = False
        self.last: Call = ("", {})
        self.done: list[tuple[str, dict, bool, str]] = []

    def call(self, call: Call) -> None:
        self.last = call
        body = call_text(*call)
        self._own(CALL, body.removeprefix(CALL))

    def called(self, call: Call) -> None:
        """An earlier call, as the program made it: nothing to learn from."""
        self.last = call
        body = call_text(*call).removeprefix(CALL)
        text, _, close = body.rpartition("</tool_call>")
        parts = (Part(CALL, True), Part(text, False), Part("</tool_call>" + close + END, True))
        self.stretches += [Stretch(part, False) for part in parts]

    def form(self, form: str, reason: str | None = None) -> None:
        self._own(form_text(form, reason), "")

    def _own(self, special: str, text: str) -> None:
        self.stretches.append(Stretch(Part(special, True), True))
        if text:
            body, _, close = text.rpartition("</tool_call>")
            self.stretches += [Stretch(Part(body, False), True), Stretch(Part("</tool_call>" + close, True), True)]
        self.open = True

    def result(self, result: results.Result, sources: Sources = Sources(), clause: str = "") -> None:
        """The message that follows begins with the end mark of the model's own, which it must learn to write."""
        name, arguments = self.last
        self.done.append((name, arguments, result.ok, result.text))
        if result.ok and not clause and name in LISTING:
            sources = Sources(paths=recent_paths(self.done))
        parts = result_parts(result.ok, result.text, sources, clause)
        self._end()
        first = parts[0]
        self.stretches.append(Stretch(Part(first.text.removeprefix(END), True), False))
        self.stretches += [Stretch(part, False) for part in parts[1:]]

    def _end(self) -> None:
        if self.open:
            self.stretches.append(Stretch(Part(END, True), True))
            self.open = False

    def document(self) -> Document:
        self._end()
        return Document(self.stretches)
