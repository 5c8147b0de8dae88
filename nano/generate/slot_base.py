"""What all slots of a request share: remembered values, references to paths, quotes and code fences.

Whether a value may stand bare depends on where the slot stands, so quoting is decided here, at the time of filling.
"""

from __future__ import annotations

from .grammar import Grammar, Piece
from .project import Project, Reference
from .strings import Strings

QUOTES = (
    ('"', '"'), ('"', '"'), ('"', '"'), ("'", "'"), ("`", "`"), ("`", "`"), ("“", "”"), ("‘", "’"), ("«", "»"),
    ("*", "*"),
)


class SlotBase:
    """The slots of one request. `values` holds what the call needs; `listed` what the sources block must contain."""

    def __init__(self, project: Project, grammar: Grammar, strings: Strings) -> None:
        self.project = project
        self.grammar = grammar
        self.strings = strings
        self.values: dict[str, str] = {}
        self.surfaces: dict[str, str] = {}
        self.listed: list[str] = []
        self.quotes: tuple[str, str] | None = None
        self.ids: tuple[tuple[str, str], ...] = some_ids(strings) if strings.chance(0.06) else ()

    def fill(self, name: str, modifier: str) -> str:
        known = self.surfaces.get(name)
        if known is not None and name not in ("in", "concept"):
            return known
        maker = getattr(self, f"_{name}", None)
        if maker is None:
            raise KeyError(f"no slot {name}")
        surface = maker(modifier)
        self.surfaces[name] = surface
        return surface

    def text_of(self, pieces: list[Piece]) -> str:
        return "".join(piece if isinstance(piece, str) else self.fill(*piece) for piece in pieces)

    # -- quoting

    def _quoted(self, value: str, modifier: str, bare: float) -> str:
        """`bare` is how often the value stands without quotes; long values in the middle of a sentence never do."""
        s = self.strings
        if "\n" in value:
            return self._block(value, modifier)
        if modifier == "line":
            return value
        at_end = modifier == "end"
        short = len(value) < 40 and value.count(" ") < 4
        if modifier != "quoted" and s.chance(bare if short or at_end else bare * 0.15):
            return value
        open_, close = self.quotes or s.pick(QUOTES)
        if open_ in value or close in value:
            open_, close = next(((a, b) for a, b in QUOTES if a not in value and b not in value), ("", ""))
        self.quotes = (open_, close) if open_ else None
        return f"{open_}{value}{close}"

    def _block(self, value: str, modifier: str) -> str:
        s = self.strings
        after = "" if modifier in ("end", "line") else "\n"
        if s.chance(0.75):
            language = s.pick(
                ("", "", "py", "python", "js", "ts", "sh", "bash", "json", "html", "text", "md", "c", "sql")
            )
            return f"\n```{language}\n{value}\n```{after}"
        return f"\n{value}{after}"

    def _remember(self, name: str, value: str) -> str:
        self.values[name] = value
        return value

    def _refer(self, name: str, reference: Reference) -> str:
        self.values[name] = reference.value
        if reference.listed:
            self.listed.append(reference.value)
        text = reference.text
        if " " in reference.value and not reference.listed or self.strings.chance(0.06):
            open_, close = self.strings.pick(QUOTES[:6])
            return f"{open_}{text}{close}" if open_ not in text else text
        return text


def some_ids(s: Strings) -> tuple[tuple[str, str], ...]:
    """Running jobs and stored results, as the ids block lists them."""
    found: dict[str, str] = {}
    for _ in range(s.number(1, 4)):
        runner = s.pick(("npm run ", "npm run ", "make ", "cargo ", "python3 ", "node "))
        word = s.pick(("dev", "build", "watch", "serve", "start", "test", "server", s.tech(), s.noun()))
        word = f"{word}.py" if runner == "python3 " else f"{word}.js" if runner == "node " else word
        found[f"{s.pick(('job', 'job', 'job', 'result'))}-{s.number(1, 20)}"] = runner + word
    return tuple(found.items())
