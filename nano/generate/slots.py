"""Filling the slots of a template: what the person writes, and the value the call must hold.

A value is remembered under its slot's name, so that a template may name it twice. Here are the slots of free text; those of
paths and the like are in slot_paths.py.
"""

from __future__ import annotations

from .project import spoken
from .slot_paths import PathSlots


class Slots(PathSlots):
    """The slots of one request. `values` holds what the call needs; `listed` what the sources block must contain."""

    # -- free text

    def _needle(self, modifier: str) -> str:
        s = self.strings
        value = self._seen() if s.chance(0.1) else s.needle()
        plain = value.isalnum() or value.replace("_", "").isalnum()
        return self._quoted(self._remember("needle", value), modifier, 0.85 if plain else 0.45)

    def _seen(self) -> str:
        """A word that some path has too, which then stands in the paths block and means nothing here."""
        files = self.project.files
        words = spoken(self.strings.pick(files).rsplit("/", 1)[-1].rsplit(".", 1)[0]) if files else ""
        return (self.strings.pick(words.split()) if self.strings.chance(0.6) else words) if words else self.strings.noun()

    def _brief(self, modifier: str) -> str:
        """What one writes into a file to see whether it works."""
        return self._quoted(self._remember("content", self.strings.shape("brief")), modifier, 0.4)

    def _content(self, modifier: str) -> str:
        s = self.strings
        r = s.random.random()
        if r < 0.14:
            value = s.code_block() if s.chance(0.6) else s.text_block()
        elif r < 0.38:
            value = s.code_line()
        elif r < 0.5:
            value = s.phrase()
        elif r < 0.6:
            value = s.fact()
        elif r < 0.68:
            value = s.prose()
        elif r < 0.78:
            value = s.list_item()
        elif r < 0.88:
            value = s.shape("brief")
        elif r < 0.9:
            value = self._seen()
        elif r < 0.94:
            value = s.salad()
        else:
            value = s.one_of(s.any_word, s.quantity, s.version, s.identifier, s.url)
        return self._quoted(self._remember("content", value.strip()), modifier, 0.5)

    def _item(self, modifier: str) -> str:
        """What one adds to a list in passing: a thing or two, bare."""
        return self._quoted(self._remember("content", self.strings.shape("item")), modifier, 0.85)

    def _ignored(self, modifier: str) -> str:
        return self._quoted(self._remember("content", self.strings.shape("ignored")), modifier, 0.9)

    def _log(self, modifier: str) -> str:
        """A line of a log that holds the word looked for, before or after it is asked for."""
        value = self.values.get("needle") or self._remember("needle", self.strings.shape("errorname"))
        return self.strings.shape("logline").replace("@@", value)

    def _logged(self, modifier: str) -> str:
        if "needle" not in self.values:
            self._remember("needle", self.strings.shape("errorname"))
        return self._quoted(self.values["needle"], modifier, 0.85)

    def _old(self, modifier: str) -> str:
        self._pair()
        return self._quoted(self.values["old"], modifier, 0.55)

    def _new(self, modifier: str) -> str:
        self._pair()
        bare = 0.08 if self.quotes else 0.75
        return self._quoted(self.values["new"], modifier, bare)

    def _pair(self) -> None:
        """What is replaced and by what: usually two of a kind."""
        if "old" in self.values:
            return
        s = self.strings
        r = s.random.random()
        if r < 0.2:
            old, new = s.identifier(), s.identifier()
        elif r < 0.3:
            key, sign = s.identifier(), s.pick((" = ", "=", ": ", ":", " "))
            old, new = f"{key}{sign}{s.quantity()}", f"{key}{sign}{s.quantity()}"
        elif r < 0.46:
            shapes = self.strings.shapes["quantity"]
            at = s.number(0, len(shapes) - 1)
            old, new = (_compose(shapes[at]) for _ in range(2))
        elif r < 0.56:
            old, new = s.version(), s.version()
        elif r < 0.59:
            old, new = s.salad(), s.salad()
        elif r < 0.68:
            old, new = s.phrase(), s.phrase()
        elif r < 0.78:
            old, new = s.any_word(), s.any_word()
        elif r < 0.89:
            old = s.one_of(s.phrase, lambda: s.shape("measure"), lambda: s.shape("measure"))
            words = old.split(" ")
            at = s.number(0, len(words) - 1)
            words[at] = str(s.number(2, 999)) if words[at].isdigit() else s.one_of(s.any_word, s.noun)
            new = "-".join(words) if s.chance(0.08) else " ".join(words)
        elif r < 0.94:
            old, new = s.code_line(), s.code_line()
        elif r < 0.97:
            old, new = s.sentence(), s.sentence()
        else:
            old, new = s.symbol(), s.symbol()
        self.values["old"], self.values["new"] = old.strip(), (new if new != old else new + "2").strip()

    def _setting(self, modifier: str) -> str:
        """Something that has a value; which one it has now, nobody says."""
        s = self.strings
        return self._quoted(s.one_of(s.identifier, s.tech, s.noun, lambda: s.identifier().upper()), modifier, 0.85)

    def _amount(self, modifier: str) -> str:
        s = self.strings
        value = s.one_of(s.quantity, s.version, lambda: s.pick(("true", "false", "on", "off", "null", "yes", "no")))
        return self._quoted(value, modifier, 0.8)

    def _command(self, modifier: str) -> str:
        value = self._remember("command", self.strings.command())
        return self._quoted(value, modifier, 0.62)

    def _sql(self, modifier: str) -> str:
        return self._quoted(self._remember("sql", self.strings.sql()), modifier, 0.6)

    def _pycode(self, modifier: str) -> str:
        return self._quoted(self._remember("pycode", self.strings.python_code()), modifier, 0.6)

    def _jscode(self, modifier: str) -> str:
        return self._quoted(self._remember("jscode", self.strings.javascript_code()), modifier, 0.6)

    def _url(self, modifier: str) -> str:
        value = self._remember("url", self.strings.url())
        return self.strings.pick((value, value, value, value, value, f"<{value}>", f"({value})", f'"{value}"'))

    def _fact(self, modifier: str) -> str:
        value = self._remember("fact", self.strings.fact() if self.strings.chance(0.87) else self.strings.phrase())
        return self._quoted(value, "end" if not modifier else modifier, 0.88)

    def _topic(self, modifier: str) -> str:
        s = self.strings
        value = s.one_of(s.noun, s.tech, s.name, s.phrase, s.place, s.any_word, s.identifier)
        article = s.pick(("", "", "", "the ", "the ", "our ", "my ", "that ")) if value.islower() else ""
        self.values["topic"] = value
        return article + value

    def _task(self, modifier: str) -> str:
        s = self.strings
        value = s.one_of(
            s.phrase, s.sentence, lambda: f"{s.verb()} the {s.tech()} {s.tech()}", lambda: f"{s.verb()} {s.noun()}s",
        )
        return self._quoted(self._remember("task", value), modifier, 0.5 if modifier == "end" else 0.3)

    def _question(self, modifier: str) -> str:
        return self._quoted(self._remember("question", self.strings.sentence() + "?"), modifier, 0.7)

    def _skill(self, modifier: str) -> str:
        s = self.strings
        return self._remember("skill", "-".join(s.one_of(s.tech, s.verb, s.noun) for _ in range(s.pick((1, 2, 2)))))

    def _args(self, modifier: str) -> str:
        s = self.strings
        return self._quoted(
            self._remember("args", s.one_of(s.phrase, s.version, s.any_word, s.file_name)), modifier, 0.8,
        )

    def _function(self, modifier: str) -> str:
        return self._remember("function", self.strings.identifier())

    def _purpose(self, modifier: str) -> str:
        return self._quoted(self._remember("purpose", f"{self.strings.verb()}s {self.strings.noun()}s"), modifier, 0.6)

    def _concept(self, modifier: str) -> str:
        return self._drawn("concept")

    def _happening(self, modifier: str) -> str:
        return self._drawn("happening")

    def _doing(self, modifier: str) -> str:
        return self._drawn("doing")

    def _drawn(self, section: str) -> str:
        text = self.grammar.draw(section, self.strings.random)
        return self._remember("concept", " ".join("".join(map(str, text)).split()))

    def _error(self, modifier: str) -> str:
        return self.strings.trace() if self.strings.chance(0.4) else self.strings.error_message()

    def _code(self, modifier: str) -> str:
        return self._quoted(self.strings.code_block(), modifier or "end", 1)

    def _patch(self, modifier: str) -> str:
        s = self.strings
        path = s.relative_path()
        if s.chance(0.5):
            body = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{s.code_line()}\n+{s.code_line()}\n*** End Patch"
        else:
            body = f"--- a/{path}\n+++ b/{path}\n@@ -{s.number(1, 90)},1 +{s.number(1, 90)},1 @@\n-{s.code_line()}\n+{s.code_line()}"
        self.values["patch"] = body
        return f"```{s.pick(('diff', 'patch', ''))}\n{body}\n```" if s.chance(0.6) else body


def _compose(pieces: list) -> str:
    return "".join(piece if isinstance(piece, str) else piece() for piece in pieces)
