"""Training documents: whole conversations and classifications, as stretches of prompt with the model's own words marked.

The shares below are the recipe. A document is a list of stretches; only those the model writes count fully in the loss.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

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
from ..tools import CATEGORIES, TOOLS, signature
from . import chains, offers, results, unknown
from .intents import Call
from .requests import Request, RequestMaker


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

    def make(self) -> list[Document]:
        """A conversation, often together with the classification of its request."""
        r = self.random.random()
        if r < 0.5:
            return self._single(self.requests.positive())
        if r < 0.63:
            return self._chain()
        if r < 0.86:
            return self._refused(self.requests.negative())
        if r < 0.92:
            return self._not_offered()
        if r < 0.98:
            return self._unknown()
        return self._nothing_to_run()

    # -- kinds of documents

    def _single(self, request: Request) -> list[Document]:
        assert request.call
        labels = request.labels()
        shown = offers.choose((request.call[0],), labels["category"], self.strings)
        talk = _Talk([tool.line for tool in shown], request.text, request.sources)
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
        talk = _Talk([tool.line for tool in shown], chain.text, chain.sources)
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
            talk.result(results.good(step.call, chain.project, self.strings))
            if last:
                talk.form(step.form)
        labels = {"task": chain.steps[0].task, "complexity": "low", "needs": "yes", "category": category}
        return self._with_labels(talk, chain.text, labels, 0.3)

    def _refused(self, request: Request) -> list[Document]:
        labels = request.labels()
        r = self.random.random()
        category = labels["category"] if r < 0.5 else self.strings.pick(CATEGORIES)
        if r > 0.96:
            return self._select(request, labels)
        shown = offers.choose((), category, self.strings)
        lines = [tool.line for tool in shown]
        if self.strings.chance(0.08):
            lines = [*lines[:7], signature(TOOLS["more_tools"])]
        talk = _Talk(lines, request.text, request.sources)
        talk.form("refuse", request.intent.reason)
        return self._with_labels(talk, request.text, labels, 0.75)

    def _not_offered(self) -> list[Document]:
        """The tool exists but is not in the list: ask for its category, choose it, or say so."""
        request = self.requests.positive()
        assert request.call
        labels = request.labels()
        r = self.random.random()
        if r < 0.35:
            return self._select(request, labels)
        tool = TOOLS[request.call[0]]
        shown = offers.without(_alike(tool.name), self.strings.pick(CATEGORIES), self.strings)
        lines = [other.line for other in shown]
        if r < 0.6:
            talk = _Talk(lines, request.text, request.sources)
            talk.form("refuse", "no-tool")
            return self._with_labels(talk, request.text, labels, 0.3)
        lines.insert(self.strings.number(0, len(lines)), signature(TOOLS["more_tools"]))
        wrapped = r > 0.85
        if wrapped:
            lines.append("call_tool(name, arguments) Call a tool that more_tools listed")
        talk = _Talk(lines[-8:] if wrapped else lines[:8], request.text, request.sources)
        if signature(TOOLS["more_tools"]) not in talk.lines:
            return self._single(request)
        talk.call(("more_tools", {"category": tool.category}))
        listed = [
            signature(other) for other in TOOLS.values() if other.category == tool.category and other.name not in (
                "more_tools", "select_category",
            )
        ]
        talk.result(results.Result(True, "\n".join(listed)))
        talk.call(("call_tool", {"name": request.call[0], "arguments": request.call[1]}) if wrapped else request.call)
        return [talk.document()]

    def _select(self, request: Request, labels: dict[str, str]) -> list[Document]:
        talk = _Talk([signature(TOOLS["select_category"])], request.text, request.sources)
        talk.call(("select_category", {"category": labels["category"]}))
        if request.call and self.strings.chance(0.6):
            listed = [
                signature(other) for other in TOOLS.values() if other.category == TOOLS[request.call[0]].category and other.name not in (
                    "more_tools", "select_category",
                )
            ]
            talk.result(results.Result(True, "\n".join(listed)))
            talk.call(request.call)
        elif not request.call:
            talk.result(
                results.Result(
                    True,
                    "answer without tools" if labels["category"] == "answer" else "\n".join(
                        signature(TOOLS[name]) for name in ("read_file", "list_files")
                    )
                )
            )
            talk.form("refuse", request.intent.reason)
        return [talk.document()]

    def _unknown(self) -> list[Document]:
        asked = self.strings.pick(self.unknown)
        text, arguments = asked.ask(self.requests)
        offered = self.strings.chance(0.65)
        others = [tool for tool in self.unknown if tool.line != asked.line]
        lines = [self.strings.pick(others).signature(self.strings) for _ in range(self.strings.number(0, 4))]
        lines += [
            tool.line for tool in offers.choose((), self.strings.pick(CATEGORIES), self.strings)
        ][: 7 - len(lines)]
        project = self.requests.project()
        talk = _Talk(lines, text, Sources() if self.strings.chance(0.4) else Sources(project.index.match(text)))
        if offered:
            name, line = asked.named(self.strings)
            lines.insert(self.strings.number(0, len(lines)), line)
            talk = _Talk(lines, text, talk.sources)
            talk.call((name, arguments))
            if self.strings.chance(0.3):
                talk.result(results.Result(True, self.strings.sentence()))
                talk.form(self.strings.pick(("text", "text", "text", "done")) if not asked.acts else "done")
        else:
            talk.form("refuse", asked.reason)
        return [talk.document()]

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


def _alike(name: str) -> tuple[str, ...]:
    """Tools that could stand in for it, which a list without it must not hold either."""
    groups = (
        ("read_file", "data_view", "run_command"), ("list_files", "find_files", "run_command"), (
            "search_text", "search_code", "find_files", "run_command",
        ),
        (
            "write_file", "edit_file", "apply_patch", "run_command",
        ), ("python", "run_command"), ("javascript", "run_command"), ("fetch_url", "run_command"),
        ("remember", "write_file"), ("recall", "search_text"), ("system_info", "run_command"), (
            "run_command", "python", "javascript",
        ),
    )  # fmt: skip
    return tuple({name, *(other for group in groups if name in group for other in group)})


class _Talk:
    """A conversation being written down."""

    def __init__(self, lines: list[str], text: str, sources: Sources) -> None:
        self.lines = lines
        self.sources = sources
        self.plain_names = all(line.split("(")[0] in TOOLS for line in lines)
        parts = [*system_parts(lines), *user_parts(cut(text, MAX_REQUEST_CHARS, 0), sources)]
        self.stretches = [Stretch(part, False) for part in parts]
        self.open = False

    def call(self, call: Call) -> None:
        body = call_text(*call)
        self._own(CALL, body.removeprefix(CALL))

    def form(self, form: str, reason: str | None = None) -> None:
        self._own(form_text(form, reason), "")

    def _own(self, special: str, text: str) -> None:
        self.stretches.append(Stretch(Part(special, True), True))
        if text:
            body, _, close = text.rpartition("</tool_call>")
            self.stretches += [Stretch(Part(body, False), True), Stretch(Part("</tool_call>" + close, True), True)]
        self.open = True

    def result(self, result: results.Result) -> None:
        """The message that follows begins with the end mark of the model's own, which it must learn to write."""
        parts = result_parts(result.ok, result.text)
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
