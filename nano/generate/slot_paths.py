"""Slots whose values are paths, patterns, numbers and ids: things that exist, or look as if they did."""

from __future__ import annotations

from ..sources import TYPE_WORDS
from .project import Reference, file_name, folder_of, refer, said, spoken
from .slot_base import QUOTES, SlotBase, some_ids

_FILE_WORDS = ("files", "files", "files", "file", "sources", "documents", "scripts", "pages", "stuff", "code", "")
_ENDINGS = "txt txt txt md md json py js ts sh yml html csv log css toml ini env cfg sql".split()
_EVERYDAY = (
    "hello.txt hello.py hello.js hello.md test.txt test.py test.js test.md tests.py notes.txt notes.md note.txt todo.txt TODO.md TODO VERSION version.txt "
    "a.txt b.txt x.txt a.py x.py b.js a.md tmp.txt temp.json out.txt output.log result.json results.csv data.json config.json settings.json "
    "log.txt greeting.txt message.txt answer.txt index.html index.js main.py main.js app.py utils.py util.js helper.js demo.py example.py "
    "foo.txt bar.txt foo.py bar.js readme.txt README.md CHANGELOG.md NOTES LICENSE CODEOWNERS .node-version .python-version .env .env.local "
    ".gitignore .prettierrc .npmrc .editorconfig .dockerignore Dockerfile Makefile Procfile robots.txt requirements.txt run.sh start.sh build.sh setup.sh "
    "list.txt names.txt ideas.md draft.md plan.md report.md summary.txt info.txt done.txt ok.txt empty.txt new.txt file.txt script.py script.sh scratch.ts"
).split()
_TYPE_NAMES = [word for word in TYPE_WORDS if len(word) > 1]


