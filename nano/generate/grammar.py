"""The phrase files: sections of templates, and how one line is drawn from them.

`[a|b|]` picks one of several, `{slot}` is filled later by the caller, `<name>` draws from another section, `\\n` is a line break.
Templates are parsed once; drawing is a walk over tuples, because hundreds of thousands are drawn per second.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Union

PHRASES = Path(__file__).parent / "phrases"

# A drawn template: text and slots, in order. A slot is ("name", "modifier").
Piece = Union[str, tuple[str, str]]
Node = tuple  # ("text", str) | ("slot", name, modifier) | ("ref", name) | ("any", tuple[Sequence, ...])
Sequence = tuple


class Grammar:
    def __init__(self, words: dict[str, list[str]], folder: Path = PHRASES) -> None:
        self.sections: dict[str, tuple[Sequence, ...]] = {}
        self.words = words
        for file in sorted(folder.glob("*.txt")):
            self._load(file)

    def _load(self, file: Path) -> None:
        name = ""
        lines: dict[str, list[Sequence]] = {}
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("== "):
                name = line[3:].strip()
            elif line.strip() and not line.startswith("#"):
                lines.setdefault(name, []).append(_parse(line))
        for section, sequences in lines.items():
            self.sections[section] = (*self.sections.get(section, ()), *sequences)

    def draw(self, section: str, random: Random) -> list[Piece]:
        out: list[Piece] = []
        self._walk(self._pick(section, random), random, out)
        return out

    def _pick(self, section: str, random: Random) -> Sequence:
        options = self.sections[section]
        return options[int(random.random() * len(options))]

    def _walk(self, sequence: Sequence, random: Random, out: list[Piece]) -> None:
        for node in sequence:
            kind = node[0]
            if kind == "text":
                out.append(node[1])
            elif kind == "any":
                options = node[1]
                self._walk(options[int(random.random() * len(options))], random, out)
            elif kind == "slot":
                out.append((node[1], node[2]))
            else:
                self._refer(node[1], random, out)

    def _refer(self, name: str, random: Random, out: list[Piece]) -> None:
        words = self.words.get(name)
        if words is not None:
            out.append(words[int(random.random() * len(words))])
        else:
            self._walk(self._pick(name, random), random, out)


def _parse(line: str) -> Sequence:
    sequence, end = _parse_sequence(line, 0, "")
    if end != len(line):
        raise ValueError(f"unbalanced brackets: {line}")
    return sequence


def _parse_sequence(line: str, at: int, stops: str) -> tuple[Sequence, int]:
    nodes: list[Node] = []
    text = ""
    while at < len(line) and line[at] not in stops:
        char = line[at]
        if char == "\\":
            text += "\n" if line[at + 1] == "n" else line[at + 1]
            at += 2
            continue
        if char in "[{<" and not (char == "<" and not line[at + 1 : at + 2].isalpha()):
            if text:
                nodes.append(("text", text))
                text = ""
            node, at = _parse_bracket(line, at)
            nodes.append(node)
            continue
        text += char
        at += 1
    if text:
        nodes.append(("text", text))
    return tuple(nodes), at


def _parse_bracket(line: str, at: int) -> tuple[Node, int]:
    if line[at] == "[":
        options: list[Sequence] = []
        at += 1
        while True:
            sequence, at = _parse_sequence(line, at, "|]")
            options.append(sequence)
            if line[at] == "]":
                return ("any", tuple(options)), at + 1
            at += 1
    close = line.index("}" if line[at] == "{" else ">", at)
    name = line[at + 1 : close]
    if line[at] == "<":
        return ("ref", name), close + 1
    slot, _, modifier = name.partition(":")
    return ("slot", slot, modifier), close + 1
