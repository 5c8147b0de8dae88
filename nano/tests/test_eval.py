"""The held-out set: well formed, varied enough, and every expected answer within reach of the decoder and the sandbox."""

import json
import unittest
from collections import Counter
from pathlib import Path
from typing import Any

from nano.contract import contract, vectors
from nano.decode import Machine, Situation
from nano.compare import kind_of, same_call
from nano.format import COMPLEXITIES, END, FORMS, REASONS, TASKS, Sources, call_text
from nano.sandbox import Sandbox
from nano.sources import PathIndex, find_sources, project_scripts
from nano.tokenizer import Tokenizer
from nano.tools import CATEGORIES, OFFERS, TOOLS

ROOT = Path(__file__).parents[1]
TOKENIZER = Tokenizer.load(ROOT / "tokenizer.json")
ROWS = [json.loads(line) for line in (ROOT / "eval/requests.jsonl").read_text(encoding="utf-8").splitlines()]
STEPS = [json.loads(line) for line in (ROOT / "eval/three-step.jsonl").read_text(encoding="utf-8").splitlines()]
FOLDERS = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in (ROOT / "eval/folders").glob("*.json")}


def sources_of(row: dict[str, Any]) -> Sources:
    files = FOLDERS[row["folder"]]
    return find_sources(row["request"], PathIndex(files), project_scripts(files))


def spellings(call: dict[str, Any]) -> list[dict[str, Any]]:
    """A folder may be listed with a slash at its end."""
    path = call["arguments"].get("path")
    slashed = [{**call, "arguments": {**call["arguments"], "path": f"{path}/"}}] if path else []
    return [call, *slashed]


def reachable(row: dict[str, Any], call: dict[str, Any], tools: tuple) -> bool:
    if any(isinstance(value, dict) for value in call["arguments"].values()):
        return all(
            word.lower() in row["request"].lower() for value in call[
                "arguments"
            ].values() if isinstance(value, dict) for word in value["has"]
        )
    return any(_walk(Situation(row["request"], sources_of(row), tools), spelling) for spelling in spellings(call))


def _walk(situation: Situation, call: dict[str, Any]) -> bool:
    machine = Machine(situation, TOKENIZER)
    for token in TOKENIZER.encode_special(call_text(call["tool"], call["arguments"]) + END):
        if token not in machine.allowed():
            return False
        machine.advance(token)
    return machine.done


class Set(unittest.TestCase):
    def test_it_is_as_large_and_varied_as_promised(self) -> None:
        kinds = Counter(kind_of(row, sources_of(row)) for row in ROWS)

        self.assertGreaterEqual(len(ROWS), 420)
        self.assertGreaterEqual(len(STEPS), 50)
        self.assertGreaterEqual(len({row["voice"] for row in ROWS}), 5)
        self.assertGreaterEqual(kinds["no tool"] / len(ROWS), 0.25)
        self.assertGreaterEqual((kinds["path"] + kinds["script"] + kinds["glob"]) / len(ROWS), 0.27)
        self.assertEqual(len({row["id"] for row in (*ROWS, *STEPS)}), len(ROWS) + len(STEPS))
        self.assertEqual(len({row["request"] for row in (*ROWS, *STEPS)}), len(ROWS) + len(STEPS))

    def test_every_row_has_known_labels(self) -> None:
        for row in ROWS:
            self.assertLessEqual(set(row["tasks"]), set(TASKS), row["id"])
            self.assertLessEqual(set(row["categories"]), set(CATEGORIES), row["id"])
            self.assertIn(row["complexity"], COMPLEXITIES, row["id"])
            self.assertIn(row["folder"], FOLDERS, row["id"])
            self.assertEqual(bool(row["expect"]), "reasons" not in row, row["id"])
            self.assertLessEqual(set(row.get("reasons", ())), set(REASONS), row["id"])

    def test_every_call_fits_its_tool(self) -> None:
        calls = [call for row in ROWS for call in row["expect"]]
        calls += [call for row in STEPS for options in row["calls"] for call in options]
        for call in calls:
            parameters = {parameter.name: parameter for parameter in TOOLS[call["tool"]].parameters}
            self.assertLessEqual(set(call["arguments"]), set(parameters), call)
            required = {name for name, parameter in parameters.items() if parameter.required}
            self.assertLessEqual(required, set(call["arguments"]), call)
            for name, value in call["arguments"].items():
                if parameters[name].choices:
                    self.assertIn(value, parameters[name].choices, call)

    def test_every_expected_call_can_be_decoded(self) -> None:
        for row in ROWS:
            if not row["expect"]:
                continue
            offers = [tuple(TOOLS[name] for name in OFFERS[category]) for category in row["categories"]]
            found = any(reachable(row, call, tools) for call in row["expect"] for tools in offers)
            self.assertTrue(found, (row["id"], row["request"], row["expect"]))


class ThreeSteps(unittest.TestCase):
    def test_the_expected_calls_do_the_task(self) -> None:
        for row in STEPS:
            self.assertLessEqual(set(row["forms"]), set(FORMS), row["id"])
            with Sandbox(row["folder"]) as sandbox:
                for options in row["calls"]:
                    ok, text = sandbox.run(options[0]["tool"], options[0]["arguments"])
                    self.assertTrue(ok, (row["id"], options[0], text))
                for check in row["checks"]:
                    self.assertTrue(sandbox.holds(check), (row["id"], check))

    def test_every_step_can_be_decoded(self) -> None:
        tools = tuple(TOOLS[name] for name in OFFERS["write"]) + (TOOLS["data_view"],)
        for row in STEPS:
            for options in row["calls"]:
                self.assertTrue(
                    any(reachable(row, call, tools) for call in options), (row["id"], row["request"], options)
                )


class Compare(unittest.TestCase):
    def test_spellings_of_the_same_call_are_equal(self) -> None:
        same = [
            (("list_files", {"path": "./src/"}), {"tool": "list_files", "arguments": {"path": "src"}}),
            (("find_files", {"pattern": "*.md"}), {"tool": "find_files", "arguments": {"pattern": "**/*.md"}}),
            (("search_text", {"pattern": "x", "path": "."}), {"tool": "search_text", "arguments": {"pattern": "x"}}),
            (
                ("recall", {"query": "the Deadline thing"}),
                {"tool": "recall", "arguments": {"query": {"has": ["deadline"]}}},
            ),
        ]

        for call, wanted in same:
            self.assertTrue(same_call(call, wanted), call)
        self.assertFalse(
            same_call(("read_file", {"path": "a", "from": 2}), {"tool": "read_file", "arguments": {"path": "a"}})
        )


class Contract(unittest.TestCase):
    def test_the_committed_contract_is_current(self) -> None:
        for name, value in (("contract.json", contract()), ("vectors.json", vectors())):
            stored = json.loads((ROOT / name).read_text(encoding="utf-8"))
            self.assertEqual(stored, json.loads(json.dumps(value)), f"run python3 -m nano.contract: {name}")


if __name__ == "__main__":
    unittest.main()
