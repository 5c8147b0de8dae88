"""What arguments may be copied from besides the request: paths that a word of it matches, scripts, globs.

Pure functions over a list of paths and the text of a few project files; the program's engine does the same before it asks
nano. Ranks are small integers so that the order is the same in any language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from .facts import facts_in
from .format import Sources
from .lines import MAX_LINES, LineIndex
from .spans import words_of
from .words import NUMBERS, STOP_WORDS

MAX_PATHS = 12
MAX_SCRIPTS = 12

# The file type a word names. Globs and "the csv" both go through here.
TYPE_WORDS: dict[str, str] = {
    "markdown": "md", "md": "md", "python": "py", "py": "py", "typescript": "ts", "ts": "ts", "tsx": "tsx",
    "javascript": "js", "js": "js", "jsx": "jsx", "mjs": "mjs", "rust": "rs", "rs": "rs", "golang": "go", "go": "go",
    "java": "java", "kotlin": "kt", "kt": "kt", "swift": "swift", "ruby": "rb", "rb": "rb", "php": "php", "html": "html",
    "htm": "htm", "css": "css", "scss": "scss", "sass": "sass", "less": "less", "json": "json", "yaml": "yaml",
    "yml": "yml", "toml": "toml", "xml": "xml", "csv": "csv", "csvs": "csv", "tsv": "tsv", "sql": "sql", "shell": "sh",
    "bash": "sh", "sh": "sh", "text": "txt", "txt": "txt", "log": "log", "logs": "log", "notebook": "ipynb",
    "notebooks": "ipynb", "jupyter": "ipynb", "ipynb": "ipynb", "svg": "svg", "svgs": "svg", "png": "png", "pngs": "png",
    "jpg": "jpg", "jpeg": "jpeg", "gif": "gif", "pdf": "pdf", "pdfs": "pdf", "vue": "vue", "svelte": "svelte",
    "proto": "proto", "graphql": "graphql", "terraform": "tf", "tf": "tf", "ini": "ini", "env": "env", "lock": "lock",
    "wasm": "wasm", "zip": "zip", "excel": "xlsx", "xlsx": "xlsx", "parquet": "parquet", "dart": "dart", "scala": "scala",
    "lua": "lua", "julia": "jl", "perl": "pl", "elixir": "ex", "haskell": "hs", "zig": "zig", "c": "c", "h": "h",
    "header": "h", "headers": "h", "cpp": "cpp", "c++": "cpp", "hpp": "hpp", "cs": "cs", "c#": "cs", "rst": "rst",
    "tex": "tex", "latex": "tex", "conf": "conf", "cfg": "cfg", "bat": "bat", "ps1": "ps1", "powershell": "ps1",
}  # fmt: skip

RUNNERS = {
    "py": "python3", "js": "node", "mjs": "node", "cjs": "node", "sh": "bash", "rb": "ruby", "pl": "perl",
    "lua": "lua",
}

_GIT_WORDS = frozenset(
    "git commit commits committed uncommitted branch branches diff staged unstaged changed changes".split()
)
GIT_COMMANDS = ("git status", "git diff", "git log --oneline -20", "git branch")

_BARE_NAMES = frozenset(
    "makefile dockerfile license licence readme changelog gemfile rakefile procfile jenkinsfile".split()
)
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


Match = tuple[int, int, int]
# How much a word tells by the rank of its match: a path spelled out most, a file type or a slip least.
_WORTH = {10: 1000, 9: 700, 8: 300, 7: 120, 6: 140, 5: 60, 4: 40, 3: 15, 2: 40, 1: 20}
_OF_FOLDERS = re.compile(
    r"\b(?:folders?|director(?:y|ies)|dir|ls|inside|everything|contents|what(?:'s|s| is| have i)? (?:got )?in)\b|^\W*(?:(?:please|kindly|hey|ok),? )*list\b|\blist (?:the|what|all|every|my)\b",
    re.IGNORECASE,
)


def _share(count: int) -> int:
    """In tenths: a word that names one path tells more than one that names many."""
    return 15 if count <= 1 else 12 if count == 2 else 10 if count <= 4 else 7 if count <= 8 else 4


def _scores(matches: Mapping[str, Match], request: str) -> dict[str, int]:
    """What names its folder speaks for a file, too. A folder is meant less often than a file, unless folders are spoken of."""
    of_folders = 12 if _OF_FOLDERS.search(request) else 4
    found = {}
    for path, (_, _, score) in matches.items():
        parts = path.rstrip("/").split("/")
        above = sum(matches[folder][2] for depth in range(1, len(parts)) if (folder := "/".join(parts[:depth]) + "/") in matches)
        found[path] = (score + above * 4 // 10) * (of_folders if path.endswith("/") else 10)
    return found


class PathIndex:
    """Every form under which a word may name one of the paths, with its rank. Built once per folder."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = list(dict.fromkeys([*_folders(paths := list(paths)), *paths]))
        self.forms: dict[str, dict[str, int]] = {}
        self.near: dict[str, set[str]] = {}
        self.numbered: dict[int, list[str]] = {}
        self.by_type: dict[str, list[str]] = {}
        self.stems: dict[str, list[str]] = {}
        self._last: tuple[str | None, dict[str, Match]] = (None, {})
        for path in self.paths:
            self._add(path)

    def _add(self, path: str) -> None:
        plain = path.rstrip("/")
        base = plain.rsplit("/", 1)[-1].lower()
        stem = _stem(base)
        self._form(plain.lower(), path, 10)
        for start in [match.end() for match in re.finditer("/", plain)][:-1]:
            self._form(plain[start:].lower(), path, 9)
        self._form(base, path, 8)
        self._form(stem, path, 7)
        if any(sign in base for sign in " -_."):
            self._form(_joined(base), path, 6)
            self._form(_joined(stem), path, 6)
        for part in _parts(plain.rsplit("/", 1)[-1], stem):
            self._form(part, path, 5)
        for root in dict.fromkeys(map(stem_of, [stem, *sorted(_parts(plain.rsplit("/", 1)[-1], stem))])):
            if root:
                self.stems.setdefault(root, []).append(path)
        for number in dict.fromkeys(map(int, re.findall(r"[0-9]+", base))):
            self.numbered.setdefault(number, []).append(path)
        for name in {base, stem}:
            if len(name) >= 5:
                for shorter in _deletions(name):
                    self.near.setdefault(shorter, set()).add(path)
        if not path.endswith("/") and "." in base:
            self.by_type.setdefault(base.rsplit(".", 1)[-1], []).append(path)

    def _form(self, form: str, path: str, rank: int) -> None:
        ranks = self.forms.setdefault(form, {})
        ranks[path] = max(rank, ranks.get(path, 0))

    def match(self, request: str, other: "PathIndex | None" = None) -> tuple[str, ...]:
        """The paths some word of the request matches, best first: score, depth, name. Those of `other` count, too."""
        matches = {**(other._matches(request) if other else {}), **self._matches(request)}

        scores = _scores(matches, request)

        def order(path: str) -> tuple[int, int, str]:
            return -scores[path], path.count("/"), path

        return tuple(sorted(matches, key=order)[:MAX_PATHS])

    def ranks(self, request: str) -> dict[str, int]:
        """A file that two words name counts like one that is named in full."""
        return {path: 6 if rank == 5 and count > 1 else rank for path, (rank, count, _) in self._matches(request).items()}

    def _matches(self, request: str) -> dict[str, Match]:
        """For each path its best rank, how many words of the request name it, and how much they tell."""
        if self._last[0] != request:
            self._last = request, self._counted(request)
        return self._last[1]

    def _counted(self, request: str) -> dict[str, Match]:
        words = [_unrooted(word.lower()) for word in words_of(request)]
        best: dict[str, Match] = {}
        for at in range(len(words)):
            found: dict[str, int] = {}
            for ranks in (*self._joined_matches(words, at), *self._word_matches(words[at])):
                for path, rank in ranks.items():
                    found[path] = max(rank, found.get(path, 0))
            share = 0 if words[at] in words[:at] else _share(sum(rank >= 4 for rank in found.values()))
            for path, rank in found.items():
                known, count, score = best.get(path, (0, 0, 0))
                worth = _WORTH[7 if rank == 8 and "." not in words[at] else rank]
                best[path] = max(rank, known), count + 1, score + worth * share // 10
        # "chapter six", "the March one". A number in digits is mostly something else.
        for word in words:
            for path in self.numbered.get(NUMBERS.get(word, -1), ()):
                if path in best or not word.isdigit():
                    rank, count, score = best.get(path, (2, 0, 0))
                    best[path] = rank, count + 1, score + _WORTH[2]
        return best

    def _joined_matches(self, words: list[str], at: int) -> Iterator[dict[str, int]]:
        """`read me`, `package json` and `packing list` name README.md, package.json and packing list.txt."""
        for length in (3, 2):
            if at + length <= len(words):
                joined = "".join(map(_joined, words[at : at + length]))
                yield {path: 6 for path, rank in self.forms.get(joined, {}).items() if rank >= 6}

    def _word_matches(self, word: str) -> Iterator[Mapping[str, int]]:
        if len(word) < 2 or word in STOP_WORDS:
            return
        exact = self.forms.get(word, {})
        counted = self.forms.get(_singular(word), {}) if word.endswith("s") else self.forms.get(word + "s", {})
        joined = {path: 6 for path, rank in self.forms.get(_joined(word), {}).items() if rank >= 6}
        yield from (exact, counted, joined)
        yield {path: 4 for path in self.stems.get(stem_of(word), ())}
        yield {path: 3 for path in self.by_type.get(TYPE_WORDS.get(word, ""), [])[:4]}
        if len(word) >= 5 and not (exact or counted or joined):
            yield {path: 1 for shorter in _deletions(word) for path in self.near.get(shorter, ())}


