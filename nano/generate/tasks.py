"""Requests made up for the folders of the hands: edits of lines that are there, and chains in which one step is about the one before.

They have the form of a hand's own requests, so that everything else is done with them that is done with those. Filler: what people say
comes from the hands; here it is only which line, which file and what "it" means.
"""

from __future__ import annotations

import re
from typing import Any

from ..format import Line
from .strings import Strings
from .worlds import World

Step = dict[str, Any]
Made = tuple[str, list[Step]]

_SETTING = re.compile(r'^(?:[-*]\s+|export\s+|#define\s+|const\s+)?["\']?([A-Za-z][\w .-]{1,30}?)["\']?\s*(?:=|:|,|\s{2,})\s*["\']?([^"\';#,]{1,24}?)["\']?[,;]?$')
_SET = (
    "set {key} to {new}", "set the {key} to {new}", "change the {key} to {new}", "{key} should be {new}", "make the {key} {new}", "put {key} at {new}",
    "update {key} to {new}", "the {key} is now {new}, please correct it", "{key} -> {new}", "please make {key} {new}", "i want {key} to be {new}",
    "bump {key} to {new}", "{new} for {key} please", "could you change {key} to {new}", "the {key} is wrong, it must be {new}", "switch {key} to {new}",
    "turn the {key} into {new}", "{key}: make that {new}", "let's have {key} at {new}", "{key} has to say {new}",
)  # fmt: skip
_IN = ("{it} in {file}", "in {file} {it}", "in {file}, {it}", "{it} in the {file}", "{file}: {it}", "{it}, that's in {file}", "open {file} and {it}")
_REPLACE = (
    "change {old} to {new} in {file}", "replace {old} with {new} in {file}", "in {file} change {old} to {new}", "in {file} replace {old} by {new}",
    "put {new} instead of {old} in {file}", "{file}: {old} becomes {new}", "swap {old} for {new} in {file}", "{old} should be {new} in {file}",
    "in {file} it says {old}, make it {new}", "correct {old} to {new} in {file}", "write {new} where it says {old} in {file}", "{old} -> {new} in {file}",
    "there's a mistake in {file}, {old} should read {new}", "please turn {old} into {new} in {file}", "in {file} write {new} in place of {old}",
    "take {old} in {file} and make it {new}", "{file} has {old}, that ought to be {new}", "fix {file}: {new}, not {old}",
)  # fmt: skip
_EVERY = ("every {old}", "all the {old}", "each {old}", "{old} everywhere", "every single {old}", "all {old}", "{old} wherever it occurs")
_DROP = (
    "delete the line {what} from {file}", "remove the line about {what} from {file}", "take {what} out of {file}", "take the {what} line out of {file}",
    "cross {what} off {file}", "strike the {what} entry from {file}", "remove {what} from {file}", "drop the {what} line in {file}", "in {file} delete the line with {what}",
    "get rid of the {what} line in {file}", "{what} can go from {file}", "please delete {what} from {file}",
)  # fmt: skip
_TICK = ("tick {what} in {file}", "mark {what} as done in {file}", "{what} is done, tick it off in {file}", "check off {what} in {file}", "put a cross at {what} in {file}", "cross off {what} in {file}")
_PLACED = (
    "replace the {end} line of {file} with {new}", "make the {end} line of {file} {new}", "change the {end} line of {file} to {new}", "the {end} line of {file} should be {new}",
    "the {end} line in {file} should read {new}", "in {file} make the {end} line say {new}", "{file}: {end} line to {new}",
)  # fmt: skip
_DROP_PLACED = ("delete the {end} line of {file}", "remove the {end} line from {file}", "drop the {end} line of {file}", "in {file} take the {end} line away", "the {end} line of {file} can go")
_SHOW = (
    "show it", "show me it", "open it", "read it back to me", "let me see it", "show me the file", "print it", "show me the result", "display it", "cat it",
    "let me see the file", "show me what it looks like now", "read it to me", "show that file", "let me see the result", "show it to me",
)  # fmt: skip
_THEN = (
    "{a} and {b}", "{a}, then {b}", "{a} and then {b}", "{a}, and {b}", "{a}. Then {b}", "{a}; {b}", "{a} and afterwards {b}", "{a} then {b}", "{a}. After that {b}",
    "{a} and {b} afterwards", "first {a}, then {b}", "{a}, {b}", "{a}. {b}", "{a} and {b} please", "{a}, and after that {b}", "can you {a} and then {b}", "please {a} and {b}",
)  # fmt: skip
_NTH = (("first", 0), ("second", 1), ("last", -1), ("third", 2), ("first", 0), ("last", -1))
_OPEN_NTH = ("open the {nth} one", "show me the {nth}", "read the {nth} one", "show the {nth} one", "open the {nth} of them", "let me see the {nth} one", "read me the {nth}")
_LIST = ("list {file}", "show me what's in {file}", "what is in {file}", "ls {file}", "list the {file} folder", "list what's in {file}", "look into {file}")
_SEARCH = ("search for {old}", "find {old}", "grep {old}", "search {old} in the files", "look for {old}", "find out where {old} is mentioned", "where do we mention {old}")
_FOUND = ("open the file you found", "show me the file it is in", "open that file", "open the first one", "show me that file", "read the first hit", "open it", "show that one")


