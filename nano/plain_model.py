"""The model in numpy, from a GGUF file: slow, exact, no PyTorch. It says what the weights mean.

RoPE turns neighbouring values (0, 1), (2, 3) …, as llama.cpp's `llama` architecture does. Weights trained this way need no
permutation on export; weights trained with the other convention (first half with second half) would.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy

from .gguf import BLOCK, BLOCK_BYTES, F32, read_header, read_tensor
from .shape import Shape


class PlainModel:
    def __init__(self, file: Path) -> None:
        header = read_header(file)
        self.shape = to_shape(header.metadata)
        self.weights = {info.name: _values(read_tensor(file, info), info.kind, info.shape) for info in header.tensors}

    def empty_cache(self) -> list[tuple[Any, Any]]:
        size = (0, self.shape.kv_heads, self.shape.head_size)
        return [(numpy.zeros(size, numpy.float32), numpy.zeros(size, numpy.float32)) for _ in range(self.shape.layers)]

    def forward(self, tokens: list[int], cache: list[tuple[Any, Any]]) -> Any:
        """Logits after each token; `cache` grows by them."""
        w, shape = self.weights, self.shape
        past = len(cache[0][0])
        turn = _angles(past, len(tokens), shape)
        x = w["token_embd.weight"][tokens]
        for layer in range(shape.layers):
            name = f"blk.{layer}."
            x = x + self._attend(_norm(x, w[f"{name}attn_norm.weight"], shape), layer, turn, cache)
            h = _norm(x, w[f"{name}ffn_norm.weight"], shape)
            gate = h @ w[f"{name}ffn_gate.weight"].T
            x = x + (gate / (1 + numpy.exp(-gate)) * (h @ w[f"{name}ffn_up.weight"].T)) @ w[f"{name}ffn_down.weight"].T
        return _norm(x, w["output_norm.weight"], shape) @ w["token_embd.weight"].T

    def _attend(self, h: Any, layer: int, turn: tuple[Any, Any], cache: list[tuple[Any, Any]]) -> Any:
        w, shape, name = self.weights, self.shape, f"blk.{layer}."
        count = len(h)
        q = _rotate((h @ w[f"{name}attn_q.weight"].T).reshape(count, shape.heads, -1), turn)
        k = _rotate((h @ w[f"{name}attn_k.weight"].T).reshape(count, shape.kv_heads, -1), turn)
        v = (h @ w[f"{name}attn_v.weight"].T).reshape(count, shape.kv_heads, -1)
        past = len(cache[layer][0])
        keys, values = (numpy.concatenate(pair) for pair in ((cache[layer][0], k), (cache[layer][1], v)))
        cache[layer] = (keys, values)
        group = shape.heads // shape.kv_heads
        keys, values = (numpy.repeat(each, group, axis=1) for each in (keys, values))
        scores = numpy.einsum("qhd,khd->hqk", q, keys) / numpy.sqrt(shape.head_size)
        hidden = numpy.arange(len(keys))[None, :] > numpy.arange(count)[:, None] + past
        scores = numpy.where(hidden[None], -1e30, scores)
        weights = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        out = numpy.einsum("hqk,khd->qhd", weights, values).reshape(count, -1)
        return out @ w[f"{name}attn_output.weight"].T


class PlainRunner:
    """Several sequences, one after the other, for evaluation without a GPU."""

    def __init__(self, file: Path) -> None:
        self.model = PlainModel(file)

    def reset(self, count: int) -> None:
        self.caches = [self.model.empty_cache() for _ in range(count)]
        self.last: list[Any] = [None] * count

    def feed(self, pending: list[list[int]], keep: int = 1) -> list[Any]:
        for at, tokens in enumerate(pending):
            if tokens:
                self.last[at] = self.model.forward(tokens, self.caches[at])[-keep:]
        return self.last


def to_shape(metadata: dict[str, Any]) -> Shape:
    return Shape(
        vocabulary=metadata["llama.vocab_size"],
        layers=metadata["llama.block_count"],
        width=metadata["llama.embedding_length"],
        heads=metadata["llama.attention.head_count"],
        kv_heads=metadata["llama.attention.head_count_kv"],
        hidden=metadata["llama.feed_forward_length"],
        context=metadata["llama.context_length"],
        rope_base=metadata["llama.rope.freq_base"],
        norm_epsilon=metadata["llama.attention.layer_norm_rms_epsilon"],
    )


def _values(data: bytes, kind: int, shape: tuple[int, ...]) -> Any:
    if kind == F32:
        return numpy.frombuffer(data, numpy.float32).reshape(shape)
    blocks = numpy.frombuffer(data, numpy.uint8).reshape(-1, BLOCK_BYTES)
    scale = blocks[:, :2].copy().view(numpy.float16).astype(numpy.float32)
    return (blocks[:, 2:].view(numpy.int8).astype(numpy.float32).reshape(-1, BLOCK) * scale).reshape(shape)


def _norm(x: Any, weight: Any, shape: Shape) -> Any:
    return x / numpy.sqrt((x * x).mean(axis=-1, keepdims=True) + shape.norm_epsilon) * weight


def _angles(past: int, count: int, shape: Shape) -> tuple[Any, Any]:
    rates = shape.rope_base ** (-numpy.arange(0, shape.head_size, 2, dtype=numpy.float32) / shape.head_size)
    angles = numpy.arange(past, past + count, dtype=numpy.float32)[:, None] * rates
    return numpy.cos(angles)[:, None, :], numpy.sin(angles)[:, None, :]


def _rotate(x: Any, turn: tuple[Any, Any]) -> Any:
    cos, sin = turn
    even, odd = x[..., 0::2], x[..., 1::2]
    out = numpy.empty_like(x)
    out[..., 0::2], out[..., 1::2] = even * cos - odd * sin, even * sin + odd * cos
    return out
