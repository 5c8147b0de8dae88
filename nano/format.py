"""The prompt format: special tokens, and how a conversation and a classification become text.

Everything the program's own engine must reproduce stands here or in tools.py, spans.py and sources.py; `contract.py`
writes it out as JSON. A prompt is text with special tokens in it; user text is encoded without them, so that nobody can
write a tool result or a call by typing one.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from .tools import CATEGORIES

TASKS = (
    "boilerplate", "generation", "refactor", "review", "unit_test", "planning", "orchestration", "security_review",
    "debug", "explain",
)
COMPLEXITIES = ("low", "mid", "high")
NEEDS = ("yes", "no")
FIELDS: dict[str, tuple[str, ...]] = {
    "task": TASKS,
    "complexity": COMPLEXITIES,
    "needs": NEEDS,
    "category": CATEGORIES,
}
# How code shows the typed result: nano picks one, and never words of its own.
FORMS = ("list", "text", "count", "exists", "exit", "done", "error", "refuse")
REASONS = ("too-hard", "no-tool", "chat", "unclear", "not-asked")

PAD = "<|pad|>"
START = "<|im_start|>"
END = "<|im_end|>"
CALL, CALL_END = "<tool_call>", "</tool_call>"
RESULT, RESULT_END = "<tool_response>", "</tool_response>"
PATHS, SCRIPTS, IDS, LINES = "<|paths|>", "<|scripts|>", "<|ids|>", "<|lines|>"
CLASSIFY = "<|classify|>"


def form_token(form: str) -> str:
    return f"<|form:{form}|>"


def reason_token(reason: str) -> str:
    return f"<|reason:{reason}|>"


def field_token(field: str) -> str:
    return f"<|{field}|>"


def label_token(field: str, label: str) -> str:
    return f"<|{field}:{label}|>"


SPECIAL_TOKENS: tuple[str, ...] = (
    PAD, START, END, CALL, CALL_END, RESULT, RESULT_END, PATHS, SCRIPTS, IDS, CLASSIFY,
    *(field_token(field) for field in FIELDS),
    *(label_token(field, label) for field, labels in FIELDS.items() for label in labels),
    *(form_token(form) for form in FORMS),
    *(reason_token(reason) for reason in REASONS),
    LINES,
)  # fmt: skip

MAX_REQUEST_CHARS = 3000
MAX_CLASSIFY_HEAD, MAX_CLASSIFY_TAIL = 1000, 500
MAX_RESULT_HEAD, MAX_RESULT_TAIL = 900, 300


class Line(NamedTuple):
    """A line of a file that the request may be about."""

    path: str
    number: int  # from 1
    text: str  # without white space around it


class Sources(NamedTuple):
    """What an argument may be copied from besides the request."""

    paths: tuple[str, ...] = ()
    scripts: tuple[tuple[str, str], ...] = ()  # (label, command); label '' when the command speaks for itself
    ids: tuple[tuple[str, str], ...] = ()  # (id, what it is)
    lines: tuple[Line, ...] = ()


class Part(NamedTuple):
    """A stretch of a prompt. `special` text may hold special tokens, plain text never does."""

    text: str
    special: bool


def system_parts(signatures: list[str]) -> list[Part]:
    return [Part(f"{START}system\n", True), Part("\n".join(signatures), False), Part(f"{END}\n", True)]


def user_parts(request: str, sources: Sources) -> list[Part]:
    parts = [Part(f"{START}user\n", True), Part(request, False)]
    return [*parts, *_source_parts(sources), Part(f"{END}\n{START}assistant\n", True)]


def result_parts(ok: bool, text: str, sources: Sources = Sources(), clause: str = "") -> list[Part]:
    """The message after a call. The first line says whether it worked; the text is cut by `cut_result` before. `clause` is what is
    to be done next, where the request has more than one."""
    status = "ok" if ok else "failed"
    return [
        Part(f"{END}\n{START}user\n{RESULT}\n{status}\n", True),
        Part(text, False),
        Part(f"\n{RESULT_END}", True),
        *([Part("\n", True), Part(clause, False)] if clause else []),
        *_source_parts(sources),
        Part(f"{END}\n{START}assistant\n", True),
    ]


def _source_parts(sources: Sources) -> list[Part]:
    blocks = (
        (PATHS, sources.paths),
        (SCRIPTS, tuple(f"{label}={command}" if label else command for label, command in sources.scripts)),
        (IDS, tuple(f"{identifier}={what}" for identifier, what in sources.ids)),
        (LINES, tuple(f"{at} {line.path}: {line.text}" for at, line in enumerate(sources.lines, 1))),
    )
    parts: list[Part] = []
    for token, lines in blocks:
        if lines:
            parts += [Part(f"\n{token}", True), Part("".join(f"\n{line}" for line in lines), False)]
    return parts


def call_text(name: str, arguments: dict[str, Any]) -> str:
    """A call as the model writes it: spaces after separators, characters beyond ASCII as they are."""
    body = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    return f"{CALL}\n{body}\n{CALL_END}"


def form_text(form: str, reason: str | None = None) -> str:
    return form_token(form) + (reason_token(reason) if reason else "")


def classify_parts(request: str) -> list[Part]:
    """Labels are read from the logits of the field tokens, all four in one pass: no label is ever in the prompt."""
    text = cut(request, MAX_CLASSIFY_HEAD, MAX_CLASSIFY_TAIL)
    return [Part(CLASSIFY, True), Part(text, False), Part("".join(map(field_token, FIELDS)), True)]


def cut_result(text: str) -> str:
    return cut(text, MAX_RESULT_HEAD, MAX_RESULT_TAIL)


def cut(text: str, head: int, tail: int) -> str:
    if len(text) <= head + tail:
        return text
    return f"{text[:head]}\n[cut]\n{text[len(text) - tail :]}"


def to_text(parts: list[Part]) -> str:
    return "".join(part.text for part in parts)


# No whitespace control: a dash would eat the line breaks that are part of the format.
CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{% if message.role == 'tool' %}"
    "<|im_start|>user\n<tool_response>\n{{ message.content }}\n</tool_response><|im_end|>\n"
    "{% else %}"
    "<|im_start|>{{ message.role }}\n{{ message.content }}"
    "{% for call in message.tool_calls or [] %}"
    '<tool_call>\n{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}\n</tool_call>'
    "{% endfor %}<|im_end|>\n"
    "{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
