"""`python3 -m nano.hands.score --gguf FILE`: first calls and refusals on the hand that was left out of training, by the model alone.

The figures that count are those of `npm run nano:hands`, through the program. This one is for a machine with a GPU, to choose by.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import Any

from ..clauses import clauses_of
from ..decode import Situation
from ..evaluate import Evaluation, prompt
from ..generate.handwritten import labels_of
from ..generate.worlds import TEST_HANDS, VALIDATION_HANDS, load_hand
from ..lines import LineIndex
from ..sources import PathIndex, first_sources, project_scripts
from ..spoken import typed
from ..tokenizer import Tokenizer
from ..tools import OFFERS, TOOLS
from .calls import to_call
from .folder import Folder

Reply = tuple[str, dict[str, Any]] | str


def score(evaluation: Evaluation, hand: str, show: bool, every: int) -> Counter[str]:
    files, rows = load_hand(hand)
    rows = rows[::every]
    index, lines, scripts = PathIndex(files), LineIndex(files), project_scripts(files)
    labels = evaluation.classify([row["request"] for row in rows])
    situations = []
    for row, label in zip(rows, labels):
        text = typed(row["request"])
        tools = tuple(TOOLS[name] for name in OFFERS[label["category"]])
        situations.append(Situation(text, first_sources(clauses_of(text), text, index, scripts, lines), tools))
    replies = evaluation.reply([prompt(situation) for situation in situations], situations)
    counts: Counter[str] = Counter()
    for row, label, situation, reply in zip(rows, labels, situations, replies):
        kind = "refused" if row["kind"] == "no" else "first"
        right = is_right(row, situation, Folder(files), reply)
        wanted = labels_of(row)
        counts += Counter({f"{kind} all": 1, f"{kind} right": right, "task right": label["task"] == wanted["task"]})
        counts += Counter({"all": 1, "category right": label["category"] in (wanted["category"], row["category"])})
        for group in (row["kind"], row.get("why", row["effect"][0]["do"] if row["effect"] else "")):
            counts += Counter({f"  {group} all": 1, f"  {group} right": right})
        if show and not right:
            print(f"MISS {row['id']} {row['request']!r}\n   wanted {row['effect'][:1] or row.get('why')}\n   got    {reply}")
    return counts


def is_right(row: dict[str, Any], situation: Situation, folder: Folder, reply: Reply) -> bool:
    if row["kind"] == "no":
        refused = isinstance(reply, str)
        return refused or any(_same(steps[0], situation, folder, reply) for steps in row["also"] if steps)
    options = [row["effect"], *row["also"]]
    return not isinstance(reply, str) and any(_same(steps[0], situation, folder, reply) for steps in options if steps)


def _same(step: dict[str, Any], situation: Situation, folder: Folder, reply: tuple[str, dict[str, Any]]) -> bool:
    written = to_call(step, situation, folder)
    return written is not None and _plain(written.own) == _plain(reply)


def _plain(call: tuple[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    name, arguments = call
    return name, {key: value.rstrip("/") if isinstance(value, str) else value for key, value in arguments.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, default=Path("nano/tokenizer.json"))
    parser.add_argument("--hand", action="append", help="instead of those left out of training")
    parser.add_argument("--every", type=int, default=1, help="only each n-th request")
    parser.add_argument("--misses", type=int, default=0, help="how many to show, drawn at random")
    arguments = parser.parse_args()
    hands = arguments.hand or sorted(VALIDATION_HANDS)
    if set(hands) & TEST_HANDS:
        raise SystemExit("test hands are scored once, by npm run nano:hands -- --test")
    from ..model import TorchRunner

    started = time.time()
    evaluation = Evaluation(TorchRunner(arguments.gguf), Tokenizer.load(arguments.tokenizer), False)
    for hand in hands:
        counts = score(evaluation, hand, arguments.misses > 0, arguments.every)
        for name in sorted({key.rsplit(" ", 1)[0] for key in counts if key.endswith(" right")}):
            total = counts.get(f"{name} all", counts["all"])
            print(f"{hand:10} {name:14} {counts[f'{name} right']}/{total} ({counts[f'{name} right'] / total:.1%})")
    print(f"scored in {time.time() - started:.0f} s")


if __name__ == "__main__":
    main()
