"""`python3 -m nano.contract`: the format as data, for the engine that runs the model.

contract.json holds every table the engine needs; vectors.json holds worked examples (request and folder in; sources, spans, globs,
prompt and forced choices out), against which another implementation is tested.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import format as fmt
from .decode import LINE_VALUES, MAY_BE_EMPTY, SPAN_WORDS, forms_after
from .sandbox import EVAL
from .sources import GIT_COMMANDS, MAX_PATHS, MAX_SCRIPTS, RUNNERS, TYPE_WORDS, _BARE_NAMES, _GIT_WORDS
from .sources import PathIndex, find_sources, glob_candidates, project_scripts
from .spans import CLOSERS, MAX_STARTS, OPENERS, boundaries
from .tokenizer import Tokenizer
from .tools import OFFERS, TOOLS, signature
from .words import NUMBERS, STOP_WORDS

HERE = Path(__file__).parent
VECTORS = 60


def contract() -> dict[str, Any]:
    return {
        "special_tokens": list(fmt.SPECIAL_TOKENS),
        "fields": {
            field: {label: fmt.label_token(field, label) for label in labels} for field, labels in fmt.FIELDS.items()
        },
        "forms": {form: fmt.form_token(form) for form in fmt.FORMS},
        "reasons": {reason: fmt.reason_token(reason) for reason in fmt.REASONS},
        "tools": {
            tool.name: {
                "signature": signature(tool),
                "category": tool.category,
                "parameters": [parameter._asdict() for parameter in tool.parameters],
                "forms": {"ok": forms_after(tool.name, True), "failed": forms_after(tool.name, False)},
            }
            for tool in TOOLS.values()
        },
        "offers": OFFERS,
        "spans": {
            "openers": OPENERS, "closers": CLOSERS, "max_starts": MAX_STARTS, "most_words": SPAN_WORDS,
            "may_be_empty": sorted(MAY_BE_EMPTY), "line_values": list(LINE_VALUES),
        },
        "sources": {
            "max_paths": MAX_PATHS, "max_scripts": MAX_SCRIPTS, "stop_words": sorted(
                STOP_WORDS
            ), "type_words": TYPE_WORDS, "runners": RUNNERS,
            "git_words": sorted(_GIT_WORDS), "git_commands": list(GIT_COMMANDS), "bare_names": sorted(_BARE_NAMES), "numbers": NUMBERS,
        },
        "cuts": {
            "request": fmt.MAX_REQUEST_CHARS, "classify": [fmt.MAX_CLASSIFY_HEAD, fmt.MAX_CLASSIFY_TAIL],
            "result": [fmt.MAX_RESULT_HEAD, fmt.MAX_RESULT_TAIL],
        },
    }  # fmt: skip


def vectors() -> list[dict[str, Any]]:
    """Every seventh held-out request: their wording is public anyway, and they use all rules."""
    tokenizer = Tokenizer.load(HERE / "tokenizer.json")
    rows = [
        json.loads(line) for line in (EVAL / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    ][::7][:VECTORS]
    return [vector(row, tokenizer) for row in rows]


def vector(row: dict[str, Any], tokenizer: Tokenizer) -> dict[str, Any]:
    files = json.loads((EVAL / "folders" / f"{row['folder']}.json").read_text(encoding="utf-8"))
    request = row["request"]
    sources = find_sources(request, PathIndex(files), project_scripts(files))
    found = boundaries(request)
    lines = [signature(TOOLS[name]) for name in OFFERS[row["categories"][0]]]
    prompt = [*fmt.system_parts(lines), *fmt.user_parts(request, sources)]
    return {
        "request": request,
        "folder": row["folder"],
        "paths": sources.paths,
        "scripts": sources.scripts,
        "globs": glob_candidates(request, sources.paths),
        "starts": found.starts,
        "ends": found.ends,
        "prompt": fmt.to_text(prompt),
        "prompt_tokens": len(tokenizer.encode_parts(prompt)),
        "classify_tokens": tokenizer.encode_parts(fmt.classify_parts(request)),
    }


def main() -> None:
    for name, value in (("contract.json", contract()), ("vectors.json", vectors())):
        (HERE / name).write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        print(f"nano/{name}")


if __name__ == "__main__":
    main()
