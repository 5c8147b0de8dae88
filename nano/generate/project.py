"""Invented project folders: the paths and scripts a request may refer to, and the ways people name a path.

A reference is what the person writes; the value is what the call must hold. They differ where the person gives a bare file
name, a description or a typo, and then the value stands in the sources block.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..sources import PathIndex, project_scripts
from .strings import Strings

FOLDERS = {
    "node": "src lib test tests docs scripts config public dist server client app components routes pages hooks utils types api".split(
    ),
    "python": "src tests docs scripts examples data notebooks core utils models services cli migrations tools config".split(
    ),
    "docs": "guides reference images archive templates policies engineering security team legal tutorials howto faq drafts".split(
    ),
    "web": "css js img assets fonts partials pages static media styles scripts vendor".split(),
    "native": "src include tests test lib bench docs tools examples third_party build cmake benches crates cmd internal pkg".split(
    ),
    "data": "data raw clean out output results queries logs reports plots input exports 2023 2024 archive".split(),
    "notes": "journal recipes trips ideas work home letters archive lists books garden photos health money 2024 kids".split(
    ),
}
EXTENSIONS = {
    "node": "ts ts ts js js tsx jsx mjs json md css vue svelte".split(),
    "python": "py py py py toml md txt ipynb csv yml cfg".split(),
    "docs": "md md md md txt rst yml pdf png html".split(),
    "web": "html html css js svg png txt xml json php scss".split(),
    "native": "c h c h cpp hpp rs go rs go txt md java kt swift zig cs".split(),
    "data": "csv csv csv tsv json parquet sql py log txt xlsx r jl".split(),
    "notes": "md md txt txt csv py sh pdf log tex".split(),
}
ROOT_FILES = {
    "node": (
        "package.json tsconfig.json README.md CHANGELOG.md .gitignore .env .env.example Dockerfile "
        "LICENSE vite.config.ts .eslintrc.json docker-compose.yml pnpm-lock.yaml jest.config.js index.html"
    ).split(),
    "python": (
        "pyproject.toml requirements.txt setup.cfg setup.py README.md README.rst LICENSE .gitignore "
        "Dockerfile tox.ini Makefile manage.py main.py conftest.py"
    ).split(),
    "docs": "README.md index.md mkdocs.yml CONTRIBUTING.md glossary.md changelog.md".split(),
    "web": "index.html about.html contact.html robots.txt sitemap.xml .htaccess favicon.ico package.json deploy.sh".split(
    ),
    "native": "Makefile CMakeLists.txt README README.md LICENSE Cargo.toml go.mod .clang-format .gitignore configure.ac build.rs".split(
    ),
    "data": "README.txt README.md requirements.txt report.py clean.py Makefile notes.txt".split(),
    "notes": (
        "todo.txt notes.md shopping.txt ideas.md backup.sh inbox.txt wishlist.md chores.txt packing.txt gifts.txt errands.md "
        "movies.txt guests.txt expenses-2025.csv sync.sh"
    ).split(),
}
SCRIPT_NAMES = (
    "test build lint start dev format typecheck clean deploy docs bench seed migrate install coverage watch preview release "
    "check serve generate storybook e2e prepare publish benchmark verify ci run all dist setup package update sync report "
    "stats export import types analyze validate test:unit test:e2e build:prod lint:fix dev:server db:migrate start:prod"
).split()
DATA_EXTENSIONS = ("csv", "tsv", "json", "parquet")
SETTINGS = ("package.json", "tsconfig.json", ".eslintrc.json", "config.json", "settings.json", "tsconfig.build.json")
TEXT_EXTENSIONS = ("md", "txt", "html", "log", "sql", "rst", "yml", "toml", "tex")
RUN_EXTENSIONS = ("py", "js", "sh", "mjs", "rb", "pl")

NOUNS_BY_KIND = {
    "code": "module file code source script class component helper thing program implementation".split(),
    "doc": "page doc document file notes guide text article md markdown list".split(),
    "config": "config file settings configuration json".split(),
    "data": "table data dataset file csv sheet spreadsheet list".split(),
    "style": "stylesheet styles css file".split(),
    "sql": "query sql file".split(),
    "log": "log logs file logfile".split(),
    "test": "test tests spec test-file".split(),
}
KIND_OF = {
    **dict.fromkeys(
        "ts js tsx jsx mjs py c h cpp hpp rs go java kt swift zig cs php vue svelte rb sh pl r jl".split(), "code",
    ),
    **dict.fromkeys("md txt rst html pdf tex ipynb".split(), "doc"),
    **dict.fromkeys("json toml yml yaml cfg ini env xml lock".split(), "config"),
    **dict.fromkeys("csv tsv parquet xlsx".split(), "data"),
    **dict.fromkeys("css scss".split(), "style"),
    "sql": "sql",
    "log": "log",
}


class Reference(NamedTuple):
    text: str  # what the person writes
    value: str  # what the call holds
    listed: bool  # whether the value must be in the sources block


class Project:
    def __init__(self, strings: Strings) -> None:
        self.kind = strings.pick(tuple(FOLDERS))
        self.files = _files(self.kind, strings)
        self.index = PathIndex(self.files)
        self.folders = [path for path in self.index.paths if path.endswith("/")]
        self.scripts = _scripts(self.kind, self.files, strings)
        self.data = [path for path in self.files if path.rsplit(".", 1)[-1] in DATA_EXTENSIONS and path not in SETTINGS]
        self.texts = [path for path in self.files if path.rsplit(".", 1)[-1] in TEXT_EXTENSIONS]
        self.runnable = [path for path in self.files if path.rsplit(".", 1)[-1] in RUN_EXTENSIONS]
        self.meant = _meant(self.index.paths)


def _files(kind: str, strings: Strings) -> list[str]:
    count = strings.pick((0, 3, 6, 10, 14, 20, 28, 40))
    paths: dict[str, None] = {}
    for name in ROOT_FILES[kind]:
        if count and strings.chance(0.45):
            paths[name] = None
    related = strings.pick((0.0, 0.2, 0.45))
    for _ in range(count):
        fresh = not paths or not strings.chance(related)
        path = folder_of(kind, strings) + file_name(kind, strings) if fresh else _related(strings.pick(list(paths)), kind, strings)
        paths[path] = None
    return list(paths)


def _related(path: str, kind: str, s: Strings) -> str:
    """Real projects use a word again and again: its test, its page, its folder, its plural, the same name elsewhere."""
    folder, _, base = path.rpartition("/")
    stem, _, extension = base.rpartition(".")
    if not stem:
        return folder_of(kind, s) + base
    plain = stem.removeprefix("test_").split(".")[0] or stem
    inner = folder.partition("/")[2]
    tests = s.pick(("test", "tests", "tests", "spec", f"{folder or 'src'}/tests", f"{folder or 'src'}/test"))
    other = s.pick(EXTENSIONS[kind])
    return s.pick(
        (
            f"{tests}/{inner}{'/' if inner else ''}{plain}.test.{extension}", f"{tests}/test_{plain}.{extension}",
            f"docs/{plain}.md", f"{folder_of(kind, s)}{base}", f"{folder_of(kind, s)}{plain}.{other}",
            f"{folder_of(kind, s)}{plain[:-1] if plain.endswith('s') else plain + 's'}.{other}",
            f"{folder}{'/' if folder else ''}{plain}-{s.tech()}.{extension}", f"{folder_of(kind, s)}{plain}/{file_name(kind, s)}",
            f"{folder}{'/' if folder else ''}{s.tech()}-{plain}.{extension}", f"{folder}{'/' if folder else ''}{plain}.{other}",
        )
    )  # fmt: skip


def _meant(paths: list[str]) -> dict[str, str]:
    """Of several paths under one name, the one that is meant: the shallowest, as the sources list them."""
    found: dict[str, str] = {}
    for path in sorted(paths, key=lambda path: (path.count("/"), path)):
        base = path.rstrip("/").rsplit("/", 1)[-1].lower()
        for name in {base, said(path)}:
            found.setdefault(f"{name}/" if path.endswith("/") else name, path)
    return found


def said(path: str) -> str:
    """What is left of a path when one speaks of it: its words and what kind of file it is."""
    base = path.rstrip("/").rsplit("/", 1)[-1]
    stem, _, extension = base.rpartition(".")
    return f"{spoken(stem or base)} {KIND_OF.get(extension, '')}"


def folder_of(kind: str, strings: Strings) -> str:
    depth = strings.pick((0, 1, 1, 1, 2, 2, 3))
    parts = []
    for level in range(depth):
        known = strings.chance(0.75 if level == 0 else 0.3)
        parts.append(
            strings.pick(FOLDERS[kind]) if known else strings.one_of(strings.tech, strings.noun, strings.any_word)
        )
    return "".join(f"{part}/" for part in parts)


def file_name(kind: str, strings: Strings) -> str:
    extension = strings.pick(EXTENSIONS[kind])
    if strings.chance(0.04):
        return f"{strings.number(2015, 2030)}-{strings.number(1, 12):02d}-{strings.number(1, 28):02d}.{extension}"
    if kind in ("notes", "docs") and strings.chance(0.3):
        return f"{strings.one_of(strings.noun, strings.noun, strings.place, strings.name).lower()}.{extension}"
    words = [
        strings.one_of(strings.tech, strings.noun, strings.any_word) for _ in range(strings.pick((1, 1, 1, 2, 2, 3)))
    ]
    if strings.chance(0.12):
        words[strings.number(0, len(words) - 1)] = strings.loaded()
    r = strings.random.random()
    if r < 0.35:
        stem = "-".join(words)
    elif r < 0.6:
        stem = "_".join(words)
    elif r < 0.72:
        stem = words[0] + "".join(word.capitalize() for word in words[1:])
    elif r < 0.84:
        stem = "".join(word.capitalize() for word in words)
    elif r < 0.88:
        stem = " ".join(words)
    elif r < 0.92:
        stem = "".join(words).upper()
    elif r < 0.96:
        stem = f"{words[0]}{strings.pick(('_', '-', ''))}{strings.number(1, 2030)}"
    else:
        stem = f"{words[0]}.{strings.pick(('test', 'spec', 'config', 'd', 'min', 'local', 'module'))}"
    if kind == "python" and strings.chance(0.12):
        return f"test_{words[0]}.py"
    return f"{stem}.{extension}"


def _scripts(kind: str, files: list[str], strings: Strings) -> list[tuple[str, str]]:
    """Made as text and read back, so that training sees what `project_scripts` really gives."""
    names = list(
        dict.fromkeys(
            strings.pick(
                SCRIPT_NAMES[:20] if strings.chance(0.8) else SCRIPT_NAMES
            ) for _ in range(strings.number(1, 8))
        )
    )
    if strings.chance(0.25):
        names.append(strings.any_word())
    texts: dict[str, str] = {}
    plain = [name for name in names if ":" not in name]
    if "package.json" in files:
        texts["package.json"] = '{"scripts": {' + ", ".join(f'"{name}": "x"' for name in names) + "}}"
    if "Makefile" in files:
        texts["Makefile"] = "".join(f"{name}:\n\tx\n" for name in plain)
    if "pyproject.toml" in files:
        extra = f"{strings.tech()} = \"x\"\n" if strings.chance(0.5) else ""
        texts["pyproject.toml"] = f"[project.scripts]\n{extra}"
    for name in ("Cargo.toml", "go.mod", "requirements.txt"):
        if name in files:
            texts[name] = ""
    return project_scripts(texts)


def refer(path: str, project: Project, strings: Strings) -> Reference:
    """How a person names this existing path. Where a short name would mean another one, the path is spelled out."""
    r = strings.random.random()
    base = path.rstrip("/").rsplit("/", 1)[-1]
    plain = path.rstrip("/")
    spelled = strings.pick((plain, plain, plain, plain, f"./{plain}", path))
    if r < 0.36 or len(base) < 3:
        return Reference(spelled, spelled, False)
    mark = "/" if path.endswith("/") else ""
    if r < 0.62:
        text = base if strings.chance(0.85) else base.lower()
        if text == plain:
            return Reference(text, text, False)
        return Reference(text, path, True) if project.meant[base.lower() + mark] == path else Reference(spelled, spelled, False)
    if r < 0.68 and plain.count("/") >= 2:
        return Reference(plain.split("/", 1)[1], path, True)
    if r < 0.74 and project.meant[base.lower() + mark] == path:
        return Reference(strings.pick(("the file ", "file ", "our ", "my ", "the ")) + base, path, True)
    if project.meant[said(path) + mark] != path:
        return Reference(spelled, spelled, False)
    return Reference(_described(path, base, strings), path, True)


def _described(path: str, base: str, strings: Strings) -> str:
    if path.endswith("/"):
        noun = strings.pick(("folder", "folder", "directory", "dir", "directory", "subfolder", "", "path"))
        words = _spoken(base, strings)
        text = f"{words} {noun}".strip() if strings.chance(0.85) else f"folder {words}"
    else:
        stem, _, extension = base.rpartition(".")
        stem = stem or base
        kind = "test" if stem.startswith("test_") or stem.endswith(
            (".test", ".spec")
        ) else KIND_OF.get(extension, "code")
        noun = strings.pick(NOUNS_BY_KIND[kind]) if strings.chance(0.72) else strings.pick(("", "", "file", extension))
        words = _spoken(stem.removeprefix("test_").split(".")[0] or stem, strings)
        text = f"{words} {noun}".strip()
    article = strings.pick(("the ", "the ", "the ", "the ", "our ", "my ", "that ", "this ", "", "", ""))
    return article + text


def spoken(stem: str) -> str:
    """The words of a name: `release-process`, `release_process` and `releaseProcess` alike."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[-_.]+", " ", stem.strip(".")).lower().strip()


def _spoken(stem: str, strings: Strings) -> str:
    """`release-process` as `release process`; short single words sometimes with one letter wrong."""
    text = stem.strip(".")
    if strings.chance(0.7):
        text = text.replace("-", " ").replace("_", " ")
    if strings.chance(0.6):
        text = text.lower()
    if strings.chance(0.08) and text[-1:].isalpha() and len(text) > 4:
        text = text[:-1] if text.endswith("s") and not text.endswith("ss") else f"{text}s"
    if strings.chance(0.06) and len(text) >= 6 and text.isalpha():
        at = strings.number(1, len(text) - 2)
        text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text
