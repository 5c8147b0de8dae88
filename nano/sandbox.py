"""A folder in which the held-out tasks are really carried out: Covey's core tools, in miniature.

Only what the three-step tasks need. Commands that other machines may lack (npm, make, pytest, git) answer from
eval/commands.json; python3, bash, sh and cat really run.
"""

from __future__ import annotations

import csv
import fnmatch
import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

EVAL = Path(__file__).parent / "eval"
_REAL = ("python3 ", "bash ", "sh ", "cat ")


class Sandbox:
    """Use as a context manager; the folder is gone afterwards."""

    def __init__(self, folder: str) -> None:
        self.files: dict[str, str] = json.loads((EVAL / "folders" / f"{folder}.json").read_text(encoding="utf-8"))
        self.commands: dict[str, Any] = json.loads((EVAL / "commands.json").read_text(encoding="utf-8")).get(folder, {})

    def __enter__(self) -> "Sandbox":
        self._folder = tempfile.TemporaryDirectory()
        self.root = Path(self._folder.name)
        for path, text in self.files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def run(self, name: str, arguments: dict[str, Any]) -> tuple[bool, str]:
        tool = getattr(self, f"_{name}", None)
        if tool is None:
            return False, f"{name} is not available here"
        try:
            return tool(**{("start" if key == "from" else key): value for key, value in arguments.items()})
        except (OSError, UnicodeDecodeError, ValueError) as error:
            return False, str(error)

    def holds(self, check: dict[str, str]) -> bool:
        target = self.root / check["path"]
        if not target.is_file():
            return False
        text = target.read_text(encoding="utf-8")
        return text.strip() == check["equals"].strip() if "equals" in check else check["contains"] in text

    def _inside(self, path: str) -> Path:
        target = (self.root / path).resolve()
        if not target.is_relative_to(self.root.resolve()):
            raise ValueError(f"{path} lies outside the project")
        return target

    def _all(self) -> list[str]:
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*") if path.is_file())

    def _list_files(self, path: str) -> tuple[bool, str]:
        target = self._inside(path)
        if not target.is_dir():
            return False, f"{path} does not exist."
        return True, "\n".join(
            sorted(f"{entry.name}/" if entry.is_dir() else entry.name for entry in target.iterdir())
        ) or "(empty)"

    def _read_file(self, path: str, start: int = 1) -> tuple[bool, str]:
        target = self._inside(path)
        if not target.is_file():
            near = [other for other in self._all() if Path(other).name == Path(path).name]
            return False, f"{path} does not exist." + (f" Nearest: {', '.join(near)}" if near else "")
        lines = target.read_text(encoding="utf-8").splitlines()
        return True, "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1) if number >= start)

    def _find_files(self, pattern: str) -> tuple[bool, str]:
        wanted = pattern.removeprefix("**/")
        found = [
            path for path in self._all() if fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(Path(path).name, wanted)
        ]
        return True, "\n".join(found) or "No files match."

    def _search_text(self, pattern: str, path: str = ".") -> tuple[bool, str]:
        prefix = "" if path in (".", "") else path.rstrip("/")
        found = []
        for name in self._all():
            if prefix and not (name == prefix or name.startswith(f"{prefix}/")):
                continue
            for number, line in enumerate((self.root / name).read_text(encoding="utf-8").splitlines(), 1):
                if pattern in line:
                    found.append(f"{name}:{number}: {line.strip()}")
        return True, "\n".join(found) or "No matches."

    def _write_file(self, path: str, content: str, overwrite: bool = False, append: bool = False) -> tuple[bool, str]:
        target = self._inside(path)
        if target.exists() and not (overwrite or append):
            return False, f"{path} exists; use edit_file, or overwrite."
        target.parent.mkdir(parents=True, exist_ok=True)
        old = target.read_text(encoding="utf-8") if append and target.exists() else ""
        target.write_text(old + content + "\n", encoding="utf-8")
        return True, f"Wrote {path}."

    def _edit_file(self, path: str, old: str, new: str) -> tuple[bool, str]:
        target = self._inside(path)
        if not target.is_file():
            return False, f"{path} does not exist."
        text = target.read_text(encoding="utf-8")
        if old not in text:
            return False, f"The old text is not in {path}."
        target.write_text(text.replace(old, new, 1), encoding="utf-8")
        return True, f"Edited {path}."

    def _run_command(self, command: str, background: bool = False) -> tuple[bool, str]:
        if command in self.commands:
            code, output = self.commands[command]
        elif command.startswith(_REAL) and not re.search(r"[;&|<>$`]", command):
            done = subprocess.run(command.split(" "), cwd=self.root, capture_output=True, text=True, timeout=20)
            code, output = done.returncode, done.stdout + done.stderr
        else:
            code, output = 127, f"sh: {command.split(' ')[0]}: command not found"
        return code == 0, f"exit code {code}\n{output}".strip()

    def _data_view(self, path: str, view: str = "head", sql: str = "") -> tuple[bool, str]:
        target = self._inside(path)
        if not target.is_file():
            return False, f"{path} does not exist."
        rows = list(csv.reader(target.read_text(encoding="utf-8").splitlines()))
        if view == "columns":
            return True, "\n".join(rows[0])
        if view == "shape":
            return True, f"{len(rows) - 1} rows, {len(rows[0])} columns"
        return True, "\n".join(" | ".join(row) for row in (rows[-5:] if view == "tail" else rows[:6]))
