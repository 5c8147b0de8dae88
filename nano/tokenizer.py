"""Byte-level BPE with GPT-2's pre-tokenizer, trained from scratch; what llama.cpp calls model `gpt2`, pre `gpt-2`.

Two rules keep copying easy. Digits never merge, so a number is a row of digits wherever it stands. The double quote merges only
in a few pairs that JSON is made of, so the value of an argument is cut into tokens the same way with or without its quotes.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from pathlib import Path
from random import Random

from .format import SPECIAL_TOKENS, Part


def _number_signs() -> str:
    """Number characters beyond decimal digits (`²`, `Ⅷ`): \\p{N} for GPT-2, letters for Python's \\w."""
    signs = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in ("Nl", "No")]
    return "".join(map(re.escape, signs))


_N = _number_signs()
PRE_TOKEN = re.compile(rf"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_{_N}]+| ?[\d{_N}]+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")

# Merged first and in this order: ` "` before `":`, so that a value may begin with any sign.
_JSON_MERGES = (" ", '"'), ("\\", '"'), ('"', ":"), ('"', ","), ('"', "}"), ('"}', "}")


def _byte_letters() -> dict[int, str]:
    """GPT-2's printable stand-in for each byte."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    letters = {byte: chr(byte) for byte in plain}
    for byte in range(256):
        letters.setdefault(byte, chr(256 + len(letters) - len(plain)))
    return letters


BYTE_LETTERS = _byte_letters()
LETTER_BYTES = {letter: byte for byte, letter in BYTE_LETTERS.items()}
_DIGITS = frozenset("0123456789")


def to_letters(text: str) -> str:
    return "".join(BYTE_LETTERS[byte] for byte in text.encode("utf-8"))


class Tokenizer:
    """Ids: 256 bytes in GPT-2's order of letters, then one per merge, then the special tokens."""

    def __init__(self, merges: list[tuple[str, str]]) -> None:
        self.merges = merges
        self.tokens = [*sorted(LETTER_BYTES), *(left + right for left, right in merges), *SPECIAL_TOKENS]
        self.ids = {token: at for at, token in enumerate(self.tokens)}
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.first_special = len(self.tokens) - len(SPECIAL_TOKENS)
        self._cache: dict[str, list[int]] = {}
        self._special = re.compile("|".join(map(re.escape, sorted(SPECIAL_TOKENS, key=len, reverse=True))))

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, text: str) -> list[int]:
        """Plain text: special tokens in it are letters like any others."""
        cache = self._cache
        out: list[int] = []
        for word in PRE_TOKEN.findall(text):
            ids = cache.get(word)
            if ids is None:
                ids = self._encode_word(word)
                if len(cache) < 400_000:
                    cache[word] = ids
            out += ids
        return out

    def encode_special(self, text: str) -> list[int]:
        ids = self._cache.get(text)  # the few texts around messages recur endlessly
        if ids is not None:
            return ids
        out: list[int] = []
        at = 0
        for match in self._special.finditer(text):
            out += self.encode(text[at : match.start()])
            out.append(self.ids[match.group()])
            at = match.end()
        out += self.encode(text[at:])
        if len(text) < 200:
            self._cache[text] = out
        return out

    def encode_parts(self, parts: Iterable[Part]) -> list[int]:
        out: list[int] = []
        for part in parts:
            out += self.encode_special(part.text) if part.special else self.encode(part.text)
        return out

    def encode_broken(self, text: str, random: Random, rate: float) -> list[int]:
        """With some merges left out (BPE dropout): the model learns that a word may be cut anywhere, as typos do."""
        out: list[int] = []
        for word in PRE_TOKEN.findall(text):
            if len(word) > 3 and random.random() < rate:
                pieces = self._merge(list(to_letters(word)), random)
                out += [self.ids[piece] for piece in pieces]
            else:
                out += self.encode(word)
        return out

    def decode(self, ids: Iterable[int]) -> str:
        return b"".join(self.token_bytes(token) for token in ids).decode("utf-8", errors="replace")

    def token_bytes(self, token: int) -> bytes:
        text = self.tokens[token]
        if token >= self.first_special:
            return text.encode("utf-8")
        return bytes(LETTER_BYTES[letter] for letter in text)

    def _encode_word(self, word: str) -> list[int]:
        return [self.ids[piece] for piece in self._merge(list(to_letters(word)))]

    def _merge(self, pieces: list[str], random: Random | None = None) -> list[str]:
        ranks = self.ranks
        while len(pieces) > 1:
            best, at = None, 0
            for i in range(len(pieces) - 1):
                rank = ranks.get((pieces[i], pieces[i + 1]))
                if rank is not None and (best is None or rank < best) and not (random and random.random() < 0.15):
                    best, at = rank, i
            if best is None:
                break
            pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
        return pieces

    def save(self, file: Path) -> None:
        file.write_text(json.dumps({"merges": self.merges}, ensure_ascii=False), encoding="utf-8")

    @staticmethod
    def load(file: Path) -> "Tokenizer":
        merges = json.loads(file.read_text(encoding="utf-8"))["merges"]
        return Tokenizer([(left, right) for left, right in merges])


