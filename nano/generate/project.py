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
        self.data = [path for path in self.files if path.rsplit(".", 1)[-1] in DATA_EXTENSIONS]
        self.texts = [path for path in self.files if path.rsplit(".", 1)[-1] in TEXT_EXTENSIONS]
        self.runnable = [path for path in self.files if path.rsplit(".", 1)[-1] in RUN_EXTENSIONS]


def _files(kind: str, strings: Strings) -> list[str]:
    count = strings.pick((0, 3, 6, 10, 14, 20, 28))
    paths: dict[str, None] = {}
    for name in ROOT_FILES[kind]:
        if count and strings.chance(0.45):
            paths[name] = None
    for _ in range(count):
        paths[folder_of(kind, strings) + file_name(kind, strings)] = None
    return list(paths)


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
    """How a person names this existing path."""
    r = strings.random.random()
    base = path.rstrip("/").rsplit("/", 1)[-1]
    plain = path.rstrip("/")
    if r < 0.36 or len(base) < 3:
        text = strings.pick((plain, plain, plain, plain, f"./{plain}", path))
        return Reference(text, text, False)
    if r < 0.62:
        return Reference(base if strings.chance(0.85) else base.lower(), path, True)
    if r < 0.68 and plain.count("/") >= 2:
        return Reference(plain.split("/", 1)[1], path, True)
    if r < 0.74:
        return Reference(strings.pick(("the file ", "file ", "our ", "my ", "the ")) + base, path, True)
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
    if strings.chance(0.06) and len(text) >= 6 and text.isalpha():
        at = strings.number(1, len(text) - 2)
        text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text