class TaskMaker:
    def __init__(self, strings: Strings) -> None:
        self.strings = strings
        edits = (self._setting, self._setting, self._replace, self._replace, self._every, self._drop, self._tick, self._placed)
        chains = (self._shown, self._shown, self._listed, self._searched, self._copied, self._foldered, self._two, self._written)
        self.kinds = (*edits, *chains)

    def make(self, world: World) -> dict[str, Any] | None:
        made = self.strings.pick(self.kinds)(world)
        if made is None or len(made[0]) > 300:
            return None
        text, steps = made
        kind = "chain" if len(steps) > 1 else "act"
        category = {"list": "read", "search": "search"}.get(steps[0]["do"], "write")
        return {"request": text, "effect": steps, "also": [], "kind": kind, "task": "boilerplate", "category": category, "made": True}

    # -- one step

    def _setting(self, world: World) -> Made | None:
        s = self.strings
        line = self._line(world)
        found = _SETTING.match(line.text) if line else None
        if not line or not found:
            return None
        key, old = found.group(1).strip(), found.group(2).strip()
        new = self._value(old)
        if new == old or len(key) < 3:
            return None
        said = s.pick((key, key, key.lower(), re.sub(r"[_-]", " ", key).lower(), re.sub(r"[_-]", " ", key).lower()))
        text = s.pick(_SET).replace("{key}", said).replace("{new}", self._quoted(new, 0.15))
        file = self._named(line.path, world)
        if file and s.chance(0.7):
            text = s.pick(_IN).replace("{it}", text).replace("{file}", file)
        at = line.text.rindex(old)
        return text, [_edit(line, line.text[:at] + new + line.text[at + len(old) :])]

    def _replace(self, world: World) -> Made | None:
        s = self.strings
        line = self._line(world)
        file = self._named(line.path, world) if line else None
        old = self._stretch(line.text) if line else ""
        if not line or not file or not old or world.files[line.path].count(old) != 1:
            return None
        new = self._value(old)
        said = s.pick(_REPLACE).replace("{old}", self._quoted(old, 0.4)).replace("{new}", self._quoted(new, 0.4)).replace("{file}", file)
        return said, [{"do": "edit", "path": line.path, "old": old, "new": new}]

    def _every(self, world: World) -> Made | None:
        s = self.strings
        line = self._line(world)
        file = self._named(line.path, world) if line else None
        old = self._stretch(line.text, 1) if line else ""
        if not line or not file or len(old) < 3 or world.files[line.path].count(old) < 2:
            return None
        new = self._value(old)
        what = s.pick(_EVERY).replace("{old}", self._quoted(old, 0.3))
        said = s.pick(_REPLACE[:7]).replace("{old}", what).replace("{new}", self._quoted(new, 0.3)).replace("{file}", file)
        return said, [{"do": "edit", "path": line.path, "old": old, "new": new, "all": True}]

    def _drop(self, world: World) -> Made | None:
        s = self.strings
        line = self._line(world)
        file = self._named(line.path, world) if line else None
        what = self._stretch(line.text, s.pick((1, 2, 3))) if line else ""
        if not line or not file or not what or sum(what in other.text for other in world.lines.lines if other.path == line.path) != 1:
            return None
        return s.pick(_DROP).replace("{what}", self._quoted(what, 0.2)).replace("{file}", file), [_edit(line, "")]

    def _tick(self, world: World) -> Made | None:
        open_items = [line for line in world.lines.lines if "[ ]" in line.text]
        if not open_items:
            return None
        line = self.strings.pick(open_items)
        file = self._named(line.path, world)
        what = self._stretch(line.text.split("]", 1)[1])
        if not file or not what:
            return None
        return self.strings.pick(_TICK).replace("{what}", what).replace("{file}", file), [_edit(line, line.text.replace("[ ]", "[x]", 1))]

    def _placed(self, world: World) -> Made | None:
        s = self.strings
        line = self._line(world)
        file = self._named(line.path, world) if line else None
        if not line or not file:
            return None
        end, at = s.pick((("first", 0), ("last", -1), ("top", 0), ("bottom", -1), ("last", -1)))
        target = world.lines.lines[world.lines.by_path[line.path][at]]
        if s.chance(0.35):
            return s.pick(_DROP_PLACED).replace("{end}", end).replace("{file}", file), [_edit(target, "")]
        new = s.one_of(s.phrase, s.sentence, s.list_item).rstrip(".")
        return s.pick(_PLACED).replace("{end}", end).replace("{file}", file).replace("{new}", self._quoted(new, 0.5)), [_edit(target, new)]

    # -- several

    def _one(self, world: World) -> Made | None:
        return self.strings.pick((self._setting, self._replace, self._replace, self._drop, self._placed))(world)

    def _shown(self, world: World) -> Made | None:
        first = self._one(world)
        if not first:
            return None
        return self._then(first[0], self.strings.pick(_SHOW)), [*first[1], {"do": "read", "path": first[1][0]["path"]}]

    def _two(self, world: World) -> Made | None:
        first, second = self._one(world), self._one(world)
        if not first or not second or first[1][0]["path"] == second[1][0]["path"]:
            return None
        return self._then(first[0], second[0]), [*first[1], *second[1]]

    def _listed(self, world: World) -> Made | None:
        s = self.strings
        folders = [path for path in world.index.paths if path.endswith("/")]
        folder = s.pick(folders) if folders else ""
        inside = [path for path in sorted(world.files) if path.startswith(folder)]
        if not folder or not 2 <= len(inside) <= 8 or any("/" in path[len(folder) :] for path in inside):
            return None
        nth, at = s.pick(_NTH)
        if at >= len(inside):
            return None
        text = self._then(s.pick(_LIST).replace("{file}", folder.rstrip("/")), s.pick(_OPEN_NTH).replace("{nth}", nth))
        return text, [{"do": "list", "path": folder.rstrip("/")}, {"do": "read", "path": inside[at]}]

    def _searched(self, world: World) -> Made | None:
        s = self.strings
        line = self._line(world)
        old = self._stretch(line.text, s.pick((1, 1, 2))) if line else ""
        if not line or len(old) < 3:
            return None
        hits = [path for path in sorted(world.files) if old.lower() in world.files[path].lower()]
        if len(hits) != 1 and s.chance(0.7):
            return None
        text = self._then(s.pick(_SEARCH).replace("{old}", self._quoted(old, 0.4)), s.pick(_FOUND))
        return text, [{"do": "search", "text": old}, {"do": "read", "path": hits[0]}]

    def _copied(self, world: World) -> Made | None:
        """A copy, and a change in it."""
        s = self.strings
        edit = s.pick((self._setting, self._replace))(world)
        if not edit or edit[1][0]["old"] not in world.files[edit[1][0]["path"]]:
            return None
        step = edit[1][0]
        folder, _, name = step["path"].rpartition("/")
        stem, dot, ending = name.rpartition(".")
        copy = f"{folder}/" * bool(folder) + (f"{stem}{s.pick(('_copy', '-new', '_v2', '-backup', '_test'))}{dot}{ending}" if stem else f"{name}-copy")
        source = self._named(step["path"], world) or step["path"]
        place = s.pick(("in the copy", "in the new one", "in it", "there", "in that copy"))
        said = re.sub(r"\s*(?:in|in the) " + re.escape(source) + r"\b", "", edit[0])
        if source in said:
            return None
        second = s.pick((f"{place} {said}", f"{said} {place}"))
        return self._then(f"copy {source} to {copy}", second), [{"do": "copy", "from": step["path"], "to": copy}, {**step, "path": copy}]

    def _foldered(self, world: World) -> Made | None:
        s = self.strings
        path = s.pick(sorted(world.files))
        file = self._named(path, world)
        folder = s.pick((s.noun(), f"{s.noun()}_{s.noun()}", f"{path.rpartition('/')[0]}/{s.noun()}".lstrip("/"))).lower()
        if not file or folder in world.files or f"{folder}/" in world.index.paths:
            return None
        do = s.pick(("move", "copy"))
        first = s.pick(("make a folder {f}", "create a folder called {f}", "mkdir {f}", "make a new folder named {f}", "create the folder {f}")).replace("{f}", folder)
        second = s.pick((f"{do} {file} into it", f"{do} {file} there", f"put {'a copy of ' if do == 'copy' else ''}{file} in it", f"{do} {file} into that folder"))
        steps = [{"do": "mkdir", "path": folder}, {"do": do, "from": path, "to": f"{folder}/{path.rpartition('/')[2]}"}]
        if s.chance(0.3):
            return self._then(self._then(first, second), s.pick(("list it", "show me the folder", "ls it", "list the folder"))), [*steps, {"do": "list", "path": folder}]
        return self._then(first, second), steps

    def _written(self, world: World) -> Made | None:
        """A note, and what becomes of it."""
        s = self.strings
        path = f"{s.pick(('', '', 'notes/', 'docs/'))}{s.noun()}{s.pick(('.txt', '.md', '.txt'))}".lower()
        content = s.one_of(s.phrase, s.sentence, s.list_item).rstrip(".")
        if path in world.files or '"' in content:
            return None
        first = s.pick(("write {c} to {p}", "create {p} with {c}", "make a file {p} saying {c}", "save {c} as {p}", "put {c} into a new file {p}", "new file {p} containing {c}"))
        text = first.replace("{c}", f'"{content}"' if s.chance(0.7) else content).replace("{p}", path)
        more = s.pick(
            (
                (s.pick(_SHOW), {"do": "read", "path": path}),
                (s.pick(("delete it", "delete it again", "remove it", "bin it")), {"do": "delete", "path": path}),
                (f"rename it to {s.noun()}_x.txt".lower(), None),
            )
        )
        step = more[1] or {"do": "move", "from": path, "to": f"{path.rpartition('/')[0]}/".lstrip("/") + more[0].split()[-1]}
        return self._then(text, more[0]), [{"do": "write", "path": path, "content": content}, step]

    # -- words

    def _then(self, first: str, second: str) -> str:
        joined = self.strings.pick(_THEN)
        text = joined.replace("{a}", first).replace("{b}", second)
        return text[:1].upper() + text[1:] if self.strings.chance(0.4) else text

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

    def _quoted(self, text: str, share: float) -> str:
        if not self.strings.chance(share):
            return text
        return self.strings.pick(('"{}"', "'{}'", "`{}`", '"{}"')).replace("{}", text)

    def _named(self, path: str, world: World) -> str | None:
        """How one calls the file, if that still leads to it."""
        s = self.strings
        base = path.rpartition("/")[2]
        stem = base.rpartition(".")[0] or base
        words = re.sub(r"[_.-]+", " ", stem).lower()
        name = s.pick((path, path, base, base, f"the {stem} file", f"the {words}", f"the {words}", f"the {words} file", stem))
        return name if world.index.match(name)[:1] == (path,) else path if s.chance(0.5) else None


def _edit(line: Line, after: str) -> Step:
    return {"do": "edit", "path": line.path, "old": line.text, "new": after}
