"""Documents into rows of tokens, ready for the GPU: inputs, targets, loss weights and which document each token belongs to.

A row holds whole documents only. Rows are filled from a few open ones at once (best fit), which leaves about one token in a
hundred empty. Weights are stored in tenths in one byte.
"""

from __future__ import annotations

from array import array
from random import Random
from typing import NamedTuple

from ..format import label_token
from ..tokenizer import Tokenizer
from .documents import Document, DocumentMaker

OWN, OTHER, LABEL = 10, 1, 20
_OPEN_ROWS = 24


class Encoded(NamedTuple):
    tokens: list[int]
    targets: list[int]
    weights: list[int]


class Row:
    def __init__(self) -> None:
        self.tokens = array("H")
        self.targets = array("H")
        self.weights = array("B")
        self.documents = array("H")
        self.count = 0

    def add(self, encoded: Encoded) -> None:
        self.count += 1
        self.tokens.extend(encoded.tokens)
        self.targets.extend(encoded.targets)
        self.weights.extend(encoded.weights)
        self.documents.extend([self.count] * len(encoded.tokens))

    def to_bytes(self, length: int) -> bytes:
        """The four arrays one after the other. Padding belongs to document 0 and weighs nothing."""
        missing = length - len(self.tokens)
        for column in (self.tokens, self.targets, self.weights, self.documents):
            column.extend([0] * missing)
        return b"".join(column.tobytes() for column in (self.tokens, self.targets, self.weights, self.documents))


ROW_BYTES_PER_TOKEN = 7


def encode(document: Document, tokenizer: Tokenizer, random: Random) -> Encoded:
    tokens: list[int] = []
    own: list[bool] = []
    broken = random.random() < 0.12
    for part, is_own in document.stretches:
        if part.special:
            ids = tokenizer.encode_special(part.text)
        elif broken and not is_own:
            ids = tokenizer.encode_broken(part.text, random, 0.2)
        else:
            ids = tokenizer.encode(part.text)
        tokens += ids
        own += [is_own] * len(ids)
    targets = [*tokens[1:], 0]
    weights = [OWN if is_own else OTHER for is_own in own[1:]] + [0]
    if document.labels:
        first = len(tokens) - len(document.labels)
        for at, (field, label) in enumerate(document.labels.items()):
            targets[first + at] = tokenizer.ids[label_token(field, label)]
            weights[first + at] = LABEL
    return Encoded(tokens, targets, weights)


def rows(seed: str, tokenizer: Tokenizer, length: int):
    """An endless stream of packed rows; the same seed gives the same rows."""
    random = Random(seed)
    maker = DocumentMaker(random)
    open_rows = [Row() for _ in range(_OPEN_ROWS)]
    while True:
        for document in maker.make():
            encoded = encode(document, tokenizer, random)
            size = len(encoded.tokens)
            if size > length:
                continue
            fitting = [row for row in open_rows if len(row.tokens) + size <= length]
            if not fitting:
                fullest = max(open_rows, key=lambda row: len(row.tokens))
                yield fullest.to_bytes(length)
                open_rows[open_rows.index(fullest)] = row = Row()
                row.add(encoded)
            else:
                max(fitting, key=lambda row: len(row.tokens)).add(encoded)
