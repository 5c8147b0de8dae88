"""One step in the folder of a hand: what is said of it, by kind and holes, and what should happen.

How it is said comes from `frames.py`; here it is only which line, which file and which value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..format import Line
from ..sources import TYPE_WORDS
from .strings import Strings
from .worlds import World

Step = dict[str, Any]
Wish = tuple[str, dict[str, str], Step]

_SETTING = re.compile(r'^(?:[-*]\s+|export\s+|#define\s+|const\s+)?["\']?([A-Za-z][\w .-]{1,30}?)["\']?\s*(?:=|:|,|\s{2,})\s*["\']?([^"\';#,]{1,24}?)["\']?[,;]?$')
_ENDS = (("first", 0), ("last", -1), ("top", 0), ("bottom", -1), ("last", -1), ("very first", 0), ("very last", -1))


class WishMaker:
    def __init__(self, strings: Strings) -> None:
        self.strings = strings
        self.edits: tuple[Callable[[World], Wish | None], ...] = (
            self._set, self._set, self._replace, self._replace, self._every, self._drop, self._tick, self._placed,
        )  # fmt: skip
        self.acts = (self.append, self.append, self.write, self.copy, self.move, self._into, self._delete, self.mkdir, self._run, self._script)
        self.looks = (self._read, self.list, self.search, self._find)

    # -- edits

    def _set(self, world: World) -> Wish | None:
        s = self.strings
        line = self._line(world)
        found = _SETTING.match(line.text) if line else None
        if not line or not found:
            return None
        key, old = found.group(1).strip(), found.group(2).strip()
        new = self._value(old)
        if new == old or len(key) < 3:
            return None
        spoken = re.sub(r"[_-]", " ", key).lower()
        said = {"key": s.pick((key, key, key.lower(), spoken, spoken)), "new": self.quoted(new, 0.15)}
        file = self.named(line.path, world)
        if file and s.chance(0.7):
            said["file"] = file
        at = line.text.rindex(old)
        return "set", said, _edit(line, line.text[:at] + new + line.text[at + len(old) :])

    def _replace(self, world: World) -> Wish | None:
        line = self._line(world)
        return self.replaced(line, self.named(line.path, world), world.files[line.path]) if line else None

    def replaced(self, line: Line, file: str | None, content: str) -> Wish | None:
        old = self._stretch(line.text)
        if not file or not old or content.count(old) != 1:
            return None
        new = self._value(old)
        return "replace", {"old": self.quoted(old, 0.4), "new": self.quoted(new, 0.4), "file": file}, {"do": "edit", "path": line.path, "old": old, "new": new}

    def _every(self, world: World) -> Wish | None:
        line = self._line(world)
        file = self.named(line.path, world) if line else None
        old = self._stretch(line.text, 1) if line else ""
        if not line or not file or len(old) < 3 or world.files[line.path].count(old) < 2:
            return None
        new = self._value(old)
        step = {"do": "edit", "path": line.path, "old": old, "new": new, "all": True}
        return "every", {"old": self.quoted(old, 0.3), "new": self.quoted(new, 0.3), "file": file}, step

    def _drop(self, world: World) -> Wish | None:
        line = self._line(world)
        return self.dropped(line, self.named(line.path, world), world) if line else None

    def dropped(self, line: Line, file: str | None, world: World) -> Wish | None:
        what = self._stretch(line.text, self.strings.pick((1, 2, 3)))
        if not file or not what or sum(what in other.text for other in world.lines.lines if other.path == line.path) != 1:
            return None
        return "drop", {"what": self.quoted(what, 0.2), "file": file}, _edit(line, "")

    def _tick(self, world: World) -> Wish | None:
        open_items = [line for line in world.lines.lines if "[ ]" in line.text]
        if not open_items:
            return None
        line = self.strings.pick(open_items)
        file = self.named(line.path, world)
        what = self._stretch(line.text.split("]", 1)[1])
        return ("tick", {"what": what, "file": file}, _edit(line, line.text.replace("[ ]", "[x]", 1))) if file and what else None

    def _placed(self, world: World) -> Wish | None:
        s = self.strings
        line = self._line(world)
        file = self.named(line.path, world) if line else None
        if not line or not file:
            return None
        end, at = s.pick(_ENDS)
        target = world.lines.lines[world.lines.by_path[line.path][at]]
        if s.chance(0.35):
            return "dropplaced", {"end": end, "file": file}, _edit(target, "")
        new = self.text()
        return "placed", {"end": end, "file": file, "new": self.quoted(new, 0.5)}, _edit(target, new)

    # -- other acts

    def append(self, world: World) -> Wish | None:
        path = self.file(world)
        file, text = self.named(path, world), self.text()
        return ("append", {"text": self.quoted(text, 0.5), "file": file}, {"do": "append", "path": path, "content": text}) if file else None

    def write(self, world: World) -> Wish | None:
        s = self.strings
        folders = [path for path in world.index.paths if path.endswith("/")]
        base = s.pick(("", "", "", "notes/", *folders[:6]))
        path = f"{base}{s.one_of(s.noun, s.any_word)}{s.pick(('.txt', '.md', '.txt', '.csv', ''))}".lower()
        text = self.text()
        return ("write", {"text": self.quoted(text, 0.5), "file": path}, {"do": "write", "path": path, "content": text}) if path not in world.files else None

    def copy(self, world: World) -> Wish | None:
        return self._transferred(world, "copy")

    def move(self, world: World) -> Wish | None:
        return self._transferred(world, "move")

    def _transferred(self, world: World, do: str) -> Wish | None:
        path = self.file(world)
        file = self.named(path, world)
        said, target = self.new_name(path)
        return (do, {"file": file, "to": said}, {"do": do, "from": path, "to": target}) if file and target not in world.files else None

    def _into(self, world: World) -> Wish | None:
        path = self.file(world)
        file = self.named(path, world)
        folders = [folder for folder in world.index.paths if folder.endswith("/") and not path.startswith(folder)]
        if not file or not folders:
            return None
        folder = self.strings.pick(folders)
        said = self.strings.pick((folder, folder.rstrip("/"), folder.rstrip("/"), f"the {folder.rstrip('/').rpartition('/')[2]} folder"))
        return "into", {"file": file, "folder": said}, {"do": "move", "from": path, "to": f"{folder}{path.rpartition('/')[2]}"}

    def _delete(self, world: World) -> Wish | None:
        path = self.file(world)
        file = self.named(path, world)
        return ("delete", {"file": file}, {"do": "delete", "path": path}) if file else None

    def mkdir(self, world: World) -> Wish | None:
        s = self.strings
        folder = s.pick((s.noun(), f"{s.noun()}_{s.noun()}", f"{s.noun()}-{s.number(1, 2030)}", f"{self.file(world).rpartition('/')[0]}/{s.noun()}".lstrip("/"))).lower()
        taken = folder in world.files or f"{folder}/" in world.index.paths
        return None if taken else ("mkdir", {"folder": self.quoted(folder, 0.15)}, {"do": "mkdir", "path": folder})

    def _run(self, world: World) -> Wish | None:
        s = self.strings
        command = s.pick(world.scripts)[1] if world.scripts and s.chance(0.4) else s.command()
        return "run", {"command": self.quoted(command, 0.25) if "'" not in command and '"' not in command else command}, {"do": "run", "command": command}

    def _script(self, world: World) -> Wish | None:
        if not world.scripts:
            return None
        label, command = self.strings.pick(world.scripts)
        said = self.strings.pick((label, label, f"{label}s" if label in ("test", "check") else label, label.replace("-", " ").replace(":", " ")))
        return "script", {"script": said}, {"do": "run", "command": command}

    # -- looks

    def _read(self, world: World) -> Wish | None:
        path = self.file(world)
        file = self.named(path, world)
        return ("read", {"file": file}, {"do": "read", "path": path}) if file else None

    def list(self, world: World) -> Wish | None:
        folders = [path for path in world.index.paths if path.endswith("/")]
        if not folders:
            return None
        folder = self.strings.pick(folders)
        said = self.strings.pick((folder, folder.rstrip("/"), folder.rstrip("/").rpartition("/")[2]))
        return "list", {"folder": said}, {"do": "list", "path": folder.rstrip("/")}

    def search(self, world: World) -> Wish | None:
        s = self.strings
        line = self._line(world)
        text = self._stretch(line.text, s.pick((1, 1, 2))) if line and s.chance(0.6) else s.one_of(s.any_word, s.identifier, s.phrase)
        if len(text) < 3:
            return None
        said, step = {"text": self.quoted(text, 0.4)}, {"do": "search", "text": text}
        folders = [path for path in world.index.paths if path.endswith("/")]
        if folders and s.chance(0.4):
            folder = s.pick(folders).rstrip("/")
            said, step = said | {"folder": folder}, step | {"path": folder}
        return "search", said, step

    def _find(self, world: World) -> Wish | None:
        endings = {path.rpartition(".")[2].lower() for path in world.files if "." in path.rpartition("/")[2]}
        words = [word for word, ending in TYPE_WORDS.items() if ending in endings]
        if not words:
            return None
        word = self.strings.pick(words)
        return "find", {"type": word}, {"do": "find", "pattern": f"**/*.{TYPE_WORDS[word]}"}

    # -- words

    def file(self, world: World) -> str:
        return self.strings.pick(sorted(world.files))

    def text(self) -> str:
        s = self.strings
        return s.one_of(s.phrase, s.sentence, s.list_item, s.phrase).rstrip(".")

    def new_name(self, path: str) -> tuple[str, str]:
        """A new name as it is said, and where the file then is."""
        s = self.strings
        folder, _, name = path.rpartition("/")
        stem, dot, ending = name.rpartition(".")
        stem, tail = (stem, f"{dot}{ending}") if stem else (name, "")
        new = s.pick((f"{stem}_copy", f"{stem}-new", f"{stem}_v2", f"{stem}-backup", f"{s.noun()}", f"{s.noun()}_{s.noun()}", f"old_{stem}")).lower() + tail
        whole = f"{folder}/{new}" if folder else new
        return s.pick((whole, whole, new)), whole

    def _line(self, world: World) -> Line | None:
        return self.strings.pick(world.lines.lines) if world.lines.lines else None

    def _stretch(self, text: str, words: int = 0) -> str:
        """A few words of a line, without the signs around them."""
        found = [match for match in re.finditer(r"[^\s,;:=\"'()\[\]]+", text) if re.search(r"[A-Za-z0-9]", match.group())]
        count = words or self.strings.pick((1, 1, 2, 2, 3, 4))
        if len(found) < count:
            return ""
        at = self.strings.number(0, len(found) - count)
        stretch = text[found[at].start() : found[at + count - 1].end()].strip(".,;:-*# ")
        return "" if re.search(r"[\"'`“”]", stretch) else stretch

    def _value(self, old: str) -> str:
        s = self.strings
        if re.fullmatch(r"\d+", old):
            return str(s.number(0, 10 ** max(1, len(old)) + 5))
        if found := re.fullmatch(r"(\d+)([A-Za-z%]{1,4})", old):
            return f"{s.number(1, 10 ** max(1, len(found.group(1))) + 5)}{found.group(2)}"
        if re.fullmatch(r"\d+(\.\d+)+", old):
            return s.version()
        flips = {"true": "false", "false": "true", "yes": "no", "no": "yes", "on": "off", "off": "on"}
        if old.lower() in flips:
            return flips[old.lower()]
        words = len(old.split())
        return s.one_of(s.noun, s.any_word, lambda: s.pick(s.words["name"])) if words == 1 else s.phrase()

    def quoted(self, text: str, share: float) -> str:
        if not self.strings.chance(share):
            return text
        return self.strings.pick(('"{}"', "'{}'", "`{}`", '"{}"')).replace("{}", text)

    def named(self, path: str, world: World) -> str | None:
        """How one calls the file, if that still leads to it."""
        s = self.strings
        base = path.rpartition("/")[2]
        stem = base.rpartition(".")[0] or base
        words = re.sub(r"[_.-]+", " ", stem).lower()
        name = s.pick((path, path, base, base, f"the {stem} file", f"the {words}", f"the {words}", f"the {words} file", stem))
        return name if world.index.match(name)[:1] == (path,) else path if s.chance(0.5) else None


def _edit(line: Line, after: str) -> Step:
    return {"do": "edit", "path": line.path, "old": line.text, "new": after}