class PathSlots(SlotBase):
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
            path = s.pick(
                (
                    ".env", ".gitignore", ".npmrc", ".bashrc", "Dockerfile", "Makefile", "LICENSE", "README",
                    "Procfile", ".editorconfig",
                )
            )
        return Reference(path, path, False)

    def _about(self, modifier: str) -> str:
        """A file by its subject alone: `beach` for notes/beach.md. Only the paths block says that there is one."""
        p, s = self.project, self.strings
        path = p.meant[said(s.pick(p.texts))] if p.texts else ""
        words = spoken(path.rsplit("/", 1)[-1].rsplit(".", 1)[0]) if path else ""
        self.listed.append(path)
        self.values["path"] = self.values["oldpath"] = path
        return words.title() if s.chance(0.08) else words

    def _filed(self, modifier: str) -> str:
        """A file by its subject and what its folder holds: `curry recipe` for recipes/curry.txt."""
        p, s = self.project, self.strings
        filed = [path for path in p.texts if path.count("/") and path.split("/")[-2].isalpha()]
        path = p.meant[said(s.pick(filed))] if filed else ""
        folder, _, base = path.rpartition("/")
        kind = folder.rsplit("/", 1)[-1].lower()
        words = spoken(base.rsplit(".", 1)[0])
        self.listed.append(path)
        self.values["path"] = self.values["oldpath"] = path
        return f"{words} {kind[:-1] if kind.endswith('s') else kind}"

    def _named(self, modifier: str) -> str:
        """A file one looks for by the one word of its name."""
        p, s = self.project, self.strings
        stems = [path.rsplit("/", 1)[-1].rsplit(".", 1)[0].lower() for path in p.files]
        words = [stem for stem in stems if stem.isalpha() and len(stem) > 2] or ["readme"]
        word = s.pick(words) if s.chance(0.7) else s.pick("readme license changelog makefile dockerfile package".split())
        self.values["fragment"] = f"**/*{word}*"
        return word

    def _group(self, modifier: str) -> str:
        """A folder by what it holds, as one says it: `letters`, `trips`."""
        p, s = self.project, self.strings
        path = p.meant[f"{said(s.pick(p.folders))}/"] if p.folders else ""
        name = spoken(path.rstrip("/").rsplit("/", 1)[-1])
        if not name.isalpha():
            path = ""
        self.listed.append(path)
        self.values["folder"] = self.values["place"] = path
        return name if name.endswith("s") or modifier == "one" else f"{name}s"

    def _oldpath(self, modifier: str) -> str:
        p, s = self.project, self.strings
        if p.files and s.chance(0.95):
            return self._refer("oldpath", refer(s.pick(p.files), p, s))
        surface = self._path(modifier)
        self.values["oldpath"] = self.values.pop("path")
        return surface

    def _newpath(self, modifier: str) -> str:
        s = self.strings
        while (value := self._unused()) in self.project.files:
            pass
        self.values["newpath"] = value
        if " " in value or s.chance(0.08):
            open_, close = s.pick(QUOTES[:6])
            return f"{open_}{value}{close}"
        return value

    def _unused(self) -> str:
        """A path for a new file. Existing ones share its words often enough, and are not meant."""
        p, s = self.project, self.strings
        r = s.random.random()
        folder = s.pick(("", "", "", folder_of(p.kind, s)))
        if r < 0.2:
            return folder + s.pick(_EVERYDAY)
        if r < 0.32:
            return f"{folder}{s.one_of(s.loaded, s.noun, s.any_word, lambda: s.pick(s.words[s.pick(('short', 'particle'))]))}.{s.pick(_ENDINGS)}"
        if r < 0.56 and p.index.paths:
            path = s.pick(p.index.paths).rstrip("/")
            base = path.rsplit("/", 1)[-1]
            words = spoken(base.rsplit(".", 1)[0]).split() or [base]
            stem = s.pick((base.rsplit(".", 1)[0] or base, s.pick(words), f"{s.pick(words)}{s.number(2, 9)}", f"{s.tech()}-{s.pick(words)}"))
            return s.pick((f"{folder_of(p.kind, s)}{base}", f"{folder}{stem}.{s.pick(_ENDINGS)}", f"{folder}{stem}.{s.pick(_ENDINGS)}"))
        return self._unlisted().value if r < 0.93 else s.relative_path()

    def _folder(self, modifier: str) -> str:
        p, s = self.project, self.strings
        if p.folders and s.chance(0.85):
            return self._refer("folder", refer(s.pick(p.folders), p, s))
        path = (folder_of(p.kind, s) or f"{s.tech()}/").rstrip("/")
        path = s.pick((path, path, path, f"{path}/", f"./{path}", f"../{path}", f"~/{path}", f"/{path}"))
        return self._refer("folder", Reference(path, path, False))

    def _newfolder(self, modifier: str) -> str:
        """One that does not exist, alone or in one that does."""
        p, s = self.project, self.strings
        name = s.one_of(
            s.any_word, s.noun, s.tech, lambda: f"{s.tech()}-{s.noun()}", lambda: f"{s.noun()}_{s.number(1, 30)}",
            lambda: str(s.number(2019, 2031)),
        )
        folder = s.pick(p.folders) if p.folders and s.chance(0.4) else s.pick(("", "", "", f"{s.tech()}/"))
        return self._remember("newfolder", f"{folder}{name}{s.pick(('', '', '', '/'))}")

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
            phrase = s.pick(
                (
                    f"files ending in {word}", f"files that end with {word}", f"files with the extension {word}",
                    f"files of type {word}", f"{word} ones",
                )
            )
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
        name = s.pick(
            (
                s.file_name(), file_name(self.project.kind, s),
                s.pick(
                    (
                        "Makefile", "Dockerfile", "package.json", "tsconfig.json", "README.md", "LICENSE",
                        "pyproject.toml", ".env",
                    )
                ),
            )
        )
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
        extension = s.pick(
            ("ts", "py", "md", "js", "css", "c", "json", "test.ts", "spec.js", "d.ts", "go", "rs", "yaml")
        )
        value = s.pick(
            (
                f"*.{extension}", f"**/*.{extension}", f"{t}/*.{extension}", f"{t}/**/*.{extension}", f"*{w}*",
                f"{w}*.{extension}", f"**/{w}*", f"test_*.{extension}", f"{t}/**", f"*_{w}.{extension}",
                f"**/{t}/*.{extension}",
            )
        )
        self.values["glob"] = value
        return self._quoted(value, modifier, 0.75)

    def _line(self, modifier: str) -> str:
        return self._remember(
            "line",
            str(
                self.strings.pick(
                    (self.strings.number(2, 60), self.strings.number(10, 999), self.strings.number(100, 4000))
                )
            ),
        )

    def _job(self, modifier: str) -> str:
        return self._remember("job", f"job-{self.strings.number(1, 40)}")

    def _jobname(self, modifier: str) -> str:
        """A job named by what it runs; its id stands in the ids block."""
        jobs = [(identifier, command) for identifier, command in some_ids(self.strings) if identifier.startswith("job")]
        if not jobs:
            jobs = [("job-1", "npm run dev")]
        self.ids = tuple(jobs)
        identifier, command = self.strings.pick(jobs)
        self.values["job"] = identifier
        return self.strings.pick((command, command.rsplit(" ", 1)[-1], command.rsplit(" ", 1)[-1]))

    def _result(self, modifier: str) -> str:
        return self._remember(
            "result", f"{self.strings.pick(('result', 'result', 'r', 'out'))}-{self.strings.number(1, 60)}",
        )
