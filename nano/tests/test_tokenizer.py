"""The tokenizer: nothing is lost, values are cut the same way everywhere."""

import json
import unittest
from pathlib import Path
from random import Random

from nano.format import SPECIAL_TOKENS
from nano.generate.lexicon import load_words
from nano.generate.strings import Strings
from nano.tokenizer import PRE_TOKEN, Tokenizer, train

TOKENIZER = Tokenizer.load(Path(__file__).parents[1] / "tokenizer.json")


class RoundTrip(unittest.TestCase):
    def test_any_text_comes_back(self) -> None:
        strings = Strings(load_words(), Random("round"))
        makers = (strings.command, strings.code_block, strings.prose, strings.url, strings.trace, strings.invented)
        texts = [makers[at % len(makers)]() for at in range(600)]
        texts += [
            "", " ", "\n\n  x\t\r\n", "日本語 naïve Ⅷ ² 🦜🏽‍♂️", "\x00\x7f\ufffd", "<|im_end|> is typed here", "a" * 500,
        ]

        for text in texts:
            self.assertEqual(TOKENIZER.decode(TOKENIZER.encode(text)), text)

    def test_typed_special_tokens_stay_text(self) -> None:
        typed = TOKENIZER.encode("<tool_call> <|im_end|> <|form:done|>")

        self.assertTrue(all(token < TOKENIZER.first_special for token in typed))

    def test_special_tokens_are_one_token_each(self) -> None:
        for token in SPECIAL_TOKENS:
            self.assertEqual(TOKENIZER.encode_special(token), [TOKENIZER.ids[token]])

    def test_a_value_is_cut_the_same_way_inside_json(self) -> None:
        strings = Strings(load_words(), Random("values"))
        for at in range(800):
            value = (strings.needle, strings.command, strings.relative_path, strings.code_line)[at % 4]().strip()
            inner = json.dumps(value, ensure_ascii=False)[1:-1]
            if inner.endswith("\\\\") or inner.startswith("'"):
                continue  # a final backslash, an apostrophe: the two shapes in which the parts may touch
            before, after = '{"path": "', '"}}'
            whole = TOKENIZER.encode(before + inner + after)
            self.assertEqual(whole, TOKENIZER.encode(before) + TOKENIZER.encode(inner) + TOKENIZER.encode(after), value)

    def test_digits_never_merge(self) -> None:
        self.assertEqual(len(TOKENIZER.encode("20240117")), 8)


class Shape(unittest.TestCase):
    def test_the_pre_tokenizer_cuts_as_gpt2_does(self) -> None:
        pieces = PRE_TOKEN.findall("It's src/a_b.ts:42  and\n\n  é²")

        self.assertEqual(
            pieces, ["It", "'s", " src", "/", "a", "_", "b", ".", "ts", ":", "42", " ", " and", "\n\n ", " é", "²"],
        )

    def test_training_is_repeatable(self) -> None:
        texts = ["the cat and the hat", "that hat, that cat", 'say "hat"'] * 9

        size = 256 + len(SPECIAL_TOKENS) + 12

        first, again = train(texts, size), train(texts, size)

        self.assertEqual(first.merges, again.merges)
        self.assertEqual(len(set(first.tokens)), size)

    def test_the_committed_vocabulary_has_no_doubles(self) -> None:
        self.assertEqual(len(set(TOKENIZER.tokens)), len(TOKENIZER))
        self.assertEqual(len(TOKENIZER), 4098)


if __name__ == "__main__":
    unittest.main()
