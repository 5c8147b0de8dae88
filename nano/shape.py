"""The sizes of the model and the names of its tensors, known to training and export alike."""

from __future__ import annotations

import argparse
from typing import NamedTuple

MAX_FILE_BYTES = 32 * 1024 * 1024


class Shape(NamedTuple):
    vocabulary: int = 4098
    layers: int = 10
    width: int = 448
    heads: int = 7
    kv_heads: int = 7
    hidden: int = 1216
    context: int = 2048
    rope_base: float = 10000.0
    norm_epsilon: float = 1e-5

    @property
    def head_size(self) -> int:
        return self.width // self.heads

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """GGUF's names for the llama architecture, with PyTorch's shapes. The output matrix is the embedding."""
        kv_width = self.kv_heads * self.head_size
        found: dict[str, tuple[int, ...]] = {"token_embd.weight": (self.vocabulary, self.width)}
        for layer in range(self.layers):
            prefix = f"blk.{layer}."
            found |= {
                f"{prefix}attn_norm.weight": (self.width,),
                f"{prefix}attn_q.weight": (self.width, self.width),
                f"{prefix}attn_k.weight": (kv_width, self.width),
                f"{prefix}attn_v.weight": (kv_width, self.width),
                f"{prefix}attn_output.weight": (self.width, self.width),
                f"{prefix}ffn_norm.weight": (self.width,),
                f"{prefix}ffn_gate.weight": (self.hidden, self.width),
                f"{prefix}ffn_up.weight": (self.hidden, self.width),
                f"{prefix}ffn_down.weight": (self.width, self.hidden),
            }
        return found | {"output_norm.weight": (self.width,)}

    def parameters(self) -> int:
        total = 0
        for shape in self.tensors().values():
            count = 1
            for size in shape:
                count *= size
            total += count
        return total


def add_shape_arguments(parser: argparse.ArgumentParser) -> None:
    defaults = Shape()
    for name in ("layers", "width", "heads", "kv_heads", "hidden", "context"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(defaults, name))


def to_shape(arguments: argparse.Namespace, vocabulary: int) -> Shape:
    names = ("layers", "width", "heads", "kv_heads", "hidden", "context")
    shape = Shape(vocabulary=vocabulary, **{name: getattr(arguments, name) for name in names})
    if shape.width % shape.heads or shape.heads % shape.kv_heads or shape.width % 32 or shape.hidden % 32:
        raise SystemExit("heads must divide width, kv_heads must divide heads, 32 must divide width and hidden")
    return shape
