"""A folder in memory: carries out the steps of a label, and says what the program's tools would have said."""

from __future__ import annotations

import fnmatch
from random import Random
from typing import Any

from ..format import cut_result


def parent(path: str) -> str:
    return path.rstrip("/").rpartition("/")[0]


class Folder:
    def __init__(self, files: dict[str, str]) -> None:
        self.files = dict(files)
        self.folders = {parent("/".join(path.split("/")[:depth]) + "/x") for path in files for depth in range(1, path.count("/") + 1)}

    def has(self, path: str) -> bool:
        return path in self.files

    def under(self, path: str) -> list[str]:
        prefix = "" if path.rstrip("/") in ("", ".") else f"{path.rstrip('/')}/"
        return [name for name in sorted(self.files) if name.startswith(prefix)]

    def found(self, pattern: str) -> list[str]:
        bare = pattern.removeprefix("**/")
        return [
            path for path in sorted(self.files) if fnmatch.fnmatch(path, pattern.replace("**/", "*")) or fnmatch.fnmatch(path.rsplit("/", 1)[-1], bare)
        ]

    def act(self, step: dict[str, Any], random: Random) -> tuple[bool, str]:
        ok, text = getattr(self, f"_{step['do']}")(step, random)
        return ok, cut_result(text)

    def _read(self, step: dict[str, Any], random: Random) -> tuple[bool, str]:
        if step["path"] not in self.files:
            return False, f"{step['path']} does not exist."
        lines = self.files[step["path"]].rstrip("\n").split("\n")
        first, last = step.get("from", 1), step.get("to") or len(lines)
        return True, "\n".join(f"{at}\t{line}" for at, line in enumerate(lines, 1) if first <= at <= last)

    def _list(self, step: dict[str, Any], random: Random) -> tuple[bool, str]:
        """A small tree whole, the files of a folder in one line; of a large one the top with counts."""
        files = self.under(step["path"])
        if not files:
            return True, f"{step['path']} is empty."
        if len(files) > _WHOLE_TREE:
            return True, "\n".join(_top(files, "" if step["path"].rstrip("/") in ("", ".") else f"{step['path'].rstrip('/')}/"))
        groups: dict[str, list[str]] = {}
        for path in files:
            folder, slash, name = path.rpartition("/")
            groups.setdefault(folder + slash, []).append(name)
        lines = []
        for folder, names in groups.items():
            together = folder and len(names) > 1
            lines += [f"{folder}: {', '.join(names[at : at + 12])}" for at in range(0, len(names), 12)] if together else [folder + name for name in names]
        return True, "\n".join(lines)

    def _find(self, step: dict[str, Any], random: Random) -> tuple[bool, str]:
        return True, "\n".join(self.found(step["pattern"])) or "No files match."

    def _search(self, step: dict[str, Any], random: Random) -> tuple[bool, str]:
        wanted, found = step["text"].lower(), []
        place = step.get("path", "").rstrip("/")
        for path in [place] if place in self.files else self.under(place or "."):
            for number, line in enumerate(self.files[path].split("\n"), 1):
                if wanted in line.lower():
                    found.append(f"{path}:{number}: {line.rstrip()}")
        return True, "\n".join(found) or "No matches."

    def _write(self, step: dict[str, Any], random: Random) -> tuple[bool, str]:
        known = step["path"] in self.files
        self.files[step["path"]] = step["content"]
        return True, f"{'Replaced' if known else 'Created'} {step['path']} ({_lines(step['content'])})."

    def _append(self, step: dict[str, Any], random: Random) -> tuple[bool, str]:
        before = self.files.get(step["path"], "")
        gap = "" if before in ("", None) or before.endswith("\n") else "\n"
        self.files[step["path"]] = before + gap + step["content"] + "\n"
        return True, f"Appended to {step['path']} (now {_lines(self.files[step['path']])})."

    def _edit(self, step: dict[str, Any], random: Random) -> tuple[bool, str]:
        path, text = step["path"], self.files.get(step["path"])
        if text is None or step["old"] not in text:
            return False, f"old is not in {path}."
        line = text[: text.index(step["old"])].count("\n") + 1
        self.files[path] = text.replace(step["old"], step["new"], -1 if step.get("all") else 1)
        return True, f"Edited {path}: line {line}\n-{step['old'].strip()}\n+{step['new'].strip()}"

    def _mkdir(self, step: dict[str, Any], random: Random) -> tuple[bool, str]:
        path = step["path"].rstrip("/")
        known = path in self.folders
        self.folders.add(path)
        return True, f"{path}/ already exists." if known else f"Made the folder {path}/."

    def _copy(self, step: dict[str, Any], random: Random) -> tuple[bool, str]:
        return self._transfer(step, keep=True)

    def _move(self, step: dict[str, Any], random: Random) -> tuple[bool, str]:
        return self._transfer(step, keep=False)

    def _transfer(self, step: dict[str, Any], keep: bool) -> tuple[bool, str]:
        source, target = step["from"].rstrip("/"), step["to"].rstrip("/")
        names = [source] if source in self.files else self.under(source)
        for name in names:
            text = self.files[name] if keep else self.files.pop(name)
            self.files[target + name[len(source) :]] = text
        return True, f"{'Copied' if keep else 'Moved'} {source} to {target}."

    def _delete(self, step: dict[str, Any], random: Random) -> tuple[bool, str]:
        path = step["path"].rstrip("/")
        for name in [path] if path in self.files else self.under(path):
            self.files.pop(name, None)
        self.folders.discard(path)
        return True, f"Deleted {path}."

    def _run(self, step: dict[str, Any], random: Random) -> tuple[bool, str]:
        lines = [random.choice(("ok", "done", "12 passed", "0 warnings", "written", "checked 8 files", "total 41")) for _ in range(random.choice((0, 1, 1, 2, 4)))]
        return True, "\n".join(["exit code 0", *lines])


_WHOLE_TREE = 60


def _top(files: list[str], prefix: str) -> list[str]:
    counts: dict[str, int] = {}
    for path in files:
        first, slash, _ = path[len(prefix) :].partition("/")
        counts[prefix + first + slash] = counts.get(prefix + first + slash, 0) + 1
    return [f"{entry} ({count} file{'' if count == 1 else 's'})" if entry.endswith("/") else entry for entry, count in sorted(counts.items())]


def _lines(text: str) -> str:
    count = len(text.rstrip("\n").split("\n"))
    return f"{count} line{'' if count == 1 else 's'}"
