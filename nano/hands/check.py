"""Checks the form of the requests of each hand: python3 -m nano.hands.check [NAME ...]. Says nothing about what is right."""

import json
import sys
from collections import Counter
from pathlib import Path

HANDS = Path(__file__).parent
TASKS = set("explain boilerplate orchestration unit_test generation refactor debug planning review security_review chat".split())
CATEGORIES = {"read", "search", "write", "run", "answer"}
REASONS = set(
    "knowledge judgement about negated postponed conditional hypothetical quoted impossible vague chat language".split()
)
FIELDS = {
    "list": ["path"],
    "find": ["pattern"],
    "search": ["text"],
    "read": ["path"],
    "write": ["path", "content"],
    "append": ["path", "content"],
    "edit": ["path", "old", "new"],
    "mkdir": ["path"],
    "copy": ["from", "to"],
    "move": ["from", "to"],
    "delete": ["path"],
    "run": ["command"],
}
EXISTING = {"list", "read", "edit", "delete"}
MAKING = {"write", "append", "mkdir", "copy", "move", "edit"}


def load(name):
    """The files of a hand's folder by path, and its requests."""
    folder = json.loads((HANDS / name / "folder.json").read_text())
    lines = (HANDS / name / "requests.jsonl").read_text().splitlines()
    return folder, [json.loads(line) for line in lines if line.strip()]


def load_said(name):
    """What other people said instead of a request, if anybody was asked."""
    file = HANDS / name / "said.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    return [json.loads(line) for line in lines if line.strip()]


def problems(name):
    folder, requests = load(name)
    ids = Counter(request["id"] for request in requests)
    texts = Counter(request["request"].strip().lower() for request in requests)
    yield from (f"{name}: id {key} occurs {count} times" for key, count in ids.items() if count > 1)
    yield from (f"{name}: {count} times: {key}" for key, count in texts.items() if count > 1)
    for request in requests:
        where = request["id"]
        yield from (f"{where}: {text}" for text in problems_of(request, folder))
        if request.get("twin_of") and request["twin_of"] not in ids:
            yield f"{where}: twin_of {request['twin_of']} does not exist"
    yield from problems_of_said(name, {request["id"]: request for request in requests})


def problems_of_said(name, requests):
    """What is copied from a request must stand in every other way to say it, too."""
    for said in load_said(name):
        request = requests.get(said["id"])
        if not request:
            yield f"{name}: {said['id']} is said otherwise and does not exist"
            continue
        kept = [str(value) for step in request["effect"] for key, value in step.items() if key != "do" and value is not True]
        yield from (
            f"{said['id']}: {text!r} is missing in {said['request']!r}"
            for text in kept
            if len(text) > 1 and text in request["request"] and text not in said["request"]
        )


def problems_of(request, folder):
    kind, effect = request.get("kind"), request.get("effect", [])
    if kind not in {"look", "act", "chain", "no"}:
        yield f"kind {kind}"
    if kind == "no" and (effect or request.get("why") not in REASONS):
        yield "kind no needs an empty effect and a reason"
    if kind in {"look", "act"} and len(effect) != 1 or kind == "chain" and len(effect) < 2:
        yield f"{len(effect)} steps"
    if "also" not in request:
        yield "no other readings: also is missing"
    if request.get("task") not in TASKS or request.get("category") not in CATEGORIES:
        yield f"task {request.get('task')}, category {request.get('category')}"
    for steps in [effect, *request.get("also", [])]:
        yield from problems_of_steps(steps, folder)


def problems_of_steps(steps, folder):
    existing = set(folder) | {"."}
    for path in folder:
        parts = path.split("/")
        existing |= {"/".join(parts[:count]) for count in range(1, len(parts))}
    for index, step in enumerate(steps):
        if index and steps[index - 1].get("do") == "run":
            return  # what a command makes is not known
        missing = [field for field in FIELDS.get(step.get("do"), ["do"]) if field not in step]
        if missing:
            yield f"{step} lacks {missing}"
            continue
        source = step.get("from", step.get("path") if step["do"] in EXISTING else None)
        if isinstance(source, str) and (source.rstrip("/") or ".") not in existing:
            yield f"{step['do']}: {source} does not exist"
        if step["do"] == "edit" and index == 0 and step["old"] not in folder.get(step["path"], step["old"]):
            yield f"the old text is not in {step['path']}"
        if step["do"] in MAKING:
            existing |= {step[field].rstrip("/") for field in ("path", "to") if field in step}


def names():
    return sorted(path.parent.name for path in HANDS.glob("*/requests.jsonl"))


if __name__ == "__main__":
    found = [text for name in sys.argv[1:] or names() for text in problems(name)]
    print("\n".join(found) or "OK")
    sys.exit(1 if found else 0)
