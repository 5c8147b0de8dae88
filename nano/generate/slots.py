"""Filling the slots of a template: what the person writes, and the value the call must hold.

A value is remembered under its slot's name, so that a template may name it twice. Quotes, code fences and bare text are drawn
here: which of them is clear depends on where the slot stands.
"""

from __future__ import annotations

from ..sources import TYPE_WORDS
from .grammar import Grammar, Piece
from .project import Project, Reference, file_name, folder_of, refer
from .strings import Strings

_QUOTES = (('"', '"'), ('"', '"'), ('"', '"'), ("'", "'"), ("`", "`"), ("`", "`"), ("“", "”"), ("‘", "’"), ("«", "»"), ("*", "*"))
_FILE_WORDS = ("files", "files", "files", "file", "sources", "documents", "scripts", "pages", "stuff", "code", "")
_TYPE_NAMES = [word for word in TYPE_WORDS if len(word) > 1]


class Slots:
    """The slots of one request. `values` holds what the call needs; `listed` what the sources block must contain."""

    def __init__(self, project: Project, grammar: Grammar, strings: Strings) -> None:
        self.project = project
        self.grammar = grammar
        self.strings = strings
        self.values: dict[str, str] = {}
        self.surfaces: dict[str, str] = {}
        self.listed: list[str] = []
        self.quotes: tuple[str, str] | None = None

    def fill(self, name: str, modifier: str) -> str:
        known = self.surfaces.get(name)
        if known is not None and name not in ("in", "concept"):
            return known
        maker = getattr(self, f"_{name}", None)
        if maker is None:
            raise KeyError(f"no slot {name}")
        surface = maker(modifier)
        self.surfaces[name] = surface
        return surface

    def text_of(self, pieces: list[Piece]) -> str:
        return "".join(piece if isinstance(piece, str) else self.fill(*piece) for piece in pieces)

    # -- quoting

    def _quoted(self, value: str, modifier: str, bare: float) -> str:
        """`bare` is how often the value stands without quotes; long values in the middle of a sentence never do."""
        s = self.strings
        if "\n" in value:
            return self._block(value, modifier)
        if modifier == "line":
            return value
        at_end = modifier == "end"
        short = len(value) < 40 and value.count(" ") < 4
        if modifier != "quoted" and s.chance(bare if short or at_end else bare * 0.15):
            return value
        open_, close = self.quotes or s.pick(_QUOTES)
        if open_ in value or close in value:
            open_, close = next(((a, b) for a, b in _QUOTES if a not in value and b not in value), ("", ""))
        self.quotes = (open_, close) if open_ else None
        return f"{open_}{value}{close}"

    def _block(self, value: str, modifier: str) -> str:
        s = self.strings
        after = "" if modifier in ("end", "line") else "\n"
        if s.chance(0.75):
            language = s.pick(("", "", "py", "python", "js", "ts", "sh", "bash", "json", "html", "text", "md", "c", "sql"))
            return f"\n```{language}\n{value}\n```{after}"
        return f"\n{value}{after}"

    def _remember(self, name: str, value: str) -> str:
        self.values[name] = value
        return value

    def _refer(self, name: str, reference: Reference) -> str:
        self.values[name] = reference.value
        if reference.listed:
            self.listed.append(reference.value)
        text = reference.text
        if " " in reference.value and not reference.listed or self.strings.chance(0.06):
            open_, close = self.strings.pick(_QUOTES[:6])
            return f"{open_}{text}{close}" if open_ not in text else text
        return text

    # -- paths

    def _path(self, modifier: str) -> str:
        p, s = self.project, self.strings
        if p.files and s.chance(0.85):
            return self._refer("path", refer(s.pick(p.files), p, s))
        return self._refer("path", self._unlisted())

    def _unlisted(self) -> Reference:
        """A path that does not exist, or lies outside: then only the words of the request can be copied."""
        s, kind = self.strings, self.project.kind
        path = folder_of(kind, s) + file_name(kind, s)
        r = s.random.random()
        if r < 0.06:
            path = f"/{s.pick(('etc', 'home', 'var', 'tmp', 'usr', 'opt'))}/{path}"
        elif r < 0.1:
            path = f"~/{path}"
        elif r < 0.14:
            path = f"../{path}"
        elif r < 0.17:
            path = "C:\\" + path.replace("/", "\\")
        elif r < 0.2:
            path = path.replace("/", "\\")
        elif r < 0.26:
            path = s.pick((".env", ".gitignore", ".npmrc", ".bashrc", "Dockerfile", "Makefile", "LICENSE", "README", "Procfile", ".editorconfig"))
        return Reference(path, path, False)

    def _oldpath(self, modifier: str) -> str:
        surface = self._path(modifier)
        self.values["oldpath"] = self.values.pop("path")
        return surface

    def _newpath(self, modifier: str) -> str:
        s = self.strings
        value = self._unlisted().value if s.chance(0.85) else s.relative_path()
        self.values["newpath"] = value
        if " " in value or s.chance(0.08):
            open_, close = s.pick(_QUOTES[:6])
            return f"{open_}{value}{close}"
        return value

    def _folder(self, modifier: str) -> str:
        p, s = self.project, self.strings
        if p.folders and s.chance(0.85):
            return self._refer("folder", refer(s.pick(p.folders), p, s))
        path = (folder_of(p.kind, s) or f"{s.tech()}/").rstrip("/")
        path = s.pick((path, path, path, f"{path}/", f"./{path}", f"../{path}", f"~/{path}", f"/{path}"))
        return self._refer("folder", Reference(path, path, False))

    def _newfolder(self, modifier: str) -> str:
        return self.strings.pick((self.strings.any_word(), f"{self.strings.tech()}/{self.strings.any_word()}"))

    def _place(self, modifier: str) -> str:
        p, s = self.project, self.strings
        folder = s.chance(0.7)
        options = p.folders if folder else p.files
        if options and s.chance(0.85):
            return self._refer("place", refer(s.pick(options), p, s))
        path = (folder_of(p.kind, s) or f"{s.tech()}/").rstrip("/") if folder else s.relative_path()
        return self._refer("place", Reference(path, path, False))

    def _in(self, modifier: str) -> str:
        if self.strings.chance(0.72):
            return ""
        return self.text_of(self.grammar.draw("in_words", self.strings.random))

    def _data(self, modifier: str) -> str:
        p, s = self.project, self.strings
        if p.data and s.chance(0.7):
            return self._refer("data", refer(s.pick(p.data), p, s))
        name = file_name("data", s).rsplit(".", 1)[0]
        folder = s.pick(("", "", f"{s.tech()}/", "data/", "out/"))
        path = f"{folder}{name}.{s.pick(('csv', 'csv', 'csv', 'tsv', 'json', 'parquet'))}"
        return self._refer("data", Reference(path, path, False))

    def _runfile(self, modifier: str) -> str:
        """The value is the file; the caller turns it into the command the sources block lists for it."""
        p, s = self.project, self.strings
        if p.runnable and s.chance(0.7):
            return self._refer("runfile", refer(s.pick(p.runnable), p, s))
        stem = "_".join(s.any_word() for _ in range(s.pick((1, 1, 2))))
        path = f"{s.pick(('', '', f'{s.tech()}/', 'scripts/', './'))}{stem}.{s.pick(('py', 'py', 'py', 'js', 'sh', 'sh', 'mjs'))}"
        return self._refer("runfile", Reference(path, path, False))

    # -- names and patterns

    def _typed(self, modifier: str) -> str:
        """`markdown files`, `.py files`, `ts files in src`: the value is the glob."""
        s = self.strings
        word = s.pick(_TYPE_NAMES)
        extension = TYPE_WORDS[word]
        r = s.random.random()
        if r < 0.3:
            word = f".{extension}"
        elif r < 0.4:
            word = f".{extension}" if s.chance(0.5) else f"*.{extension}"
        elif r < 0.5:
            word = word.upper() if len(word) <= 4 else word.capitalize()
        self.values["typed"] = word if word.startswith("*") else f"**/*.{extension}"
        noun = s.pick(_FILE_WORDS)
        phrase = f"{word} {noun}".strip()
        if s.chance(0.12):
            phrase = s.pick((f"files ending in {word}", f"files that end with {word}", f"files with the extension {word}", f"files of type {word}", f"{word} ones"))
        if self.project.folders and s.chance(0.16):
            reference = refer(s.pick(self.project.folders), self.project, s)
            if not word.startswith("*"):
                folder = reference.value.rstrip("/").removeprefix("./")
                if reference.listed:
                    self.listed.append(reference.value)
                self.values["typed"] = f"{folder}/**/*.{extension}"
                phrase += f" {s.pick(('in', 'under', 'inside', 'within', 'below'))} {reference.text}"
        return phrase

    def _filename(self, modifier: str) -> str:
        s = self.strings
        name = s.pick((s.file_name(), file_name(self.project.kind, s), s.pick(("Makefile", "Dockerfile", "package.json", "tsconfig.json", "README.md", "LICENSE", "pyproject.toml", ".env"))))
        if self.project.files and s.chance(0.5):
            name = s.pick(self.project.files).rsplit("/", 1)[-1]
        if " " in name:
            name = name.replace(" ", "_")
        self.values["filename"] = f"**/{name}"
        return name

    def _fragment(self, modifier: str) -> str:
        s = self.strings
        word = s.one_of(s.tech, s.noun, s.invented, s.identifier)
        self.values["fragment"] = f"**/*{word}*"
        return self._quoted(word, modifier, 0.6)

    def _glob(self, modifier: str) -> str:
        s = self.strings
        w, t = s.any_word(), s.tech()
        extension = s.pick(("ts", "py", "md", "js", "css", "c", "json", "test.ts", "spec.js", "d.ts", "go", "rs", "yaml"))
        value = s.pick((f"*.{extension}", f"**/*.{extension}", f"{t}/*.{extension}", f"{t}/**/*.{extension}", f"*{w}*", f"{w}*.{extension}", f"**/{w}*", f"test_*.{extension}", f"{t}/**", f"*_{w}.{extension}", f"**/{t}/*.{extension}"))
        self.values["glob"] = value
        return self._quoted(value, modifier, 0.75)

    def _line(self, modifier: str) -> str:
        return self._remember("line", str(self.strings.pick((self.strings.number(2, 60), self.strings.number(10, 999), self.strings.number(100, 4000)))))

    def _job(self, modifier: str) -> str:
        return self._remember("job", f"job-{self.strings.number(1, 40)}")

    def _result(self, modifier: str) -> str:
        return self._remember("result", f"{self.strings.pick(('result', 'result', 'r', 'out'))}-{self.strings.number(1, 60)}")

    # -- free text

    def _needle(self, modifier: str) -> str:
        s = self.strings
        value = s.needle()
        plain = value.isalnum() or value.replace("_", "").isalnum()
        return self._quoted(self._remember("needle", value), modifier, 0.85 if plain else 0.45)

    def _content(self, modifier: str) -> str:
        s = self.strings
        r = s.random.random()
        if r < 0.14:
            value = s.code_block() if s.chance(0.6) else s.text_block()
        elif r < 0.44:
            value = s.code_line()
        elif r < 0.58:
            value = s.phrase()
        elif r < 0.7:
            value = s.sentence()
        elif r < 0.78:
            value = s.prose()
        elif r < 0.9:
            value = s.list_item()
        else:
            value = s.one_of(s.any_word, s.quantity, s.version, s.identifier, s.url)
        return self._quoted(self._remember("content", value.strip()), modifier, 0.5)

    def _old(self, modifier: str) -> str:
        self._pair()
        return self._quoted(self.values["old"], modifier, 0.55)

    def _new(self, modifier: str) -> str:
        self._pair()
        bare = 0.08 if self.quotes else 0.75
        return self._quoted(self.values["new"], modifier, bare)

    def _pair(self) -> None:
        """What is replaced and by what: usually two of a kind."""
        if "old" in self.values:
            return
        s = self.strings
        r = s.random.random()
        if r < 0.2:
            old, new = s.identifier(), s.identifier()
        elif r < 0.3:
            key, sign = s.identifier(), s.pick((" = ", "=", ": ", ":", " "))
            old, new = f"{key}{sign}{s.quantity()}", f"{key}{sign}{s.quantity()}"
        elif r < 0.46:
            shapes = self.strings.shapes["quantity"]
            at = s.number(0, len(shapes) - 1)
            old, new = (_compose(shapes[at]) for _ in range(2))
        elif r < 0.56:
            old, new = s.version(), s.version()
        elif r < 0.68:
            old, new = s.phrase(), s.phrase()
        elif r < 0.78:
            old, new = s.any_word(), s.any_word()
        elif r < 0.84:
            old = s.phrase()
            words = old.split(" ")
            words[s.number(0, len(words) - 1)] = s.any_word()
            new = " ".join(words)
        elif r < 0.92:
            old, new = s.code_line(), s.code_line()
        elif r < 0.96:
            old, new = s.sentence(), s.sentence()
        else:
            old, new = s.symbol(), s.symbol()
        self.values["old"], self.values["new"] = old.strip(), (new if new != old else new + "2").strip()

    def _command(self, modifier: str) -> str:
        value = self._remember("command", self.strings.command())
        return self._quoted(value, modifier, 0.62)

    def _sql(self, modifier: str) -> str:
        return self._quoted(self._remember("sql", self.strings.sql()), modifier, 0.6)

    def _pycode(self, modifier: str) -> str:
        return self._quoted(self._remember("pycode", self.strings.python_code()), modifier, 0.6)

    def _jscode(self, modifier: str) -> str:
        return self._quoted(self._remember("jscode", self.strings.javascript_code()), modifier, 0.6)

    def _url(self, modifier: str) -> str:
        value = self._remember("url", self.strings.url())
        return self.strings.pick((value, value, value, value, value, f"<{value}>", f"({value})", f'"{value}"'))

    def _fact(self, modifier: str) -> str:
        value = self._remember("fact", self.strings.sentence() if self.strings.chance(0.85) else self.strings.phrase())
        return self._quoted(value, "end" if not modifier else modifier, 0.88)

    def _topic(self, modifier: str) -> str:
        s = self.strings
        value = s.one_of(s.noun, s.tech, s.name, s.phrase, s.place, s.any_word, s.identifier)
        article = s.pick(("", "", "", "the ", "the ", "our ", "my ", "that ")) if value.islower() else ""
        self.values["topic"] = value
        return article + value

    def _task(self, modifier: str) -> str:
        s = self.strings
        value = s.one_of(s.phrase, s.sentence, lambda: f"{s.verb()} the {s.tech()} {s.tech()}", lambda: f"{s.verb()} {s.noun()}s")
        return self._quoted(self._remember("task", value), modifier, 0.5 if modifier == "end" else 0.3)

    def _question(self, modifier: str) -> str:
        return self._quoted(self._remember("question", self.strings.sentence() + "?"), modifier, 0.7)

    def _skill(self, modifier: str) -> str:
        s = self.strings
        return self._remember("skill", "-".join(s.one_of(s.tech, s.verb, s.noun) for _ in range(s.pick((1, 2, 2)))))

    def _args(self, modifier: str) -> str:
        s = self.strings
        return self._quoted(self._remember("args", s.one_of(s.phrase, s.version, s.any_word, s.file_name)), modifier, 0.8)

    def _function(self, modifier: str) -> str:
        return self._remember("function", self.strings.identifier())

    def _purpose(self, modifier: str) -> str:
        return self._quoted(self._remember("purpose", f"{self.strings.verb()}s {self.strings.noun()}s"), modifier, 0.6)

    def _concept(self, modifier: str) -> str:
        text = self.grammar.draw("concept", self.strings.random)
        return self._remember("concept", " ".join("".join(map(str, text)).split()))

    def _error(self, modifier: str) -> str:
        return self.strings.trace() if self.strings.chance(0.4) else self.strings.error_message()

    def _patch(self, modifier: str) -> str:
        s = self.strings
        path = s.relative_path()
        if s.chance(0.5):
            body = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{s.code_line()}\n+{s.code_line()}\n*** End Patch"
        else:
            body = f"--- a/{path}\n+++ b/{path}\n@@ -{s.number(1, 90)},1 +{s.number(1, 90)},1 @@\n-{s.code_line()}\n+{s.code_line()}"
        self.values["patch"] = body
        return f"```{s.pick(('diff', 'patch', ''))}\n{body}\n```" if s.chance(0.6) else body


def _compose(pieces: list) -> str:
    return "".join(piece if isinstance(piece, str) else piece() for piece in pieces)
