"""Writes a checkpoint as a GGUF file that llama.cpp loads: `python3 -m nano.export --checkpoint … --out …`.

`--random` writes random weights instead, which tests the format on any machine. `--parts` cuts the file into pieces that fit
where single files are limited; `cat covey-nano.gguf.* > covey-nano.gguf` joins them.
"""

from __future__ import annotations

import argparse
from array import array
from pathlib import Path
from random import Random
from typing import Any

from .format import CHAT_TEMPLATE, END, PAD
from .gguf import F32, Q8_0, Tensor, check, quantize, write
from .shape import MAX_FILE_BYTES, Shape, add_shape_arguments, to_shape
from .tokenizer import Tokenizer

PART_BYTES = 16 * 1024 * 1024
_NORMAL, _CONTROL = 1, 3
_MOSTLY_Q8_0 = 7


def metadata(shape: Shape, tokenizer: Tokenizer) -> dict[str, Any]:
    kinds = [_NORMAL] * tokenizer.first_special + [_CONTROL] * (len(tokenizer) - tokenizer.first_special)
    return {
        "general.architecture": "llama",
        "general.name": "covey-nano",
        "general.license": "mit",
        "general.file_type": _MOSTLY_Q8_0,
        "general.quantization_version": 2,
        "llama.block_count": shape.layers,
        "llama.context_length": shape.context,
        "llama.embedding_length": shape.width,
        "llama.feed_forward_length": shape.hidden,
        "llama.attention.head_count": shape.heads,
        "llama.attention.head_count_kv": shape.kv_heads,
        "llama.attention.layer_norm_rms_epsilon": shape.norm_epsilon,
        "llama.rope.dimension_count": shape.head_size,
        "llama.rope.freq_base": shape.rope_base,
        "llama.vocab_size": shape.vocabulary,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": tokenizer.tokens,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.merges": [f"{left} {right}" for left, right in tokenizer.merges],
        "tokenizer.ggml.bos_token_id": tokenizer.ids[END],
        "tokenizer.ggml.eos_token_id": tokenizer.ids[END],
        "tokenizer.ggml.eot_token_id": tokenizer.ids[END],
        "tokenizer.ggml.padding_token_id": tokenizer.ids[PAD],
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.ggml.add_eos_token": False,
        "tokenizer.chat_template": CHAT_TEMPLATE,
    }


def random_tensors(shape: Shape) -> list[Tensor]:
    random = Random(0)
    tensors = []
    for name, size in shape.tensors().items():
        count = size[0] * (size[1] if len(size) > 1 else 1)
        values = array("f", [1.0] * count if len(size) == 1 else [random.gauss(0, 0.02) for _ in range(count)])
        tensors.append(to_tensor(name, size, values))
    return tensors


def checkpoint_tensors(file: Path) -> tuple[Shape, list[Tensor]]:
    import torch

    saved = torch.load(file, map_location="cpu", weights_only=True)
    shape = Shape(*saved["shape"])
    weights = saved["model"]
    tensors = [
        to_tensor(name, size, weights[name].float().contiguous().numpy().ravel()) for name,
        size in shape.tensors().items()
    ]
    return shape, tensors


def to_tensor(name: str, size: tuple[int, ...], values: Any) -> Tensor:
    """Matrices in Q8_0; norms stay exact, they are small and every value passes through them."""
    if len(size) == 1:
        return Tensor(name, size, F32, values.tobytes())
    return Tensor(name, size, Q8_0, quantize(values))


def split(file: Path, part_bytes: int = PART_BYTES) -> list[Path]:
    data = file.read_bytes()
    parts = []
    for number, at in enumerate(range(0, len(data), part_bytes), start=1):
        part = file.with_name(f"{file.name}.{number}")
        part.write_bytes(data[at : at + part_bytes])
        parts.append(part)
    return parts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path, default=Path("nano/.work/checkpoint.pt"))
    parser.add_argument("--random", action="store_true", help="random weights, no PyTorch needed")
    parser.add_argument("--tokenizer", type=Path, default=Path("nano/tokenizer.json"))
    parser.add_argument("--out", type=Path, default=Path("nano/.work/covey-nano.gguf"))
    parser.add_argument("--parts", action="store_true")
    add_shape_arguments(parser)
    arguments = parser.parse_args()
    tokenizer = Tokenizer.load(arguments.tokenizer)
    if arguments.random:
        shape = to_shape(arguments, len(tokenizer))
        tensors = random_tensors(shape)
    else:
        shape, tensors = checkpoint_tensors(arguments.checkpoint)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    write(arguments.out, metadata(shape, tokenizer), tensors)
    check(arguments.out)
    size = arguments.out.stat().st_size
    print(f"{arguments.out}: {size:,} bytes, {shape.parameters():,} parameters, {len(tensors)} tensors")
    if size > MAX_FILE_BYTES:
        raise SystemExit(f"over the limit of {MAX_FILE_BYTES:,} bytes")
    if arguments.parts:
        for part in split(arguments.out):
            print(f"{part}: {part.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
