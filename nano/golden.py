"""`python3 -m nano.golden`: worked examples of the run-time rules, for the tests of the program's own implementation.

Everything is computed by the modules the training data comes from: sources, spans, patterns, prompts, and which calls the
decoder accepts. Offsets count UTF-16 units, as JavaScript does. `--check` only says whether the committed file is current.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from .decode import Machine, Situation
from .evaluate import _own
from .clauses import clauses_of
from .format import CALL, CALL_END, END, MAX_REQUEST_CHARS, Line, Part, Sources, call_text, classify_parts, cut, cut_result, result_parts, system_parts, user_parts
from .lines import LineIndex
from .sandbox import EVAL
from .sources import PathIndex, clause_sources, find_sources, first_sources, glob_candidates, project_scripts, recent_paths
from .spans import boundaries
from .spoken import typed
from .tokenizer import BYTE_LETTERS, Tokenizer
from .tools import OFFERS, TOOLS, signature

HERE = Path(__file__).parent
OUT = HERE.parent / "test" / "embedded" / "fixtures" / "nano-golden.json"

FILES = {
    "package.json": '{"scripts": {"test": "vitest", "build:all": "tsc", "start": "node ."}}',
    "requirements.txt": "",
    "Makefile": "CC = cc\nall: build\nbuild: main.o\n\tcc x\nclean :\n\trm x\nlate:=1\nall: again\n",
    "pyproject.toml": '[project]\nname = "x"\n[project.scripts]\nserve = "x:y"\nload-data = "x:z"\n[tool]\nother = 1\n',
    "Cargo.toml": "",
    "go.mod": "",
    "README.md": "",
    ".env": "",
    ".github/workflows/ci.yml": "",
    "src/userProfile.test.ts": "",
    "src/HTTPServer.ts": "",
    "src/lib/http-server.py": "",
    "docs/größe & maß.md": "",
    "docs/packing list.txt": "",
    "notes/2024/ideas.md": "",
    "scripts/run_all.sh": "",
    "dist/app.min.js": "",
}

# Each shows a rule that the held-out requests leave out.
REQUESTS = [
    "",
    "   ",
    "read the “größe & maß.md” page, bitte 🙂 und dann 'src/HTTPServer.ts:42:7'…",
    "say \"hello\tworld\\n\" to the packing list!!! (now)",
    "PORT=3000->8080 in .env; a=>b, x→y |z| don't",
    "Anna's notes: ideas' and Ben’s ideas.md...",
    "first line\n  second line here\r\nthird: `npm run build:all`\n\n- item one\n- item two",
    "run it in src/lib/ and ./scripts/run_all.sh, then new_thing.py and git commits",
    "find all typescript, .md and .test.ts files under src/ and docs/ and the Makefile and LICENSE",
    "open userprofile, http server, redme, packing lists, test, all the tests, idaes",
    " ".join(f"word{number}" for number in range(90)),
    "\n".join(f"line {number}: a,b" for number in range(80)),
    "(((deep))) ***bold*** __init__ ~tilde~ <tag> {brace} [bracket] “quotes” «guillemets»",
    "lines 10, 020 and 123456789 of 7",
    "x" * 3100 + " end 🙂",
    "🙂 " * 1600,
]


SPOKEN = [
    "open notes slash log dot txt",
    "write thank you full stop into letters forward slash drafts slash a underscore b dot md",
    "search i2c underscore timeout in src slash i2c dot c",
    "make test dash ngo dot txt with first comma second question mark",
    "the dot com boom, a colon in the log and a dash of salt",
    "What is in src/a.txt?",
]


CLAUSES = [
    "show it",
    "find the invoice, open it and then change the date to Friday",
    "mkdir archive; put handover.md copy in it as handover-2024-03.md; ls archive",
    "Make a folder handover, then put in it a file notes.txt saying Keys are with Kamau, bring them back and smile",
    "add 'milk, then eggs and show' to list.txt and show me the list",
    "write a.txt with the following:\nfirst\nopen the door\nlast",
    "1. list docs\n2. open the first one\n3. delete it",
    "Please do these: 1. Delete a.txt 2. List docs 3) open b.md, the item 4. of which stays",
    "Where does the backup go? Please show me the script.",
    "whats in songs/lyrics and open all of them",
    "mv a.txt b.txt && ls docs",
    "run npm ci && npm test",
    "change Suddenly the rain to Then the rain in ch1.md. Then read it. Finally, in notes.md replace “a, then b” by `c; d`",
    "Read a.md and b.md please; on the second board ADDR is tied high.",
    "COPY A.TXT TO B.TXT AND AFTER THAT DELETE A.TXT",
    "open it, and, once that's done, set keep days to 14; then then run it",
    "größe.md öffnen, then show „this, and open that“ - ok & list src",
    "",
]

STEPS: list[list[list[Any]]] = [
    [],
    [["list_files", {"path": "docs"}, True, "docs/: a.md, b.md\ndocs/sub/c.md\ndocs/old/ (12 files)\n[ignored or empty: x/]"]],
    [["find_files", {"pattern": "*.md"}, True, "a.md\nb/c.md"], ["read_file", {"path": "b/c.md"}, True, "1\tx"]],
    [["find_files", {"pattern": "*.zz"}, True, "No files match.\n[more: 3]"]],
    [["search_text", {"pattern": "x", "path": "src/"}, True, "src/a.ts:3: x\nsrc/a.ts:9: x\nsrc/b.ts:1: x"]],
    [["make_folder", {"path": "new/"}, True, "ok"], ["copy_file", {"from": "a", "to": "new/a"}, True, "ok"], ["move_file", {"from": "b", "to": "new/b"}, True, "ok"]],
    [["edit_file", {"path": "a.ts", "old": "x", "new": "y"}, False, "old is not in a.ts."], ["run_command", {"command": "make"}, True, "exit code 0"]],
    [["list_files", {"path": "."}, True, "\n".join(f"f{number}.txt" for number in range(12))]],
]

LINED = {
    **FILES,
    "settings.ini": "[backup]\nkeep_days = 30\nport=3000u\nphotos = no\n",
    "todo.txt": "# To do\n\n- [ ] call Kim\n- [ ] order sensor mats\n- [x] milk\n",
    "scripts/count_people.py": "print(1)\n",
    "docs/counting.md": "How we count people.\nLine two about the port.\n",
}

LATER: list[tuple[str, list[str]]] = [
    ("open the to-do list and then delete the last line of it", ["todo.txt"]),
    ("set keep days to 14 in the settings, then run the counting program", ["settings.ini", "docs/"]),
    ("read line 2 of settings.ini and change the port there to 9000", ["settings.ini"]),
    ("change the title of todo.txt", []),
    ("find the counted people and show the first one", ["scripts/count_people.py", "docs/counting.md"]),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    text = json.dumps(golden(), ensure_ascii=False, indent=None, separators=(",", ":")).replace('{"request"', '\n{"request"') + "\n"
    if parser.parse_args().check:
        raise SystemExit(0 if OUT.read_text(encoding="utf-8") == text else f"{OUT.name} is out of date: python3 -m nano.golden")
    OUT.write_text(text, encoding="utf-8")


def golden() -> dict[str, Any]:
    index, scripts = PathIndex(FILES), project_scripts(FILES)
    rows = [json.loads(line) for line in (EVAL / "requests.jsonl").read_text(encoding="utf-8").splitlines()]
    return {
        "files": FILES,
        "lined": LINED,
        "requests": [example(request, index, scripts) for request in REQUESTS],
        "heldOut": [held_out(row) for row in rows[::3]],
        "classify": [texts(classify_parts(request)[:-1]) for request in REQUESTS],
        "spoken": [[text, typed(text)] for text in SPOKEN],
        "clauses": [[text, clauses_of(text)] for text in CLAUSES],
        "recent": [{"steps": steps, "paths": list(recent_paths(steps))} for steps in STEPS],
        "later": [later(*one) for one in LATER],
        "conversation": conversation(),
        "calls": list(calls(rows)),
    }


def example(request: str, index: PathIndex, scripts: list[tuple[str, str]]) -> dict[str, Any]:
    sources = find_sources(request, index, scripts)
    found = boundaries(request)
    offsets = [0]
    for char in request:
        offsets.append(offsets[-1] + len(char.encode("utf-16-le")) // 2)
    return {
        "request": request,
        "paths": sources.paths,
        "scripts": sources.scripts,
        "globs": glob_candidates(request, sources.paths),
        "starts": [offsets[at] for at in found.starts],
        "ends": [offsets[at] for at in found.ends],
        "prompt": texts(user_parts(cut(request, MAX_REQUEST_CHARS, 0), sources)),
    }


def held_out(row: dict[str, Any]) -> dict[str, Any]:
    files = json.loads((EVAL / "folders" / f"{row['folder']}.json").read_text(encoding="utf-8"))
    index = PathIndex(files)
    found = example(row["request"], index, project_scripts(files))
    found["lines"] = [list(line) for line in LineIndex(files).match(row["request"], index.ranks(row["request"]))]
    return {key: found[key] for key in ("request", "paths", "scripts", "globs", "starts", "ends", "lines")} | {"folder": row["folder"]}


def later(request: str, recent: list[str]) -> dict[str, Any]:
    """What is shown with the first clause, and with the last after steps that these paths come from."""
    index, scripts, lines = PathIndex(LINED), project_scripts(LINED), LineIndex(LINED)
    clauses = clauses_of(request)
    found = (first_sources(clauses, request, index, scripts, lines), clause_sources(clauses[-1], tuple(recent), index, scripts, lines, request))
    return {"request": request, "recent": recent, "sources": [[source.paths, source.scripts, [list(line) for line in source.lines]] for source in found]}


def texts(parts: list[Part]) -> list[dict[str, Any]]:
    return [{"text": part.text, "control": part.special} for part in parts]


def conversation() -> list[dict[str, Any]]:
    call = ("edit_file", {"path": "a b.ts", "old": 'say "hi"\n', "new": "größer\t\\"})
    parts = [
        *system_parts([signature(TOOLS[name]) for name in OFFERS["write"]]),
        *user_parts("change it", Sources(("a b.ts", "src/"), (("test", "npm test"), ("", "git status")), (("job-1", "npm run dev"),))),
        *_own(call),
        *result_parts(False, cut_result("no match " * 300)),
        *_own(("read_file", {"path": "a b.ts", "from": 12})),
        *result_parts(True, "12\tsay", Sources(("a b.ts",), (), (), (Line("a b.ts", 12, "say"),)), "then change it"),
    ]
    return texts(parts)


def calls(rows: list[dict[str, Any]]):
    """Expected calls and spoilt copies of them, and whether the decoder lets the model write them."""
    tokenizer = Tokenizer.load(HERE / "tokenizer.json")
    for row in rows:
        for wanted in row["expect"][:1]:
            if any(isinstance(value, dict) for value in wanted["arguments"].values()):
                continue
            files = json.loads((EVAL / "folders" / f"{row['folder']}.json").read_text(encoding="utf-8"))
            sources = find_sources(row["request"], PathIndex(files), project_scripts(files))
            category = next((c for c in row["categories"] if wanted["tool"] in OFFERS[c]), TOOLS[wanted["tool"]].category)
            situation = Situation(row["request"], sources, tuple(TOOLS[name] for name in OFFERS[category]))
            judged = [
                {"name": name, "input": arguments, "accepted": accepts(situation, call_text(name, arguments), tokenizer)}
                for name, arguments in ((wanted["tool"], wanted["arguments"]), *spoilt(wanted))
            ]
            yield {"request": row["request"], "folder": row["folder"], "category": category, "calls": judged}


def spoilt(wanted: dict[str, Any]):
    """A letter less, a word made up, an argument forgotten."""
    arguments = wanted["arguments"]
    for name, value in arguments.items():
        if isinstance(value, str) and value:
            yield wanted["tool"], {**arguments, name: value[:-1]}
            yield wanted["tool"], {**arguments, name: f"{value} made-up"}
            break
    if arguments:
        yield wanted["tool"], dict(list(arguments.items())[1:])


def accepts(situation: Situation, call: str, tokenizer: Tokenizer) -> bool:
    """Byte by byte: how the text is cut into tokens must not matter."""
    machine = Machine(situation, tokenizer)
    body = call.removeprefix(CALL).removesuffix(CALL_END)
    tokens = [tokenizer.ids[CALL], *(tokenizer.ids[BYTE_LETTERS[byte]] for byte in body.encode("utf-8")), tokenizer.ids[CALL_END], tokenizer.ids[END]]
    try:
        for token in tokens:
            machine.advance(token)
    except ValueError:
        return False
    return machine.done


if __name__ == "__main__":
    main()
