"""Strings of every shape people paste into requests: identifiers, versions, code, commands, regexes, URLs, sentences.

Shapes with fixed parts are lines of shapes/*.txt («w» a word, «i» an identifier, «n» a number …); the rest is code. Strings
are drawn, never listed, so that hardly any occurs twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

from .lexicon import foreign_word, invented_word

T = TypeVar("T")

SHAPES = Path(__file__).parent / "shapes"
_PLACEHOLDER = re.compile("«(.*?)»")
_MONTHS = "january february march april may june july august september october november december".split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()


def _lines(file: Path) -> list[str]:
    return [line for line in file.read_text(encoding="utf-8").splitlines() if line]


class Strings:
    def __init__(self, words: dict[str, list[str]], random: Random) -> None:
        self.words = words
        self.random = random
        self.shapes = {file.stem: [self._compile(line) for line in _lines(file)] for file in SHAPES.glob("*.txt")}

    def _compile(self, line: str) -> list[str | Callable[[], str]]:
        """Text and makers in turn: a line is put together only when it is drawn."""
        makers = self._makers()
        pieces = _PLACEHOLDER.split(line.replace("\\n", "\n"))
        return [makers[piece] if at % 2 else piece for at, piece in enumerate(pieces)]

    def _makers(self) -> dict[str, Callable[[], str]]:
        n = self.number
        return {
            "w": self.any_word, "W": lambda: self.identifier().upper().replace(
                "-", "_",
            ), "t": self.tech, "i": self.identifier,
            "p": self.relative_path, "v": self.version, "q": self.quantity, "noun": self.noun, "verb": self.verb, "adj": self.adjective,
            "name": self.name, "place": self.place, "phrase": self.phrase, "sentence": self.sentence, "url": self.url,
            "sql": self.sql, "js": lambda: self.javascript_code().split("\n")[0], "n": lambda: str(n(2, 999)),
            "d": lambda: str(n(0, 9)), "l": lambda: chr(n(97, 122)), "port": lambda: str(n(80, 9999)),
            "hex": lambda: f"{n(0, 0xFFFFFFF):07x}", "color": lambda: f"#{n(0, 0xFFFFFF):06x}" if n(
                0, 1,
            ) else f"#{n(0, 0xFFF):03x}",
            "year": lambda: str(n(1990, 2035)), "month": lambda: self.pick(_MONTHS), "day": lambda: self.pick(_DAYS), "dd": lambda: f"{n(1, 28):02d}", "mm": lambda: f"{n(1, 12):02d}",
            "ext": lambda: self.pick(("py", "js", "ts", "md", "log", "tmp", "txt", "css", "json", "c", "go", "rs")),
        }  # fmt: skip

    def shape(self, name: str) -> str:
        lines = self.shapes[name]
        pieces = lines[int(self.random.random() * len(lines))]
        return "".join([piece if isinstance(piece, str) else piece() for piece in pieces])

    # -- drawing

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self.random.random() * len(options))]

    def number(self, low: int, high: int) -> int:
        return low + int(self.random.random() * (high - low + 1))

    def one_of(self, *makers: Callable[[], str]) -> str:
        return makers[int(self.random.random() * len(makers))]()

    # -- words and names

    def noun(self) -> str:
        return self.pick(self.words["noun"])

    def tech(self) -> str:
        return self.pick(self.words["tech"])

    def verb(self) -> str:
        return self.pick(self.words["verb"])

    def adjective(self) -> str:
        return self.pick(self.words["adjective"])

    def name(self) -> str:
        return self.pick(self.words["name"])

    def place(self) -> str:
        return self.pick(self.words["place"])

    def invented(self) -> str:
        return foreign_word(self.random) if self.chance(0.06) else invented_word(self.random)

    def any_word(self) -> str:
        r = self.random.random()
        if r < 0.34:
            return self.tech()
        if r < 0.62:
            return self.noun()
        if r < 0.76:
            return self.verb()
        if r < 0.87:
            return self.adjective()
        return self.invented()

    def loaded(self) -> str:
        """A word that sounds like a request of another kind: it must not decide what is asked for."""
        return self.pick(self.words["loaded"])

    def identifier(self) -> str:
        parts = [self.any_word() for _ in range(self.pick((1, 2, 2, 2, 3, 3, 4)))]
        r = self.random.random()
        if r < 0.3:
            at = 0 if r < 0.2 else self.number(0, len(parts) - 1)
            word = self.pick(self.words["short"]) if 0.12 < r < 0.2 else self.pick(self.words["particle"])
            parts[at:at] = [word]
        r = self.random.random()
        if r < 0.3:
            return parts[0] + "".join(part.capitalize() for part in parts[1:])
        if r < 0.5:
            return "_".join(parts)
        if r < 0.66:
            return "".join(part.capitalize() for part in parts)
        if r < 0.82:
            return "_".join(parts).upper()
        if r < 0.9:
            return "-".join(parts)
        if r < 0.96:
            return self.pick(("_", "$", "__", "#", "@", "use", "get", "is", "on", "k", "m_", "I")) + "".join(
                part.capitalize() for part in parts
            )
        return parts[0] + str(self.number(0, 99))

    def symbol(self) -> str:
        """An identifier as it appears in code: called, qualified, generic, a pointer's field."""
        return self.identifier() if self.chance(0.55) else self.shape("symbol")

    def marker(self) -> str:
        return self.pick(
            ("TODO", "FIXME", "XXX", "HACK", "NOTE", "BUG", "TBD", "WIP", "DEPRECATED", "REVIEW", "OPTIMIZE", "WARN")
        )

    def version(self) -> str:
        return self.shape("version")

    def quantity(self) -> str:
        return self.shape("quantity")

    # -- sentences

    def phrase(self) -> str:
        """A few words that belong together more or less, as in headings, messages and lists."""
        return self.shape("phrase")

    def sentence(self) -> str:
        return self.shape("sentence")

    def fact(self) -> str:
        """A sentence that goes on where it could have ended: all of it is meant."""
        text = self.salad() if self.chance(0.25) else self.sentence()
        while self.chance(0.35):
            text += self.pick((" ", " ", " ", ", ")) + self.shape("tail")
        return text

    def salad(self) -> str:
        """Words in no order: where a text ends must not be guessed from what usually follows."""
        makers = (self.noun, self.tech, self.verb, self.adjective, self.any_word, self.quantity)
        particles = self.words["particle"]
        words = [self.pick(particles) if self.chance(0.25) else self.pick(makers)() for _ in range(self.number(2, 9))]
        if self.chance(0.2):
            words[0] += self.pick((":", ",", " -", ";", "'s"))
        return " ".join(words)

    def prose(self) -> str:
        """One to three sentences with their punctuation."""
        count = self.pick((1, 1, 1, 2, 3))
        sentences = []
        for _ in range(count):
            text = self.sentence()
            sentences.append(text[:1].upper() + text[1:] + self.pick((".", ".", "!", "", "?")))
        return " ".join(sentences)

    # -- code and configuration

    def code_line(self) -> str:
        return self.shape("code")

    def code_block(self) -> str:
        lines = [self.code_line()]
        for _ in range(self.number(1, 5)):
            indent = self.pick(("", "", "  ", "    ", "\t"))
            lines.append("" if self.chance(0.08) else indent + self.code_line())
        return "\n".join(lines).rstrip()

    def text_block(self) -> str:
        style = self.pick(("lines", "list", "page"))
        if style == "page":
            return f"# {self.phrase().capitalize()}\n\n{self.prose()}"
        dash = self.pick(("- ", "* ", "", "1. ")) if style == "list" else ""
        return "\n".join(
            f"{dash}{self.one_of(self.phrase, self.sentence, self.any_word)}" for _ in range(self.number(2, 6))
        )

    def list_item(self) -> str:
        text = self.one_of(self.phrase, self.sentence, self.any_word, self.identifier)
        return self.pick(("- ", "- ", "* ", "- [ ] ", "1. ", "", "", "• ", "> ", "## ", "# ")) + text

    def regex(self) -> str:
        return self.shape("regex")

    def needle(self) -> str:
        r = self.random.random()
        if r < 0.4:
            return self.symbol()
        if r < 0.5:
            return self.one_of(self.any_word, self.name, self.noun)
        if r < 0.54:
            return self.loaded()
        if r < 0.56:
            return self.pick(self.words["short"])
        if r < 0.62:
            return self.marker()
        if r < 0.76:
            return self.phrase()
        if r < 0.84:
            return self.code_line()
        if r < 0.89:
            return self.regex()
        if r < 0.94:
            return self.quantity()
        return self.one_of(self.error_message, self.url, self.version, self.sentence)

    def error_message(self) -> str:
        return self.shape("error")

    def trace(self) -> str:
        lines = [self.error_message()]
        for _ in range(self.number(1, 4)):
            file = f"{self.tech()}/{self.identifier()}.{self.pick(('ts', 'js', 'py', 'java'))}"
            lines.append(f"    at {self.symbol()} ({file}:{self.number(1, 400)}:{self.number(1, 80)})")
        return "\n".join(lines)

    def sql(self) -> str:
        return self.shape("sql")

    def python_code(self) -> str:
        return self.shape("python")

    def javascript_code(self) -> str:
        return self.shape("javascript")

    # -- addresses and commands

    def url(self) -> str:
        w, n = self.any_word, self.number
        host = self.pick(
            (
                f"{w()}.{self.pick(('com', 'org', 'io', 'dev', 'net', 'de', 'co.uk', 'app', 'fr', 'ai', 'jp'))}",
                f"www.{w()}.com", f"{w()}.example.org", f"docs.{w()}.dev", f"api.{w()}.io",
                f"localhost:{n(1000, 9999)}", f"127.0.0.1:{n(1000, 9999)}", f"{w()}.github.io", "example.com",
                f"{w()}-{w()}.net",
            )
        )
        path = "/".join(
            self.one_of(
                w, self.identifier, lambda: str(n(1, 9999)), lambda: f"{w()}.html", lambda: f"v{n(1, 4)}",
            ) for _ in range(n(0, 4))
        )
        query = f"?{w()}={w()}" if self.chance(0.2) else ""
        scheme = self.pick(
            ("https://", "https://", "https://", "http://", "")
        ) if not host.startswith(("localhost", "127")) else "http://"
        return f"{scheme}{host}/{path}{query}" if path or query or self.chance(0.3) else f"{scheme}{host}"

    def file_name(self) -> str:
        stem = "-".join(self.any_word() for _ in range(self.number(1, 2)))
        return f"{stem}.{self.pick(('py', 'js', 'ts', 'md', 'txt', 'json', 'sh', 'c', 'rs', 'go', 'html', 'csv', 'yml', 'sql'))}"

    def relative_path(self) -> str:
        folders = "".join(f"{self.tech()}/" for _ in range(self.pick((0, 0, 1, 1, 2, 3))))
        return folders + self.file_name()

    def command(self) -> str:
        base = self.shape("command")
        while self.chance(0.12):
            base += " " + self.one_of(self.any_word, self.relative_path, lambda: f"--{self.any_word()}", lambda: f"-{self.pick('abcovxn')}")
        if self.chance(0.08):
            base += self.pick(
                (" && ", " ; ", " | ", " || ")
            ) + f"{self.pick(('echo', 'cat', 'ls', 'grep'))} {self.any_word()}"
        if self.chance(0.06):
            base += self.pick((" 2>&1", " > /dev/null", f" > {self.any_word()}.log", f" | head -{self.number(2, 40)}"))
        return base