def train(texts: Iterable[str], size: int) -> Tokenizer:
    """Merges the most frequent pair again and again; equal counts are ordered by the pair, so that a run repeats exactly."""
    counts = Counter(word for text in texts for word in PRE_TOKEN.findall(text))
    words = [list(to_letters(word)) for word in counts]
    weights = list(counts.values())
    merges = [(to_letters(left), to_letters(right)) for left, right in _JSON_MERGES]
    for pair in merges:
        words = [_merged(word, pair) for word in words]
    pairs: Counter[tuple[str, str]] = Counter()
    places: dict[tuple[str, str], set[int]] = defaultdict(set)
    for at, word in enumerate(words):
        for pair in zip(word, word[1:]):
            pairs[pair] += weights[at]
            places[pair].add(at)
    heap = [(-count, pair) for pair, count in pairs.items() if _may_merge(pair)]
    heapify(heap)
    wanted = size - 256 - len(SPECIAL_TOKENS)
    while len(merges) < wanted:
        best = _most_frequent(heap, pairs)
        merges.append(best)
        touched: set[tuple[str, str]] = set()
        for at in sorted(places.pop(best)):
            touched |= _replace(words, at, best, (pairs, places, weights[at]))
        for pair in touched:
            if _may_merge(pair) and pairs[pair] > 0:
                heappush(heap, (-pairs[pair], pair))
    return Tokenizer(merges)


def _most_frequent(heap: list[tuple[int, tuple[str, str]]], pairs: Counter[tuple[str, str]]) -> tuple[str, str]:
    """Entries of the heap may be out of date: a pair whose count has changed since was pushed again with the new one."""
    while heap:
        count, pair = heappop(heap)
        if pairs[pair] == -count and count < -1:
            return pair
    raise ValueError("too few different pairs for this size; train on more text")


def _may_merge(pair: tuple[str, str]) -> bool:
    product = pair[0] + pair[1]
    return '"' not in product and not _DIGITS & set(product)


def _replace(words: list[list[str]], at: int, pair: tuple[str, str], state: tuple) -> set[tuple[str, str]]:
    pairs, places, weight = state
    old = words[at]
    new = _merged(old, pair)
    if len(new) == len(old):
        return set()
    for found in zip(old, old[1:]):
        pairs[found] -= weight
    for found in zip(new, new[1:]):
        pairs[found] += weight
        places[found].add(at)
    words[at] = new
    return {*zip(old, old[1:]), *zip(new, new[1:])}


def _merged(word: list[str], pair: tuple[str, str]) -> list[str]:
    out: list[str] = []
    at = 0
    while at < len(word):
        if at + 1 < len(word) and word[at] == pair[0] and word[at + 1] == pair[1]:
            out.append(pair[0] + pair[1])
            at += 2
        else:
            out.append(word[at])
            at += 1
    return out