def _folders(paths: list[str]) -> list[str]:
    found: dict[str, None] = {}
    for path in paths:
        parts = path.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            found["/".join(parts[:depth]) + "/"] = None
    return list(found)


def _stem(base: str) -> str:
    at = base.rfind(".")
    if at > 0:
        return base[:at]
    return base[1:] if at == 0 else base


@lru_cache(maxsize=50_000)
def _joined(name: str) -> str:
    return re.sub(r"[ \-_.]", "", name)


def _parts(base: str, stem: str) -> set[str]:
    pieces = set(re.split(r"[ \-_.]+", stem))
    pieces |= {piece.lower() for piece in _CAMEL.findall(base[: len(stem) + base.startswith(".")])}
    return {piece for piece in pieces if (len(piece) >= 3 or len(piece) == 2 and re.search(r"[0-9]", piece)) and piece != stem}


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


@lru_cache(maxsize=50_000)
def stem_of(word: str) -> str:
    """`count` of `counting` and `counted`; nothing where too little is left. Letters only."""
    if not re.fullmatch(r"[a-z]{4,}", word):
        return ""
    root = re.sub(r"(?:ings?|ed|ers?|ions?|ment|es|s)$", "", word)
    root = re.sub(r"([b-df-hj-np-tv-z])\1$", r"\1", root)
    root = re.sub(r"[ey]$", "", root)
    return root if len(root) >= 4 else ""


