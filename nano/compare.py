"""When two calls are the same, and of which kind an expected call is."""

from __future__ import annotations

from typing import Any

from .format import Sources
from .spans import is_span
from .tools import TOOLS



def same_call(call: tuple[str, dict], wanted: dict[str, Any]) -> bool:
    return call[0] == wanted["tool"] and _same(_normal(call[0], call[1]), _normal(wanted["tool"], wanted["arguments"]))


def _same(got: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return got.keys() == wanted.keys() and all(_same_value(got[key], wanted[key]) for key in wanted)


def _same_value(got: Any, wanted: Any) -> bool:
    """`{"has": [...]}` is for questions in free words: the words that matter, in at most twelve."""
    if isinstance(wanted, dict):
        text = str(got).lower()
        return all(word.lower() in text for word in wanted["has"]) and len(text.split()) <= 12
    return got == wanted


def _normal(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Spellings that mean the same: `./src/`, `**/*.md` and `*.md`, a search in `.`."""
    out = {key: value for key, value in arguments.items() if value is not False}
    if isinstance(out.get("path"), str):
        out["path"] = out["path"].removeprefix("./").rstrip("/") or "."
        if tool in ("search_text", "search_code") and out["path"] == ".":
            del out["path"]
    if tool == "find_files" and isinstance(out.get("pattern"), str):
        out["pattern"] = out["pattern"].removeprefix("**/")
    if tool == "write_file" and isinstance(out.get("content"), str):
        out["content"] = out["content"].strip()
    return out


def kind_of(row: dict[str, Any], sources: Sources) -> str:
    """Where the arguments come from: a span of the request, or a listed path, script or pattern."""
    if not row["expect"]:
        return "no tool"
    call = row["expect"][0]
    if not call["arguments"]:
        return "no arguments"
    kinds = {parameter.name: parameter.kind for parameter in TOOLS[call["tool"]].parameters}
    for name, value in call["arguments"].items():
        if isinstance(value, str) and value and not is_span(row["request"], value):
            return {"path": "path", "new_path": "path", "command": "script", "glob": "glob"}.get(kinds[name], "span")
    return "span"
