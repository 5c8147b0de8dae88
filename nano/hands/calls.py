"""The steps of a labelled request as nano's calls: what it has to write, and what the program makes of that.

A step that cannot be written with the words of the request, the paths and the lines it is shown has no call: then nano should say so.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ..decode import LINE_VALUES, Situation, folders_in
from ..sources import glob_candidates
from ..spans import is_span, line_boundaries, numbers_of
from ..tools import TOOLS
from .folder import Folder, parent

Call = tuple[str, dict[str, Any]]
Step = dict[str, Any]


class Written(NamedTuple):
    own: Call  # as nano writes it
    real: Call  # as the program calls it


def to_call(step: Step, situation: Situation, folder: Folder) -> Written | None:
    """`folder` is as the earlier steps left it."""
    maker = _MAKERS[step["do"]]
    return maker(step, situation, folder)


def _plain(name: str, arguments: dict[str, Any]) -> Written:
    return Written((name, arguments), (name, arguments))


def _path(value: str, s: Situation, folder: Folder, new: bool = False) -> str | None:
    """The value as nano may write it: listed, spelled, told by the last result, or new in a folder that is listed."""
    plain = value.rstrip("/") or "."
    known = {".": ".", **{path.rstrip("/"): path for path in s.sources.paths}}
    known |= {line.path: line.path for line in s.sources.lines if line.path not in known}
    known |= {path.rstrip("/"): path for path in s.recent if path.rstrip("/") not in known}
    if plain in known:
        return known[plain]
    for text in (plain, f"{plain}/"):
        if is_span(s.request, text) and len(text.split()) <= 6:
            return text
    if s.result and plain in s.result[2].split() + s.result[2].splitlines():
        return plain
    if s.result and any(word.strip("\"'`.,:;()") == plain for word in s.result[2].split()):
        return plain
    if new:
        for base in sorted(folders_in(s), key=len, reverse=True):
            rest = plain.removeprefix(base)
            if rest != plain and rest and is_span(s.request, rest):
                return base + rest
    return None


def _read(step: Step, s: Situation, folder: Folder) -> Written | None:
    path = _path(step["path"], s, folder)
    if path is None:
        return None
    numbers = numbers_of(s.request)
    arguments: dict[str, Any] = {"path": path}
    if step.get("from", 1) > 1 and str(step["from"]) in numbers:
        arguments["from"] = step["from"]
    if step.get("to") and str(step["to"]) in numbers:
        arguments["to"] = step["to"]
    if step.get("from", 1) > 1 and "from" not in arguments:
        return None
    return _plain("read_file", arguments)


def _list(step: Step, s: Situation, folder: Folder) -> Written | None:
    path = _path(step["path"], s, folder)
    return None if path is None else _plain("list_files", {"path": path})


def _find(step: Step, s: Situation, folder: Folder) -> Written | None:
    patterns = glob_candidates(s.request, s.sources.paths)
    wanted = step["pattern"].removeprefix("**/")
    found = next((pattern for pattern in patterns if pattern.removeprefix("**/") == wanted), None)
    if found is None:
        same = folder.found(step["pattern"])
        found = next((pattern for pattern in patterns if same and folder.found(pattern) == same), None)
    if found is None and is_span(s.request, step["pattern"]) and " " not in step["pattern"]:
        found = step["pattern"]
    return None if found is None else _plain("find_files", {"pattern": found})


def _spelled(text: str, request: str) -> str | None:
    """The text as the request spells it; people write names without capitals."""
    if is_span(request, text):
        return text
    at = request.lower().find(text.lower())
    given = request[at : at + len(text)]
    return given if at >= 0 and is_span(request, given) else None


def _search(step: Step, s: Situation, folder: Folder) -> Written | None:
    text = _spelled(step["text"], s.request)
    if text is None:
        return None
    arguments = {"pattern": text}
    if "path" in step and step["path"] not in (".", ""):
        path = _path(step["path"], s, folder)
        if path is None:
            return None
        arguments["path"] = path
    return _plain("search_text", arguments)


def _write(step: Step, s: Situation, folder: Folder) -> Written | None:
    path = _path(step["path"], s, folder, new=True)
    content = step["content"].rstrip("\n")
    if path is None or content and not is_span(s.request, content):
        return None
    flags = {"append": True} if step["do"] == "append" else {"overwrite": True} if folder.has(step["path"]) else {}
    return _plain("write_file", {"path": path, "content": content, **flags})


def _edit(step: Step, s: Situation, folder: Folder) -> Written | None:
    path = _path(step["path"], s, folder)
    old, new = step["old"], step["new"]
    flags = {"all": True} if step.get("all") else {}
    if path is not None and is_span(s.request, old) and (new == "" or is_span(s.request, new)):
        return _plain("edit_file", {"path": path, "old": old, "new": new, **flags})
    changed = None if step.get("all") else _change_line(step, s, folder)
    return changed or _in_other_case(step, s, path, flags)


def _in_other_case(step: Step, s: Situation, path: str | None, flags: dict[str, bool]) -> Written | None:
    """The texts as the request spells them; the program takes the spelling of the file."""
    old = _spelled(step["old"], s.request)
    new = "" if step["new"] == "" else _spelled(step["new"], s.request)
    if path is None or old is None or new is None or old == step["old"] or like(step["old"], old, new) != step["new"]:
        return None
    return Written(("edit_file", {"path": path, "old": old, "new": new, **flags}), ("edit_file", {"path": path, "old": step["old"], "new": step["new"], **flags}))


def like(found: str, asked: str, new: str) -> str:
    """The new text in the letters of what it replaces, where the request spelled that in small letters."""
    if found == asked or new != new.lower():
        return new
    if len(found) > 1 and found == found.upper() != found.lower():
        return new.upper()
    return new[:1].upper() + new[1:] if found[:1] != found[:1].lower() else new


def _change_line(step: Step, s: Situation, folder: Folder) -> Written | None:
    old, new = step["old"].strip("\n"), step["new"].strip("\n")
    if "\n" in old or "\n" in new:
        return None
    for number, line in enumerate(s.sources.lines, 1):
        text = line.text
        at = text.find(old) if old in text else -1
        if line.path != step["path"] or at < 0:
            continue
        after = text[:at] + new + text[at + len(old) :]
        part = (text, "") if after == "" else _part(text, after, s.request)
        if part:
            own = ("change_line", {"line": number, "old": part[0], "new": part[1]})
            return Written(own, ("edit_file", {"path": line.path, "old": text, "new": after}))
    return None


def _part(line: str, after: str, request: str) -> tuple[str, str] | None:
    """The shortest stretch of the line that differs, with what the request spells in its place; the whole line where it spells that."""
    if len(after.split()) > 1 and is_span(request, after):
        return line, after
    shortest = min(len(line), len(after))
    same = next((at for at in range(shortest) if line[at] != after[at]), shortest)
    tail = next((at for at in range(shortest - same) if line[-1 - at] != after[-1 - at]), shortest - same)
    found = line_boundaries(line)
    best: tuple[str, str] | None = None
    for start in (start for start in found.starts if start <= same):
        for end in (end for end in found.ends if end >= len(line) - tail and end > start):
            new = after[start : len(after) - (len(line) - end)]
            fits = new == "" or new in LINE_VALUES or is_span(request, new)
            if not fits and line[start:end] not in request and is_span(request, new.lower()) and like(line[start:end], "", new.lower()) == new:
                fits, new = True, new.lower()
            if fits and (best is None or end - start < len(best[0])):
                best = line[start:end], new
    return best


def _mkdir(step: Step, s: Situation, folder: Folder) -> Written | None:
    path = _path(step["path"], s, folder, new=True)
    return None if path is None else _plain("make_folder", {"path": path})


def _transfer(step: Step, s: Situation, folder: Folder) -> Written | None:
    """Where the target is a folder the name stays; where it is a bare name, so does the folder."""
    name = "copy_file" if step["do"] == "copy" else "move_file"
    source, target = _path(step["from"], s, folder), step["to"].rstrip("/")
    if source is None:
        return None
    base = source.rstrip("/").rsplit("/", 1)[-1]
    to = _path(target, s, folder, new=True)
    if to is None and target.rsplit("/", 1)[-1] == base:
        to = _path(parent(target) or ".", s, folder)
        to = f"{to.rstrip('/')}/" if to and to != "." else to
    if to is None and parent(target) == parent(step["from"]):
        to = _path(target.rsplit("/", 1)[-1], s, folder)
    if to is None:
        return None
    return Written((name, {"from": source, "to": to}), (name, {"from": source, "to": target}))


def _delete(step: Step, s: Situation, folder: Folder) -> Written | None:
    path = _path(step["path"], s, folder)
    return None if path is None else _plain("delete_file", {"path": path})


def _run(step: Step, s: Situation, folder: Folder) -> Written | None:
    command = step["command"]
    listed = [known for _, known in s.sources.scripts if as_bash(known) == as_bash(command)]
    if is_span(s.request, command):
        return _plain("run_command", {"command": command})
    return _plain("run_command", {"command": listed[0]}) if listed else None


def as_bash(command: str) -> str:
    """A script of the shell is the same however it is started."""
    return re.sub(r"^(?:sh |bash |\./|sh \./|bash \./)(?=\S+\.sh\b)", "bash ", command)


_MAKERS = {
    "read": _read, "list": _list, "find": _find, "search": _search, "write": _write, "append": _write, "edit": _edit, "mkdir": _mkdir,
    "copy": _transfer, "move": _transfer, "delete": _delete, "run": _run,
}  # fmt: skip

assert {"change_line", "make_folder", "copy_file", "move_file", "delete_file"} <= set(TOOLS)