@lru_cache(maxsize=50_000)
def _unrooted(word: str) -> str:
    """As paths are listed: no `./`, no trailing slash, no `:line:column`."""
    return re.sub(r":\d+(:\d+)?$", "", word.removeprefix("./")).rstrip("/") or word


def _deletions(word: str) -> set[str]:
    """Two words are near when taking at most one letter from each makes them equal."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def project_scripts(files: Mapping[str, str]) -> list[tuple[str, str]]:
    """(label, command) of everything the project itself offers to run. `files` needs only the few files named here."""
    found: list[tuple[str, str]] = []
    if "package.json" in files:
        found += [*_package_scripts(files["package.json"]), ("install", "npm install")]
    if "requirements.txt" in files:
        found.append(("install", "pip install -r requirements.txt"))
    if "Makefile" in files:
        targets = _make_targets(files["Makefile"])
        found += [(target, f"make {target}") for target in targets]
        found += [] if "build" in targets else [("build", "make")]
    if "pyproject.toml" in files:
        found += _pyproject_scripts(files["pyproject.toml"])
    if "Cargo.toml" in files:
        found += [(verb, f"cargo {verb}") for verb in ("build", "test", "run")]
    if "go.mod" in files:
        found += [("build", "go build ./..."), ("test", "go test ./...")]
    return found


def _package_scripts(text: str) -> list[tuple[str, str]]:
    try:
        names = list(json.loads(text).get("scripts", {}))
    except (ValueError, AttributeError):
        return []
    return [(name, f"npm {name}" if name in ("test", "start") else f"npm run {name}") for name in names]


def _make_targets(text: str) -> list[str]:
    targets = re.findall(r"^([A-Za-z][\w-]*)\s*:(?!=)", text, re.MULTILINE)
    return list(dict.fromkeys(targets))


def _pyproject_scripts(text: str) -> list[tuple[str, str]]:
    section = re.search(r"^\[project\.scripts\]\n((?:[^\[\n].*\n?|\n)*)", text, re.MULTILINE)
    names = re.findall(r"^([\w-]+)\s*=", section.group(1), re.MULTILINE) if section else []
    return [("test", "pytest"), *((name, name) for name in names)]


def request_scripts(
    request: str, scripts: list[tuple[str, str]], ranks: Mapping[str, int], whole: str = ""
) -> tuple[tuple[str, str], ...]:
    """The scripts block: runnable files the request names, commands for facts it asks for, git's reading commands, then the project's own
    scripts. `whole` is what the request is a part of: "see what make prune does, then run it"."""
    words = words_of(request)
    found = [(path, f"{RUNNERS[_extension(path)]} {path}") for path in _runnable(words, ranks)]
    found += [("", command) for command in facts_in(request)]
    if _GIT_WORDS & {word.lower() for word in words}:
        found += [("", command) for command in GIT_COMMANDS]
    lowered = {_singular(word.lower()) for word in words}
    around = {_singular(word.lower()) for word in words_of(whole)}
    ranked = sorted(scripts, key=lambda script: (_singular(script[0]) not in lowered, _singular(script[0]) not in around))
    return tuple(dict.fromkeys([*found, *ranked]))[:MAX_SCRIPTS]


def _runnable(words: list[str], ranks: Mapping[str, int]) -> list[str]:
    """Existing files, those named in full first, and file names in the request that do not exist yet: a chain may write them first."""
    listed = sorted((path for path in ranks if _extension(path) in RUNNERS), key=lambda path: -ranks[path])
    known = {name for path in listed for name in (path, path.rsplit("/", 1)[-1])}
    plain = [word.removeprefix("./") for word in words]
    return [*listed[:4], *(word for word in plain if _extension(word) in RUNNERS and word not in known)][:5]


def _extension(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[-1] if "." in name[1:] else ""


def find_sources(
    request: str, index: PathIndex, scripts: list[tuple[str, str]], ids: tuple[tuple[str, str], ...] = (),
    lines: LineIndex | None = None,
) -> Sources:
    ranks = index.ranks(request)
    found = lines.match(request, ranks) if lines else ()
    return Sources(index.match(request), request_scripts(request, scripts, ranks), ids, found)


def glob_candidates(request: str, paths: tuple[str, ...]) -> list[str]:
    """Patterns a request implies without spelling them: `**/*.md`, `src/**/*.ts`, `**/Makefile`, `**/*auth*`."""
    words = [word for word in words_of(request) if len(word) <= 40 and "*" not in word]
    folders = ["", *(path for path in paths if path.endswith("/"))]
    folders += [f"{word.rstrip('/')}/" for word in words if word.endswith("/") or "/" in word]
    types = [f"*.{TYPE_WORDS[kind]}" for word in words if (kind := word.lower().lstrip(".")) in TYPE_WORDS]
    types += [f"*{word}" for word in words if re.fullmatch(r"(\.\w+)+", word)]
    found = [f"{folder}**/{kind}" for folder in dict.fromkeys(folders) for kind in dict.fromkeys(types)]
    for word in words:
        if "/" in word:
            continue
        if "." in word.strip(".") or word.lower() in _BARE_NAMES:
            found.append(f"**/{word}")
        if len(word) >= 2 and word.lower() not in STOP_WORDS:
            found.append(f"**/*{word}*")
    return list(dict.fromkeys(found))[:64]


MAX_RECENT = 8
# Their results name paths, which are shown behind them.
LISTING = ("list_files", "find_files", "search_text")
MAX_CLAUSE_PATHS = 16


def recent_paths(calls: Iterable[tuple[str, Mapping[str, object], bool, str]]) -> tuple[str, ...]:
    """What "it", "the copy" or "the first one" may mean: paths of the calls so far and of their results, the latest call first."""
    found: list[str] = []
    for name, arguments, ok, text in reversed(list(calls)):
        found += _paths_of(name, arguments, text) if ok else []
    return tuple(path for path in dict.fromkeys(found) if path)[:MAX_RECENT]


def _paths_of(name: str, arguments: Mapping[str, object], text: str) -> list[str]:
    path, source, target = (str(arguments.get(key, "")) for key in ("path", "from", "to"))
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if name == "list_files":
        return [*(entry for line in lines for entry in _entries(line)), "" if path in ("", ".") else f"{path.rstrip('/')}/"]
    if name == "find_files":
        return [line for line in lines if re.fullmatch(r"(?!No )[^()\[\]:]{1,120}", line)]
    if name == "search_text":
        return [*dict.fromkeys(match.group(1) for line in lines if (match := re.match(r"([^:]{1,120}):\d+:", line))), path]
    if name == "make_folder":
        return [f"{path.rstrip('/')}/"]
    if name == "move_file":
        return [target]
    if name == "copy_file":
        return [target, source]
    return [path] if name in ("read_file", "write_file", "edit_file", "data_view") else []


def _entries(line: str) -> list[str]:
    """The paths of a line of a listing: `docs/: a.md, b.md`, `docs/a.md` or `docs/ (12 files)`."""
    if line.startswith("["):
        return []
    folder, colon, names = line.partition("/: ")
    if colon:
        return [f"{folder}/{name}" for name in names.split(", ")]
    return [re.sub(r" \(\d+ files?\)$", "", line)]


def first_sources(clauses: list[str], request: str, index: PathIndex, scripts: list[tuple[str, str]], lines: LineIndex | None) -> Sources:
    """For the first clause, filled up with what the whole request speaks of."""
    whole = find_sources(request, index, scripts, (), lines)
    if len(clauses) == 1:
        return whole
    first = find_sources(clauses[0], index, scripts, (), lines)
    return whole._replace(
        paths=tuple(dict.fromkeys([*first.paths, *whole.paths]))[:MAX_PATHS],
        lines=tuple(dict.fromkeys([*first.lines[:6], *whole.lines]))[:MAX_LINES],
    )


def clause_sources(
    clause: str, recent: tuple[str, ...], index: PathIndex, scripts: list[tuple[str, str]], lines: LineIndex | None, whole: str = ""
) -> Sources:
    """For a later clause: what it speaks of, and what the steps before it did."""
    ranks = index.ranks(clause)
    known = {**{path: 6 for path in recent}, **ranks}
    found = lines.match(clause, known) if lines else ()
    paths = tuple(path for path in dict.fromkeys([*index.match(clause), *recent]) if path)
    runnable = {**ranks, **{path: 6 for path in recent if path not in ranks}}
    return Sources(paths[:MAX_CLAUSE_PATHS], request_scripts(clause, scripts, runnable, whole), (), found)
