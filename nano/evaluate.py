"""The published figures: `python3 -m nano.evaluate --checkpoint …` (PyTorch) or `--gguf … --plain` (numpy, no GPU).

Greedy decoding with the same limits the program sets: tools by the predicted category, arguments only from spans and sources.
Prints a table by tool, kind and voice, the classification, the three-step tasks, and every miss.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from .compare import kind_of, same_call
from .decode import Machine, Situation, read_reply
from .format import (
    CALL,
    CALL_END,
    FIELDS,
    MAX_REQUEST_CHARS,
    Part,
    Sources,
    call_text,
    classify_parts,
    cut,
    cut_result,
    label_token,
    result_parts,
    system_parts,
    user_parts,
)
from .sandbox import EVAL, Sandbox
from .sources import PathIndex, find_sources, project_scripts
from .tokenizer import Tokenizer
from .tools import OFFERS, TOOLS, signature

HARMFUL = frozenset(("write_file", "edit_file", "apply_patch", "run_command", "python", "javascript", "job_stop"))
_BATCH = 64
_MAX_TOKENS = 400


class Runner(Protocol):
    """A model that holds several sequences at once."""

    def reset(self, count: int) -> None: ...

    def feed(self, pending: list[list[int]], keep: int = 1) -> list[Any]:
        """Appends tokens to each sequence; per sequence the logits after its last `keep` tokens (unchanged where nothing came)."""


class Item(NamedTuple):
    row: dict[str, Any]
    sources: Sources
    labels: dict[str, str]


class Evaluation:
    def __init__(self, runner: Runner, tokenizer: Tokenizer, gold_category: bool) -> None:
        self.runner = runner
        self.tokenizer = tokenizer
        self.gold_category = gold_category
        self._folders: dict[str, tuple[PathIndex, list[tuple[str, str]]]] = {}

    # -- the model's part

    def classify(self, requests: list[str]) -> list[dict[str, str]]:
        found = []
        for at in range(0, len(requests), _BATCH):
            batch = requests[at : at + _BATCH]
            self.runner.reset(len(batch))
            logits = self.runner.feed(
                [self.tokenizer.encode_parts(classify_parts(text)) for text in batch], len(FIELDS)
            )
            found += [self._labels(each) for each in logits]
        return found

    def _labels(self, logits: Any) -> dict[str, str]:
        labels = {}
        for position, (field, options) in enumerate(FIELDS.items()):
            ids = [self.tokenizer.ids[label_token(field, option)] for option in options]
            scores = [float(logits[position][token]) for token in ids]
            labels[field] = options[scores.index(max(scores))]
        return labels

    def reply(self, prompts: list[list[Part]], situations: list[Situation]) -> list[tuple[str, dict] | str]:
        replies: list[tuple[str, dict] | str] = []
        for at in range(0, len(prompts), _BATCH):
            machines = [Machine(situation, self.tokenizer) for situation in situations[at : at + _BATCH]]
            replies += self._decode(
                [self.tokenizer.encode_parts(parts) for parts in prompts[at : at + _BATCH]], machines
            )
        return replies

    def _decode(self, pending: list[list[int]], machines: list[Machine]) -> list[tuple[str, dict] | str]:
        self.runner.reset(len(machines))
        for _ in range(_MAX_TOKENS):
            logits = self.runner.feed(pending)
            pending = [self._choose(machine, each[-1]) for machine, each in zip(machines, logits)]
            if not any(pending):
                break
        return [read_reply(machine.text()) if machine.done else "unfinished" for machine in machines]

    def _choose(self, machine: Machine, logits: Any) -> list[int]:
        """The best allowed token, and all that must follow it anyway."""
        if machine.done:
            return []
        tokens = []
        while not machine.done:
            options = machine.allowed()
            if len(options) > 1 and tokens:
                break
            token = max(
                options, key=lambda option: (float(logits[option]), -option),
            ) if len(options) > 1 else next(iter(options))
            machine.advance(token)
            tokens.append(token)
        return tokens

    # -- requests of one call

    def items(self, rows: list[dict[str, Any]]) -> list[Item]:
        labels = self.classify([row["request"] for row in rows])
        return [Item(row, self.sources_of(row), label) for row, label in zip(rows, labels)]

    def sources_of(self, row: dict[str, Any]) -> Sources:
        if row["folder"] not in self._folders:
            files = json.loads((EVAL / "folders" / f"{row['folder']}.json").read_text(encoding="utf-8"))
            self._folders[row["folder"]] = PathIndex(files), project_scripts(files)
        index, scripts = self._folders[row["folder"]]
        return find_sources(row["request"], index, scripts)

    def first_replies(self, items: list[Item]) -> list[tuple[str, dict] | str]:
        situations = [Situation(item.row["request"], item.sources, self.offer(item)) for item in items]
        return self.reply([prompt(situation) for situation in situations], situations)

    def offer(self, item: Item) -> tuple:
        category = item.row[
            "categories"
        ][0] if self.gold_category and "categories" in item.row else item.labels["category"]
        return tuple(TOOLS[name] for name in OFFERS[category])

    # -- tasks of three steps

    def run_steps(self, item: Item) -> tuple[bool, list]:
        """Until a form, at most five calls. The task is done when every call, the form and the folder are as expected."""
        row, tools = item.row, self.offer(item)
        situation = Situation(row["request"], item.sources, tools)
        parts = prompt(situation)
        trail: list = []
        with Sandbox(row["folder"]) as sandbox:
            for _ in range(6):
                reply = self.reply([parts], [situation])[0]
                trail.append(reply)
                if isinstance(reply, str):
                    break
                ok, text = sandbox.run(*reply)
                shown = cut_result(text)
                parts = [*parts, *_own(reply), *result_parts(ok, shown)]
                situation = situation._replace(result=(reply[0], ok, shown))
            right = len(trail) == len(row["calls"]) + 1 and trail[-1] in row["forms"]
            right = right and all(
                any(same_call(call, wanted) for wanted in options) for call, options in zip(trail, row["calls"])
            )
            return right and all(sandbox.holds(check) for check in row["checks"]), trail


def prompt(situation: Situation) -> list[Part]:
    request = cut(situation.request, MAX_REQUEST_CHARS, 0)
    return [*system_parts([signature(tool) for tool in situation.tools]), *user_parts(request, situation.sources)]


def _own(call: tuple[str, dict]) -> list[Part]:
    body = call_text(*call).removeprefix(CALL).removesuffix(CALL_END)
    return [Part(CALL, True), Part(body, False), Part(CALL_END, True)]


# -- the table


class Tally:
    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], Counter] = defaultdict(Counter)

    def add(self, group: str, name: str, **marks: bool) -> None:
        counter = self.counts[group, name]
        counter["all"] += 1
        for mark, value in marks.items():
            counter[mark] += value

    def print(self) -> None:
        for (group, name), counter in sorted(self.counts.items()):
            marks = "  ".join(
                f"{mark} {counter[mark]}/{counter['all']} ({counter[mark] / counter['all']:.1%})" for mark in counter if mark != "all"
            )
            print(f"{group:10} {name:16} {marks}")


def judge(row: dict[str, Any], reply: tuple[str, dict] | str) -> dict[str, bool]:
    if not row["expect"]:
        refused = isinstance(reply, str) and reply.startswith("refuse")
        return {"right": refused, "harmful": not refused and reply[0] in HARMFUL}
    if isinstance(reply, str):
        return {"tool": False, "right": False, "harmful": False}
    right = any(same_call(reply, wanted) for wanted in row["expect"])
    return {
        "tool": any(reply[0] == wanted["tool"] for wanted in row["expect"]), "right": right,
        "harmful": not right and reply[0] in HARMFUL
    }


def report(evaluation: Evaluation, limit: int | None) -> dict[str, Any]:
    rows = [json.loads(line) for line in (EVAL / "requests.jsonl").read_text(encoding="utf-8").splitlines()][:limit]
    items = evaluation.items(rows)
    tally, misses, harmful = Tally(), [], 0
    for item, reply in zip(items, evaluation.first_replies(items)):
        row, marks = item.row, judge(item.row, reply)
        harmful += marks.pop("harmful")
        group = "call" if row["expect"] else "no tool"
        tally.add("0 all", group, **marks)
        tally.add("1 tool", row["expect"][0]["tool"] if row["expect"] else "-", **marks)
        tally.add("2 kind", kind_of(row, item.sources), **marks)
        tally.add("3 voice", row["voice"], right=marks["right"])
        tally.add("4 labels", "task", right=item.labels["task"] in row["tasks"])
        tally.add("4 labels", "category", right=item.labels["category"] in row["categories"])
        tally.add("4 labels", "complexity", right=item.labels["complexity"] == row["complexity"])
        if "reasons" in row and isinstance(reply, str):
            tally.add("5 reason", "reason", right=reply.partition(":")[2] in row["reasons"])
        if not marks["right"]:
            misses.append((row, item.labels, reply))
    for row, labels, reply in misses:
        wanted = row["expect"][0] if row["expect"] else f"refuse {row['reasons']}"
        print(
            f"MISS {row['id']} [{row['folder']}] {row['request']!r}\n   wanted {wanted}\n   got    {reply}  (category {labels['category']})"
        )
    for item in items:
        if item.labels["task"] not in item.row["tasks"] or item.labels["category"] not in item.row["categories"]:
            print(
                f"LABEL {item.row['id']} {item.row['request']!r} got {item.labels['task']}/{item.labels['category']}"
                f" wanted {item.row['tasks']}/{item.row['categories']}"
            )
    done = steps(evaluation, limit)
    tally.print()
    print(f"harmful calls {harmful}/{len(rows)} ({harmful / len(rows):.1%});  three-step tasks {done[0]}/{done[1]}")
    counts = {f"{group[2:]}/{name}": dict(counter) for (group, name), counter in tally.counts.items()}
    return {"counts": counts, "harmful": harmful, "requests": len(rows), "three_step": done}


def steps(evaluation: Evaluation, limit: int | None) -> tuple[int, int]:
    rows = [json.loads(line) for line in (EVAL / "three-step.jsonl").read_text(encoding="utf-8").splitlines()][:limit]
    right = 0
    for item in evaluation.items(rows):
        ok, trail = evaluation.run_steps(item)
        right += ok
        if not ok:
            print(f"STEPS {item.row['id']} [{item.row['folder']}] {item.row['request']!r}\n   got {trail}")
    return right, len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path, default=Path("nano/.work/checkpoint.pt"))
    parser.add_argument("--gguf", type=Path, help="evaluate the exported file instead of the checkpoint")
    parser.add_argument("--plain", action="store_true", help="numpy instead of PyTorch; needs --gguf")
    parser.add_argument("--tokenizer", type=Path, default=Path("nano/tokenizer.json"))
    parser.add_argument(
        "--gold-category", action="store_true", help="offer tools by the labelled category, not the predicted one",
    )
    parser.add_argument("--limit", type=int, help="only the first so many")
    parser.add_argument("--out", type=Path, help="also write the counts as JSON")
    arguments = parser.parse_args()
    started = time.time()
    if arguments.plain:
        from .plain_model import PlainRunner

        runner: Runner = PlainRunner(arguments.gguf)
    else:
        from .model import TorchRunner

        runner = TorchRunner(arguments.gguf or arguments.checkpoint)
    result = report(Evaluation(runner, Tokenizer.load(arguments.tokenizer), arguments.gold_category), arguments.limit)
    print(f"evaluated in {time.time() - started:.0f} s")
    if arguments.out:
        arguments.out.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
