"""Requests made up for the folders of the hands: one step of any kind, and chains in which one step is about the one before.

They have the form of a hand's own requests, so that everything else is done with them that is done with those. Filler: what they are about
is drawn; how they are said comes from many people (`frames.py`).
"""

from __future__ import annotations

from typing import Any

from .frames import Speaker
from .strings import Strings
from .wishes import Step, Wish, WishMaker
from .worlds import World

Made = tuple[str, list[Step]]

_NTH = (("first", 0), ("second", 1), ("last", -1), ("third", 2), ("first", 0), ("last", -1))
_LOOKS = {"read": "read", "list": "read", "find": "search", "search": "search"}


class TaskMaker:
    def __init__(self, strings: Strings) -> None:
        self.strings = strings
        self.wishes = WishMaker(strings)

    def make(self, world: World) -> dict[str, Any] | None:
        s = self.strings
        kinds = s.pick((self.wishes.edits, self.wishes.edits, self.wishes.acts, self.wishes.looks, None, None, None))
        made = self._one(world, s.pick(kinds)) if kinds else self._chain(world)
        if made is None or len(made[0]) > 400:
            return None
        text, steps = made
        do = steps[0]["do"]
        kind = "chain" if len(steps) > 1 else "look" if do in _LOOKS else "act"
        task = "explain" if do in _LOOKS else "orchestration" if do == "run" else "boilerplate"
        category = _LOOKS.get(do) or ("run" if do == "run" else "write")
        return {"request": text, "effect": steps, "also": [], "kind": kind, "task": task, "category": category, "made": True}

    def unwanted(self, world: World) -> str | None:
        """An order asked about, forbidden, put off or told by somebody: nothing is to be done."""
        wish = self.strings.pick((*self.wishes.edits, *self.wishes.acts))(world)
        speaker = Speaker(self.strings)
        order = speaker.order(wish[0], **wish[1]) if wish else None
        return speaker.mood(order[:1].lower() + order[1:]) if order else None

    def _one(self, world: World, kind: Any) -> Made | None:
        wish = kind(world)
        return (Speaker(self.strings).say(wish[0], **wish[1]), [wish[2]]) if wish else None

    # -- several

    def _chain(self, world: World) -> Made | None:
        made = self.strings.pick((self._about_it, self._about_it, self._about_it, self._two, self._listed, self._searched, self._foldered))(world)
        return made if made and all(made) else None

    def _about_it(self, world: World) -> Made | None:
        """A step, and one or two more with the file it made or changed."""
        s = self.strings
        first = s.pick((*self.wishes.edits, self.wishes.append, self.wishes.append, self.wishes.write, self.wishes.write, self.wishes.copy, self.wishes.copy, self.wishes.move))(world)
        if not first:
            return None
        speaker = Speaker(s)
        step = first[2]
        path = step.get("path") or step["to"]
        second = self._follow(world, step, path)
        if not second:
            return None
        said, steps = [speaker.part(first[0], **first[1]), speaker.part(second[0], **second[1])], [step, second[2]]
        if second[0] in ("thenappend", "thenchange", "thendrop") and s.chance(0.25):
            said.append(speaker.part("thenshow"))
            steps.append({"do": "read", "path": path})
        return speaker.joined(*said), steps

    def _follow(self, world: World, step: Step, path: str) -> Wish | None:
        s = self.strings
        source = step["from"] if step["do"] in ("copy", "move") else step["path"]
        others = [line for line in world.lines.lines if line.path == source and (step["do"] != "edit" or line.text != step["old"])]
        kind = s.pick(("show", "show", "show", "append", "change", "change", "drop", "rename", "copy", "run", "delete"))
        if kind in ("change", "drop") and not others:
            return None
        if kind == "change":
            wish = self.wishes.replaced(s.pick(others), "it", world.files[source])
            return ("thenchange", {key: wish[1][key] for key in ("old", "new")}, wish[2] | {"path": path}) if wish else None
        if kind == "drop":
            wish = self.wishes.dropped(s.pick(others), "it", world)
            return ("thendrop", {"what": wish[1]["what"]}, wish[2] | {"path": path}) if wish else None
        if kind == "append":
            text = self.wishes.text()
            return "thenappend", {"text": self.wishes.quoted(text, 0.5)}, {"do": "append", "path": path, "content": text}
        if kind in ("rename", "copy"):
            said, target = self.wishes.new_name(path)
            return f"then{kind}", {"to": said}, {"do": "move" if kind == "rename" else "copy", "from": path, "to": target}
        if kind == "run":
            command = s.pick(world.scripts)[1] if world.scripts and s.chance(0.5) else s.command()
            return "thenrun", {"command": command}, {"do": "run", "command": command}
        if kind == "delete":
            return ("thendelete", {}, {"do": "delete", "path": path}) if step["do"] == "write" else None
        return "thenshow", {}, {"do": "read", "path": path}

    def _two(self, world: World) -> Made | None:
        """Steps that have nothing to do with each other."""
        s = self.strings
        wishes = [s.pick((*self.wishes.edits, *self.wishes.acts, *self.wishes.looks))(world) for _ in range(3 if s.chance(0.2) else 2)]
        if not all(wishes) or len({str(wish[2].get("path") or wish[2].get("from")) for wish in wishes}) < len(wishes):
            return None
        speaker = Speaker(s)
        return speaker.joined(*(speaker.part(wish[0], **wish[1]) for wish in wishes)), [wish[2] for wish in wishes]

    def _listed(self, world: World) -> Made | None:
        wish = self.wishes.list(world)
        if not wish:
            return None
        folder = wish[2]["path"] + "/"
        inside = [path for path in sorted(world.files) if path.startswith(folder)]
        nth, at = self.strings.pick(_NTH)
        if not 2 <= len(inside) <= 8 or any("/" in path[len(folder) :] for path in inside) or at >= len(inside):
            return None
        speaker = Speaker(self.strings)
        text = speaker.joined(speaker.part("list", **wish[1]), speaker.part("thenopen", nth=nth))
        return text, [wish[2], {"do": "read", "path": inside[at]}]

    def _searched(self, world: World) -> Made | None:
        wish = self.wishes.search(world)
        if not wish:
            return None
        text, scope = wish[2]["text"].lower(), wish[2].get("path", "")
        hits = [path for path in sorted(world.files) if path.startswith(scope) and text in world.files[path].lower()]
        if not hits:
            return None
        nth, at = self.strings.pick(_NTH)
        speaker = Speaker(self.strings)
        if len(hits) > 1 and at < len(hits):
            second = speaker.part("thenopen", nth=nth)
        else:
            second, at = speaker.part("thenfound"), 0
        if len(hits) > 1 and at == 0 and nth != "first":
            return None
        return speaker.joined(speaker.part("search", **wish[1]), second), [wish[2], {"do": "read", "path": hits[at]}]

    def _foldered(self, world: World) -> Made | None:
        wish = self.wishes.mkdir(world)
        path = self.wishes.file(world)
        file = self.wishes.named(path, world)
        if not wish or not file:
            return None
        speaker = Speaker(self.strings)
        text = speaker.joined(speaker.part("mkdir", **wish[1]), speaker.part("theninto", file=file))
        return text, [wish[2], {"do": "move", "from": path, "to": f"{wish[2]['path']}/{path.rpartition('/')[2]}"}]
