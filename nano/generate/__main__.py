"""`python3 -m nano.generate`: look at examples, train the tokenizer, or measure how fast rows are made."""

from __future__ import annotations

import argparse
import json
import time
from itertools import islice
from pathlib import Path
from random import Random

from ..tokenizer import Tokenizer, train
from .documents import Document, DocumentMaker
from .pack import rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    sample = commands.add_parser("sample", help="print documents as JSON lines")
    sample.add_argument("--count", type=int, default=20)
    sample.add_argument("--seed", default="sample")
    tokenizer = commands.add_parser("tokenizer", help="train the tokenizer on generated text")
    tokenizer.add_argument("--documents", type=int, default=30_000)
    tokenizer.add_argument("--size", type=int, default=4096)
    tokenizer.add_argument("--out", type=Path, default=Path("nano/tokenizer.json"))
    speed = commands.add_parser("speed", help="rows per second of one process")
    speed.add_argument("--tokenizer", type=Path, default=Path("nano/tokenizer.json"))
    speed.add_argument("--rows", type=int, default=200)
    arguments = parser.parse_args()
    {"sample": print_samples, "tokenizer": train_tokenizer, "speed": measure_speed}[arguments.command](arguments)


def print_samples(arguments: argparse.Namespace) -> None:
    maker = DocumentMaker(Random(arguments.seed))
    documents = (document for _ in range(arguments.count) for document in maker.make())
    for document in islice(documents, arguments.count):
        print(json.dumps({"text": text_of(document), "labels": document.labels}, ensure_ascii=False))


def train_tokenizer(arguments: argparse.Namespace) -> None:
    maker = DocumentMaker(Random("tokenizer"))
    started = time.time()
    texts = (
        stretch.part.text
        for _ in range(arguments.documents)
        for document in maker.make()
        for stretch in document.stretches
        if not stretch.part.special
    )
    tokenizer = train(texts, arguments.size)
    tokenizer.save(arguments.out)
    print(f"{len(tokenizer)} tokens in {time.time() - started:.0f} s -> {arguments.out}")


def measure_speed(arguments: argparse.Namespace) -> None:
    tokenizer = Tokenizer.load(arguments.tokenizer)
    stream = rows("speed", tokenizer, 2048)
    next(stream)
    started = time.time()
    filled = documents = 0
    for row in islice(stream, arguments.rows):
        numbers = memoryview(row[2048 * 5 :]).cast("H")
        documents += max(numbers)
        filled += sum(1 for number in numbers if number)
    seconds = time.time() - started
    print(
        f"{filled / seconds:,.0f} tokens/s, {documents / seconds:,.0f} documents/s, "
        f"{filled / documents:.0f} tokens each, {filled / (arguments.rows * 2048):.1%} filled"
    )


def text_of(document: Document) -> str:
    return "".join(stretch.part.text for stretch in document.stretches)


if __name__ == "__main__":
    main()
