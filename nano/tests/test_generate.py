"""The generator: repeatable, and never an example the program could not follow."""

import json
import re
import unittest
from itertools import islice
from pathlib import Path
from random import Random

from nano.decode import Machine, Situation
from nano.format import CALL, CALL_END, END, call_text
from nano.generate.documents import Document, DocumentMaker
from nano.generate.intents import POSITIVE
from nano.generate.pack import rows
from nano.generate.project import Project, refer
from nano.generate.requests import RequestMaker, allowed
from nano.tokenizer import Tokenizer
from nano.tools import TOOLS

ROOT = Path(__file__).parents[1]
TOKENIZER = Tokenizer.load(ROOT / "tokenizer.json")


def text_of(document: Document) -> str:
    return "".join(stretch.part.text for stretch in document.stretches)


def documents(seed: str, count: int) -> list[Document]:
    maker = DocumentMaker(Random(seed))
    return [document for _ in range(count) for document in maker.make()]


class Generate(unittest.TestCase):
    def test_the_same_seed_gives_the_same_documents(self) -> None:
        self.assertEqual(documents("a", 200), documents("a", 200))
        self.assertNotEqual(documents("a", 50), documents("b", 50))

    def test_every_call_is_valid_json_with_a_tool_from_its_list(self) -> None:
        for document in documents("json", 1500):
            text = text_of(document)
            for body in text.split(CALL)[1:]:
                call = json.loads(body.split(CALL_END)[0])
                name = call["arguments"]["name"] if call["name"] == "call_tool" else call["name"]
                self.assertIn(f"{name}(", text.split(CALL)[0] + text, text)

    def test_a_list_shows_at_most_eighteen_tools(self) -> None:
        for document in documents("eight", 1000):
            if not document.labels:
                system = document.stretches[1].part.text
                self.assertLessEqual(len(system.splitlines()), 18, system)

    def test_every_argument_is_a_span_or_a_listed_source(self) -> None:
        maker = RequestMaker(Random("spans"))
        for _ in range(1500):
            request = maker.positive()
            assert request.call
            self.assertTrue(allowed(request.text, request.call, request.sources), request.text)

    def test_what_training_teaches_is_what_decoding_allows(self) -> None:
        maker = RequestMaker(Random("machine"))
        for _ in range(300):
            request = maker.positive()
            assert request.call
            tool = TOOLS[request.call[0]]
            machine = Machine(Situation(request.text, request.sources, (tool, TOOLS["read_file"])), TOKENIZER)
            for token in TOKENIZER.encode_special(call_text(*request.call) + END):
                self.assertIn(token, machine.allowed(), (request.text, request.call, machine.text()))
                machine.advance(token)
            self.assertTrue(machine.done)

    def test_a_document_named_by_its_subject_is_listed(self) -> None:
        maker = RequestMaker(Random("subject"))
        for _ in range(200):
            request = maker.make(maker.topic)
            assert request.call
            self.assertIn(request.call[1]["path"], request.sources.paths, request.text)

    def test_testing_and_renaming_are_labelled_as_such(self) -> None:
        maker = RequestMaker(Random("labels"))
        intents = {intent.name: intent for intent in POSITIVE}
        commands = [maker.make(intents["command"]) for _ in range(1500)]
        edits = [maker.make(intents["edit"]) for _ in range(1500)]

        tests = [made for made in commands if made.call and made.call[1]["command"].startswith("pytest")]
        renames = [made for made in edits if made.call and re.search(r"\brename ", made.text) and made.call[1]["old"].isidentifier()]

        self.assertEqual({made.labels()["task"] for made in tests}, {"unit_test"})
        self.assertEqual({made.labels()["task"] for made in renames}, {"refactor"})

    def test_a_short_name_means_the_path_that_is_listed_first(self) -> None:
        maker = RequestMaker(Random("rivals"))
        for _ in range(400):
            project = Project(maker.strings)
            for path in project.files[:5]:
                text, value, listed = refer(path, project, maker.strings)
                if listed and text == path.rsplit("/", 1)[-1]:
                    self.assertEqual(project.index.match(text)[0], value, (text, project.files))

    def test_a_new_file_is_new(self) -> None:
        maker = RequestMaker(Random("new"))
        intents = {intent.name: intent for intent in POSITIVE}
        for _ in range(600):
            made = maker.make(intents["quick_write"])
            assert made.call
            self.assertNotIn(made.call[1]["path"], made.project.files, made.text)

    def test_more_than_a_third_of_the_conversations_is_refused(self) -> None:
        # Of the first hands half want nothing done, of the last ones a quarter.
        talks = [text_of(document) for document in documents("share", 3000) if not document.labels]
        refused = sum("<|form:refuse|>" in talk for talk in talks) / len(talks)
        self.assertTrue(0.34 < refused < 0.5, refused)

    def test_no_held_out_request_is_generated_word_for_word(self) -> None:
        held_out = {
            json.loads(line)["request"].lower()
            for name in ("requests", "three-step")
            for line in (ROOT / "eval" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        }
        long = {request for request in held_out if len(request.split()) >= 5}
        maker = RequestMaker(Random("overlap"))
        made = {(maker.positive() if at % 4 else maker.negative()).text.lower() for at in range(8000)}
        self.assertEqual(long & made, set())


class Pack(unittest.TestCase):
    def test_rows_are_repeatable_and_hold_whole_documents(self) -> None:
        first = list(islice(rows("pack", TOKENIZER, 1024), 3))
        again = list(islice(rows("pack", TOKENIZER, 1024), 3))

        self.assertEqual(first, again)
        for row in first:
            tokens, targets = (memoryview(row[at * 1024 : (at + 2) * 1024]).cast("H") for at in (0, 2))
            weights, numbers = row[4 * 1024 : 5 * 1024], memoryview(row[5 * 1024 :]).cast("H")
            self.assertEqual(len(row), 7 * 1024)
            for at in range(1023):
                if numbers[at] and numbers[at] == numbers[at + 1] and weights[at] != 20:
                    self.assertEqual(targets[at], tokens[at + 1])
                if not numbers[at]:
                    self.assertEqual(weights[at], 0)


if __name__ == "__main__":
    unittest.main()
