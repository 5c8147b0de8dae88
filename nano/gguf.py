"""GGUF version 3, written and read directly: metadata, tensor table, aligned data; Q8_0 and F32 only.

Q8_0 holds blocks of 32 values: a half-precision scale and 32 signed bytes. numpy makes it fast where it is installed; without it
the same bytes come out, slowly.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

try:
    import numpy
except ImportError:  # the tests and this machine's tools do without
    numpy = None  # type: ignore[assignment]

MAGIC = b"GGUF"
VERSION = 3
ALIGNMENT = 32
F32, Q8_0 = 0, 8
BLOCK = 32
BLOCK_BYTES = 2 + BLOCK

_U32, _F32, _BOOL, _STRING, _ARRAY, _I32, _U64 = 4, 6, 7, 8, 9, 5, 10


class Tensor(NamedTuple):
    name: str
    shape: tuple[int, ...]  # rows first, as in PyTorch; the file wants the fastest dimension first
    kind: int
    data: bytes


class TensorInfo(NamedTuple):
    name: str
    shape: tuple[int, ...]
    kind: int
    offset: int  # from the beginning of the file


class Header(NamedTuple):
    metadata: dict[str, Any]
    tensors: list[TensorInfo]


# -- Q8_0


def quantize(values: Iterable[float]) -> bytes:
    """As ggml does it: scale = largest / 127, rounded half away from zero."""
    if numpy is not None:
        blocks = numpy.asarray(values, dtype=numpy.float32).reshape(-1, BLOCK)
        scale = numpy.abs(blocks).max(axis=1) / 127.0
        inverse = numpy.divide(1.0, scale, out=numpy.zeros_like(scale), where=scale != 0)
        scaled = blocks * inverse[:, None]
        whole = numpy.trunc(scaled + numpy.copysign(0.5, scaled)).astype(numpy.int8)
        out = numpy.empty((len(blocks), BLOCK_BYTES), dtype=numpy.uint8)
        out[:, :2] = scale.astype(numpy.float16).view(numpy.uint8).reshape(-1, 2)
        out[:, 2:] = whole.view(numpy.uint8)
        return out.tobytes()
    plain = list(values)
    return b"".join(_quantize_block(plain[at : at + BLOCK]) for at in range(0, len(plain), BLOCK))


def _quantize_block(block: list[float]) -> bytes:
    scale = max(map(abs, block)) / 127.0
    inverse = 1.0 / scale if scale else 0.0
    whole = [int(value * inverse + (0.5 if value >= 0 else -0.5)) for value in block]
    return struct.pack("<e32b", scale, *whole)


def dequantize(data: bytes) -> array:
    values = array("f")
    for at in range(0, len(data), BLOCK_BYTES):
        scale, *whole = struct.unpack_from("<e32b", data, at)
        values.extend(scale * value for value in whole)
    return values


def tensor_bytes(kind: int, shape: tuple[int, ...]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count * 4 if kind == F32 else count // BLOCK * BLOCK_BYTES


# -- writing


def write(file: Path, metadata: dict[str, Any], tensors: list[Tensor]) -> None:
    with file.open("wb") as out:
        out.write(MAGIC + struct.pack("<IQQ", VERSION, len(tensors), len(metadata)))
        for key, value in metadata.items():
            out.write(_string(key) + _value(value))
        offset = 0
        for tensor in tensors:
            if len(tensor.data) != tensor_bytes(tensor.kind, tensor.shape):
                raise ValueError(f"{tensor.name}: {len(tensor.data)} bytes do not fit shape {tensor.shape}")
            out.write(_string(tensor.name) + struct.pack("<I", len(tensor.shape)))
            out.write(struct.pack(f"<{len(tensor.shape)}Q", *reversed(tensor.shape)))
            out.write(struct.pack("<IQ", tensor.kind, offset))
            offset += _padded(len(tensor.data))
        _pad(out)
        for tensor in tensors:
            out.write(tensor.data)
            _pad(out)


def _string(text: str) -> bytes:
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", _BOOL, value)
    if isinstance(value, int):
        return struct.pack("<II", _U32, value)
    if isinstance(value, float):
        return struct.pack("<If", _F32, value)
    if isinstance(value, str):
        return struct.pack("<I", _STRING) + _string(value)
    return struct.pack("<I", _ARRAY) + _list(value)


def _list(values: list[str] | list[int]) -> bytes:
    if isinstance(values[0], str):
        return struct.pack("<IQ", _STRING, len(values)) + b"".join(_string(str(value)) for value in values)
    return struct.pack(f"<IQ{len(values)}i", _I32, len(values), *values)


def _padded(size: int) -> int:
    return (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def _pad(out: BinaryIO) -> None:
    out.write(bytes(_padded(out.tell()) - out.tell()))


# -- reading


def read_header(file: Path) -> Header:
    """The metadata and where each tensor lies. Fails on anything this writer would not have written."""
    with file.open("rb") as source:
        magic, version, tensor_count, key_count = struct.unpack("<4sIQQ", source.read(24))
        if magic != MAGIC or version != VERSION:
            raise ValueError(f"{file} is no GGUF version {VERSION} file")
        metadata = {_read_string(source): _read_value(source) for _ in range(key_count)}
        entries = [_read_entry(source) for _ in range(tensor_count)]
        start = _padded(source.tell())
    return Header(metadata, [entry._replace(offset=start + entry.offset) for entry in entries])


def read_tensor(file: Path, info: TensorInfo) -> bytes:
    with file.open("rb") as source:
        source.seek(info.offset)
        return source.read(tensor_bytes(info.kind, info.shape))


def check(file: Path) -> Header:
    """That the tensors lie aligned, one after the other, and end with the file."""
    header = read_header(file)
    end = header.tensors[0].offset
    for info in header.tensors:
        if info.offset % ALIGNMENT or info.offset != end:
            raise ValueError(f"{info.name} begins at {info.offset}, expected {end}")
        end += _padded(tensor_bytes(info.kind, info.shape))
    if end != file.stat().st_size:
        raise ValueError(f"{file} has {file.stat().st_size} bytes, its tensors end at {end}")
    return header


def _read_string(source: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", source.read(8))
    return source.read(length).decode("utf-8")


_PLAIN = {_U32: "<I", _F32: "<f", _BOOL: "<?", _I32: "<i", _U64: "<Q"}


def _read_value(source: BinaryIO) -> Any:
    (kind,) = struct.unpack("<I", source.read(4))
    if kind == _STRING:
        return _read_string(source)
    if kind == _ARRAY:
        item, length = struct.unpack("<IQ", source.read(12))
        if item == _STRING:
            return [_read_string(source) for _ in range(length)]
        size = struct.calcsize(_PLAIN[item])
        return [struct.unpack(_PLAIN[item], source.read(size))[0] for _ in range(length)]
    return struct.unpack(_PLAIN[kind], source.read(struct.calcsize(_PLAIN[kind])))[0]


def _read_entry(source: BinaryIO) -> TensorInfo:
    name = _read_string(source)
    (dimensions,) = struct.unpack("<I", source.read(4))
    shape = struct.unpack(f"<{dimensions}Q", source.read(8 * dimensions))
    kind, offset = struct.unpack("<IQ", source.read(12))
    return TensorInfo(name, tuple(reversed(shape)), kind, offset)
