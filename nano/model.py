"""The model in PyTorch: Llama architecture, tied embeddings, RoPE over neighbouring pairs (plain_model.py says why).

Parameters carry GGUF's tensor names, so that a checkpoint is exported without a table of renamings.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .gguf import F32, read_header, read_tensor
from .shape import Shape

try:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
except ImportError:  # older PyTorch: documents in a row then see each other
    create_block_mask = flex_attention = None  # type: ignore[assignment]


class Block(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        kv_width = shape.kv_heads * shape.head_size
        self.attn_norm = nn.RMSNorm(shape.width, eps=shape.norm_epsilon)
        self.attn_q = nn.Linear(shape.width, shape.width, bias=False)
        self.attn_k = nn.Linear(shape.width, kv_width, bias=False)
        self.attn_v = nn.Linear(shape.width, kv_width, bias=False)
        self.attn_output = nn.Linear(shape.width, shape.width, bias=False)
        self.ffn_norm = nn.RMSNorm(shape.width, eps=shape.norm_epsilon)
        self.ffn_gate = nn.Linear(shape.width, shape.hidden, bias=False)
        self.ffn_up = nn.Linear(shape.width, shape.hidden, bias=False)
        self.ffn_down = nn.Linear(shape.hidden, shape.width, bias=False)
        self.drop = nn.Dropout(0.0)  # train.py sets it; nothing of it is saved

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor], attend: Any) -> Tensor:
        h = self.attn_norm(x)
        batch, count, _ = h.shape
        q = self.attn_q(h).view(batch, count, self.shape.heads, -1).transpose(1, 2)
        k = self.attn_k(h).view(batch, count, self.shape.kv_heads, -1).transpose(1, 2)
        v = self.attn_v(h).view(batch, count, self.shape.kv_heads, -1).transpose(1, 2)
        out = attend(rotate(q, turn), rotate(k, turn), v)
        x = x + self.drop(self.attn_output(out.transpose(1, 2).reshape(batch, count, -1)))
        h = self.ffn_norm(x)
        return x + self.drop(self.ffn_down(F.silu(self.ffn_gate(h)) * self.ffn_up(h)))


class Nano(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape.vocabulary, shape.width)
        self.blk = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.output_norm = nn.RMSNorm(shape.width, eps=shape.norm_epsilon)
        cos, sin = angles(torch.arange(shape.context), shape)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self.apply(self._initialize)

    def _initialize(self, module: nn.Module) -> None:
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, Block):
            for last in (module.attn_output, module.ffn_down):
                nn.init.normal_(last.weight, std=0.02 / math.sqrt(2 * self.shape.layers))

    def forward(self, tokens: Tensor, mask: Any = None) -> Tensor:
        """Logits for whole rows. `mask` keeps documents apart; without it they are only causal."""
        count = tokens.shape[1]
        turn = self.cos[:count], self.sin[:count]
        attend = _masked(mask, self.shape) if mask is not None else _causal(self.shape)
        x = self.token_embd(tokens)
        for block in self.blk:
            x = block(x, turn, attend)
        return F.linear(self.output_norm(x), self.token_embd.weight)


def _causal(shape: Shape) -> Any:
    same = shape.heads == shape.kv_heads
    return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=not same)


def _masked(mask: Any, shape: Shape) -> Any:
    same = shape.heads == shape.kv_heads
    return lambda q, k, v: flex_attention(q, k, v, block_mask=mask, enable_gqa=not same)


def document_mask(documents: Tensor, make: Any) -> Any:
    """For flex_attention: a token sees what came before it in its own document. `make` is create_block_mask, compiled or not."""
    batch, count = documents.shape

    def visible(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:
        return (q >= k) & (documents[b, q] == documents[b, k])

    return make(visible, batch, None, count, count, device=documents.device)


def angles(positions: Tensor, shape: Shape) -> tuple[Tensor, Tensor]:
    size = shape.head_size
    rates = shape.rope_base ** (-torch.arange(0, size, 2, dtype=torch.float32, device=positions.device) / size)
    turn = positions.to(torch.float32)[..., None] * rates
    return turn.cos(), turn.sin()


def rotate(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    cos, sin = turn
    pairs = x.float().unflatten(-1, (-1, 2))
    even, odd = pairs[..., 0], pairs[..., 1]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2).to(x.dtype)


def load(file: Path) -> Nano:
    """A checkpoint of train.py, or an exported GGUF file with the weights as they were rounded."""
    if file.suffix == ".gguf":
        return load_gguf(file)
    saved = torch.load(file, map_location="cpu", weights_only=True)
    model = Nano(Shape(*saved["shape"]))
    model.load_state_dict(saved["model"])
    return model


def load_gguf(file: Path) -> Nano:
    from .plain_model import _values, to_shape

    header = read_header(file)
    model = Nano(to_shape(header.metadata))
    weights = {}
    for info in header.tensors:
        data = read_tensor(file, info)
        values = torch.frombuffer(bytearray(data), dtype=torch.float32) if info.kind == F32 else torch.from_numpy(
            _values(data, info.kind, info.shape).copy()
        )
        weights[info.name] = values.reshape(info.shape)
    model.load_state_dict(weights)
    return model


def widened(model: Nano, vocabulary: int) -> Nano:
    """With room for tokens that were added behind all others; each begins as the last one that was known."""
    known = model.shape.vocabulary
    if known == vocabulary:
        return model
    larger = Nano(model.shape._replace(vocabulary=vocabulary))
    weights = model.state_dict()
    embedding = weights["token_embd.weight"]
    weights["token_embd.weight"] = torch.cat([embedding, embedding[-1:].repeat(vocabulary - known, 1)])
    larger.load_state_dict(weights)
    return larger


class TorchRunner:
    """Several sequences with their caches, for evaluation. Sequences grow at their own pace: positions are per sequence."""

    def __init__(self, file: Path) -> None:
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = load(file).to(self.device).eval()
        self.shape = self.model.shape

    def reset(self, count: int) -> None:
        s = self.shape
        size = (s.layers, count, s.kv_heads, s.context, s.head_size)
        self.keys, self.values = (torch.zeros(size, device=self.device) for _ in range(2))
        self.lengths = torch.zeros(count, dtype=torch.long, device=self.device)
        self.last: list[Any] = [None] * count

    @torch.no_grad()
    def feed(self, pending: list[list[int]], keep: int = 1) -> list[Any]:
        longest = max(map(len, pending))
        if not longest:
            return self.last
        tokens = torch.tensor([row + [0] * (longest - len(row)) for row in pending], device=self.device)
        # Padding is written beyond a sequence's end, where the next tokens overwrite it and nobody looks before that.
        positions = (
            self.lengths[:, None] + torch.arange(longest, device=self.device)
        ).clamp(max=self.shape.context - 1)
        logits = self._forward(tokens, positions)
        for at, row in enumerate(pending):
            if row:
                self.last[at] = logits[at, max(0, len(row) - keep) : len(row)].float().cpu().numpy()
        self.lengths += torch.tensor([len(row) for row in pending], device=self.device)
        return self.last

    def _forward(self, tokens: Tensor, positions: Tensor) -> Tensor:
        cos, sin = angles(positions, self.shape)
        turn = cos[:, None], sin[:, None]
        seen = int(positions.max()) + 1
        mask = torch.arange(seen, device=self.device)[None, None, None, :] <= positions[:, None, :, None]
        x = self.model.token_embd(tokens)
        for layer, block in enumerate(self.model.blk):
            x = block(x, turn, self._attend(layer, positions, seen, mask))
        return F.linear(self.model.output_norm(x), self.model.token_embd.weight)

    def _attend(self, layer: int, positions: Tensor, seen: int, mask: Tensor) -> Any:
        rows = torch.arange(len(positions), device=self.device)[:, None]

        def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            self.keys[layer][rows, :, positions] = k.transpose(1, 2)
            self.values[layer][rows, :, positions] = v.transpose(1, 2)
            keys, values = (cache[layer][:, :, :seen] for cache in (self.keys, self.values))
            group = self.shape.heads // self.shape.kv_heads
            if group > 1:
                keys, values = (each.repeat_interleave(group, dim=1) for each in (keys, values))
            return F.scaled_dot_product_attention(q, keys, values, attn_mask=mask)

        return attend
