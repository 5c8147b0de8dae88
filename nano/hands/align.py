"""Which steps of a label belong to which clause of its request."""

from __future__ import annotations

import re
from typing import Any

from ..lines import folded

_VERBS = {
    "read": "show open read display print view cat look see tell give back head tail let check",
    "list": "list show ls what see look tell contents",
    "find": "find locate where look list search",
    "search": "search find grep look where check mention count tell",
    "write": "write create make save put new store file note empty",
    "append": "add append put write note stick insert",
    "edit": "change replace set edit update correct fix mark tick swap turn remove delete strike put make bump raise lower rename take switch should",
    "mkdir": "make create mkdir folder new directory",
    "copy": "copy duplicate cp backup back clone put save",
    "move": "move rename mv put shift call archive file",
    "delete": "delete remove rm erase bin throw drop clear",
    "run": "run execute start launch build test make rebuild check python bash npm git go do try back deploy",
}
_WANTED = {do: frozenset(folded(words)) for do, words in _VERBS.items()}


def align(clauses: list[str], steps: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The steps of each clause, in their order; the first clause has at least one."""
    words = [frozenset(folded(clause)) for clause in clauses]
    fits = [[_fit(step, known) for step in steps] for known in words]
    count = len(steps)
    best: list[tuple[float, tuple[int, ...]]] = [(0.0, ()) if done == 0 else (-1e9, ()) for done in range(count + 1)]
    for at in range(len(clauses)):
        following: list[tuple[float, tuple[int, ...]]] = []
        for done in range(count + 1):
            options = []
            for taken in range(1 if at == 0 else 0, done + 1):
                score, past = best[done - taken]
                gain = sum(fits[at][done - taken : done]) - (1.5 if taken == 0 else 0.6 * (taken - 1))
                options.append((score + gain, (*past, taken)))
            following.append(max(options, default=(-1e9, ())))
        best = following
    taken = best[count][1]
    parts, at = [], 0
    for number in taken:
        parts.append(steps[at : at + number])
        at += number
    return parts


def _fit(step: dict[str, Any], words: frozenset[str]) -> float:
    """How much of a step a clause speaks of."""
    values = [str(value) for key, value in step.items() if key != "do" and not isinstance(value, bool)]
    said = frozenset(word for value in values for word in folded(re.sub(r"\.\w{1,5}$", "", value)))
    shared = len(said & words) / max(1, min(len(said), 6))
    return 1.5 * bool(_WANTED[step["do"]] & words) + 2.0 * min(1.0, shared)
