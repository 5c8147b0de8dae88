"""Training: workers generate packed rows while the GPU learns from them; nothing is stored, hardly anything is seen twice.

The schedule follows the clock: `--minutes` for this command, `--planned-minutes` for the whole training when several commands
continue one another. The learning rate reaches zero when the planned time is over; the checkpoint is written either way.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import queue
import threading
import time
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import torch
import torch._dynamo
import torch.nn.functional as F
from torch import Tensor, nn

from .generate.pack import ROW_BYTES_PER_TOKEN, rows
from .model import Nano, create_block_mask, document_mask, load_gguf, widened
from .shape import Shape, add_shape_arguments, to_shape
from .tokenizer import Tokenizer

CHUNK_ROWS = 16
MAX_WAITING_CHUNKS = 3000  # about 700 MB: what piles up while the model compiles
_KEPT_CHUNKS = 600
_PATIENCE = 0.05  # seconds; a fresh chunk comes every few hundredths when the workers keep up


class Batch(NamedTuple):
    tokens: Tensor
    targets: Tensor
    weights: Tensor
    documents: Tensor


def work(seed: str, file: Path, length: int, pipe: Connection) -> None:
    """One worker: packed rows, some at a time, for ever. It waits in `send_bytes` when nobody takes them."""
    stream = rows(seed, Tokenizer.load(file), length)
    while True:
        pipe.send_bytes(b"".join(next(stream) for _ in range(CHUNK_ROWS)))


class Loader:
    """Batches from the workers; when they are slower than the GPU, recent rows come up again, and that is counted.

    Each worker has a pipe of its own. Through one queue for all, every chunk waited for a thread of its worker that held
    the queue's lock and got a turn every 5 ms: half of the rows were repeats while the workers stood idle.
    """

    def __init__(self, arguments: argparse.Namespace, length: int, part: int) -> None:
        self.length = length
        self.rows = arguments.rows
        self.random = Random(part)
        context = multiprocessing.get_context("fork")
        self.waiting: queue.Queue[bytes] = queue.Queue(MAX_WAITING_CHUNKS)
        self.ended = 0
        count = arguments.workers or max(1, (os.cpu_count() or 2) - 1)
        self.workers = []
        pipes = []
        for number in range(count):
            mine, theirs = context.Pipe(duplex=False)
            seed = f"{arguments.seed}-{part}-{number}"
            worker = context.Process(target=work, args=(seed, arguments.tokenizer, length, theirs), daemon=True)
            worker.start()
            theirs.close()
            pipes.append(mine)
            self.workers.append(worker)
        threading.Thread(target=self._collect, args=(pipes,), daemon=True).start()
        self.kept: list[bytes] = []
        self.fresh = self.repeated = 0

    def _collect(self, pipes: list[Connection]) -> None:
        while pipes:
            for pipe in wait(pipes):
                try:
                    self.waiting.put(pipe.recv_bytes())
                except (EOFError, OSError):
                    pipes.remove(pipe)
                    self.ended += 1

    def next(self, device: torch.device) -> Batch:
        data = b"".join(self._chunk() for _ in range(self.rows // CHUNK_ROWS))
        raw = torch.frombuffer(bytearray(data), dtype=torch.uint8).view(self.rows, ROW_BYTES_PER_TOKEN * self.length)
        raw = raw.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else raw
        n = self.length

        def column(start: int, end: int) -> Tensor:
            return raw[:, start * n : end * n].contiguous().view(torch.int16).long()

        weights = raw[:, 4 * n : 5 * n].float() / 10
        return Batch(column(0, 2), column(2, 4), weights, column(5, 7))

    def _chunk(self) -> bytes:
        # A worker never ends by itself. Without it the same rows would come up again and again, and the loss would look fine.
        if self.ended:
            raise SystemExit(f"{self.ended} of {len(self.workers)} workers ended; their errors are printed above")
        try:
            chunk = self.waiting.get(timeout=None if len(self.kept) < 64 else _PATIENCE)
        except queue.Empty:
            self.repeated += 1
            return self.random.choice(self.kept)
        self.fresh += 1
        if len(self.kept) < _KEPT_CHUNKS:
            self.kept.append(chunk)
        else:
            self.kept[self.random.randrange(_KEPT_CHUNKS)] = chunk
        return chunk

    def close(self) -> None:
        for worker in self.workers:
            worker.terminate()


class Objective(nn.Module):
    """The weighted loss as one module, which is what gets compiled."""

    def __init__(self, model: Nano, device: str) -> None:
        super().__init__()
        self.model = model
        self.device = device

    def forward(self, tokens: Tensor, targets: Tensor, weights: Tensor, mask: Any) -> Tensor:
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.device == "cuda"):
            logits = self.model(tokens, mask)
        losses = F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), reduction="none")
        return (losses * weights.flatten()).sum() / weights.sum()


class Trainer:
    def __init__(self, arguments: argparse.Namespace, shape: Shape, saved: dict[str, Any] | None) -> None:
        self.arguments = arguments
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = widened(load_gguf(arguments.from_gguf), shape.vocabulary) if arguments.from_gguf else Nano(shape)
        for block in self.model.blk:
            block.drop.p = arguments.dropout
        self.model.to(self.device)
        self.mask_makers = self._mask_makers()
        matrices = [parameter for parameter in self.model.parameters() if parameter.dim() > 1]
        others = [parameter for parameter in self.model.parameters() if parameter.dim() == 1]
        groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=arguments.lr, betas=(0.9, 0.95), fused=self.device.type == "cuda")
        self.steps = self.tokens = 0
        self.seconds = 0.0
        if saved:
            self.model.load_state_dict(saved["model"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.steps, self.tokens, self.seconds = saved["steps"], saved["tokens"], saved["seconds"]
        self.objective = self._compiled()

    def _mask_makers(self) -> list[tuple[str, Any]]:
        """Ways to keep documents apart, best first; the last needs nothing."""
        if self.arguments.mask == "none" or create_block_mask is None or self.device.type != "cuda":
            return [("none", None)]
        return [("flex, compiled", torch.compile(create_block_mask)), ("flex", create_block_mask), ("none", None)]

    def _compiled(self) -> Any:
        objective = Objective(self.model, self.device.type)
        return objective if self.arguments.no_compile or self.device.type != "cuda" else torch.compile(objective)

    def step(self, batch: Batch, progress: float) -> Tensor:
        rate = self.arguments.lr * schedule(progress, self.arguments.warm_up)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        make_mask = self.mask_makers[0][1]
        mask = document_mask(batch.documents, make_mask) if make_mask else None
        loss = self.objective(batch.tokens, batch.targets, batch.weights, mask)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.steps += 1
        self.tokens += batch.tokens.numel()
        return loss.detach()

    def first_step(self, batch: Batch) -> None:
        """Compiles. Where flex attention cannot, training goes on without document masks, and says so."""
        while True:
            try:
                self.step(batch, 0.0)
                return
            except Exception as error:  # noqa: BLE001 - compilers fail in many ways
                if len(self.mask_makers) == 1:
                    raise
                print(
                    f"masks by {self.mask_makers[0][0]} failed: {type(error).__name__}: {str(error)[:400]}",
                    flush=True,
                )
            self.mask_makers.pop(0)
            self.optimizer.zero_grad(set_to_none=True)
            torch._dynamo.reset()
            self.objective = self._compiled()

    def save(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        state = {
            "shape": list(self.model.shape),
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "steps": self.steps,
            "tokens": self.tokens,
            "seconds": self.seconds,
        }
        partial = file.with_suffix(".partial")
        torch.save(state, partial)
        partial.rename(file)


def schedule(progress: float, warm_up: float) -> float:
    """A short linear rise, then half a cosine down to nothing."""
    if progress < warm_up:
        return (progress + 0.02 * warm_up) / (1.02 * warm_up)
    return 0.5 * (1 + math.cos(math.pi * min(1.0, (progress - warm_up) / (1 - warm_up))))


def train(arguments: argparse.Namespace) -> None:
    tokenizer = Tokenizer.load(arguments.tokenizer)
    saved = None
    if arguments.resume and arguments.checkpoint.exists():
        saved = torch.load(arguments.checkpoint, map_location="cpu", weights_only=True)
    shape = Shape(*saved["shape"]) if saved else to_shape(arguments, len(tokenizer))
    # Workers are forked before CUDA starts: a fork with a CUDA context in it hangs.
    loader = Loader(arguments, shape.context, saved["steps"] if saved else 0)
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(arguments.seed)
    trainer = Trainer(arguments, shape, saved)
    print(f"{shape.parameters():,} parameters, {len(loader.workers)} workers, step {trainer.steps}", flush=True)
    started = time.time()
    trainer.first_step(loader.next(trainer.device))
    print(f"first step after {time.time() - started:.0f} s; masks: {trainer.mask_makers[0][0]}", flush=True)
    run(trainer, loader, started)
    loader.close()
    trainer.save(arguments.checkpoint)
    print(
        f"saved {arguments.checkpoint}: step {trainer.steps}, {trainer.tokens / 1e6:.0f}M tokens, {trainer.seconds:.0f} s of training",
        flush=True,
    )


def run(trainer: Trainer, loader: Loader, started: float) -> None:
    """Until this command's minutes are over; compiling counts, so that a command ends when it said it would."""
    arguments = trainer.arguments
    end = started + arguments.minutes * 60
    before = trainer.seconds
    begun = time.time()
    planned = arguments.planned_minutes * 60 if arguments.planned_minutes else before + end - begun
    total, count, logged, logged_tokens = torch.zeros((), device=trainer.device), 0, time.time(), trainer.tokens
    while time.time() < end and trainer.seconds < planned:
        loss = trainer.step(loader.next(trainer.device), trainer.seconds / planned)
        trainer.seconds = before + time.time() - begun
        total += loss
        count += 1
        if count == arguments.log_every:
            mean = total.item() / count
            now = time.time()
            speed = (trainer.tokens - logged_tokens) / (now - logged)
            share = loader.repeated / max(1, loader.repeated + loader.fresh)
            print(
                f"step {trainer.steps}  loss {mean:.4f}  {speed / 1e6:.2f}M tokens/s  {trainer.tokens / 1e6:.0f}M  "
                f"{trainer.seconds:.0f}/{planned:.0f} s  repeated {share:.1%}  waiting {loader.waiting.qsize()}",
                flush=True,
            )
            if not math.isfinite(mean):
                raise SystemExit("the loss is not a number; lower --lr")
            total, count, logged, logged_tokens = torch.zeros((), device=trainer.device), 0, now, trainer.tokens


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument(
        "--planned-minutes", type=float, default=0,
        help="of training in all, over several commands; 0 = this one is all",
    )
    parser.add_argument("--tokenizer", type=Path, default=Path("nano/tokenizer.json"))
    parser.add_argument("--checkpoint", type=Path, default=Path("nano/.work/checkpoint.pt"))
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoint, if there is one")
    parser.add_argument("--from-gguf", type=Path, help="begin with these weights instead of random ones")
    parser.add_argument("--rows", type=int, default=64, help="rows of --context tokens per step")
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--dropout", type=float, default=0.0, help="of what each half of a layer adds; against learning the writers by heart")
    parser.add_argument("--warm-up", type=float, default=0.03, help="share of the planned time")
    parser.add_argument("--mask", choices=("flex", "none"), default="flex")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--workers", type=int, default=0, help="0 = all cores but one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log-every", type=int, default=100)
    add_shape_arguments(parser)
    arguments = parser.parse_args()
    if arguments.rows % CHUNK_ROWS:
        raise SystemExit(f"--rows must be a multiple of {CHUNK_ROWS}")
    return arguments


if __name__ == "__main__":
    train(parse())
