"""Files that are named like a word of the request which means no file: `search.txt`, `lib/write.py`, `css/`.

The sources list them, because code cannot know better; the model has to.
"""

from __future__ import annotations

from ..format import Sources
from ..sources import TYPE_WORDS, PathIndex
from ..words import STOP_WORDS
from .slots import Slots
from .strings import Strings

_SHARE = 0.15


class Decoys:
    def __init__(self, strings: Strings) -> None:
        self.strings = strings
        self.words = {*strings.words["particle"], *strings.words["loaded"], *TYPE_WORDS} - STOP_WORDS

    def add(self, sources: Sources, text: str, slots: Slots) -> Sources:
        if not self.strings.chance(_SHARE):
            return sources
        named = " ".join(slots.surfaces.values()).lower()
        words = [word for word in text.lower().split() if word in self.words and word not in named]
        if not words:
            return sources
        path = self._path(self.strings.pick(words))
        return sources._replace(paths=slots.project.index.match(text, PathIndex([path])))

    def _path(self, word: str) -> str:
        s = self.strings
        folder = s.pick(("", "lib/", "src/", f"{s.tech()}/", f"{s.tech()}/{s.noun()}/"))
        ending = s.pick(("txt", "py", "ts", "md", "js", "json", "test.ts"))
        name = s.pick((f"{word}.{ending}", f"{word}.{ending}", f"{word}/{s.noun()}.{ending}", f"{s.tech()}-{word}.{ending}"))
        return folder + name
