"""The file format: what is written is read back, aligned, and rounded by at most half a step."""

import struct
import tempfile
import unittest
from array import array
from pathlib import Path
from random import Random

from nano import gguf
from nano.export import metadata, random_tensors, split
from nano.shape import Shape
from nano.tokenizer import Tokenizer

TOKENIZER = Tokenizer.load(Path(__file__).parents[1] / "tokenizer.json")
SMALL = Shape(vocabulary=len(TOKENIZER), layers=2, width=64, heads=2, kv_heads=1, hidden=96)


class Quantize(unittest.TestCase):
    def test_a_value_moves_by_at_most_half_a_step(self) -> None:
        random = Random(1)
        values = array("f", [random.gauss(0, 1) * 10 ** random.randint(-3, 2) for _ in range(32 * 50)])

        back = gguf.dequantize(gguf.quantize(values))

        for at in range(0, len(values), gguf.BLOCK):
            block = values[at : at + gguf.BLOCK]
            step = max(map(abs, block)) / 127
            for old, new in zip(block, back[at : at + gguf.BLOCK]):
                self.assertLessEqual(abs(old - new), step * 0.5 + step * 127 / 1024)

    def test_zeros_stay_zero(self) -> None:
        self.assertEqual(set(gguf.dequantize(gguf.quantize([0.0] * 64))), {0.0})

    @unittest.skipIf(gguf.numpy is None, "numpy is not installed")
    def test_numpy_and_plain_python_write_the_same_bytes(self) -> None:
        random = Random(2)
        values = array("f", [random.gauss(0, 0.02) for _ in range(32 * 40)])
        fast = gguf.quantize(values)

        slow = b"".join(gguf._quantize_block(list(values[at : at + 32])) for at in range(0, len(values), 32))

        close = sum(a == b for a, b in zip(fast, slow)) / len(fast)
        self.assertGreater(close, 0.999)  # single and double precision part at exact halves


class File(unittest.TestCase):
    def test_a_written_model_reads_back(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "small.gguf"
            tensors = random_tensors(SMALL)
            gguf.write(file, metadata(SMALL, TOKENIZER), tensors)

            header = gguf.check(file)

            self.assertEqual(header.metadata["general.name"], "covey-nano")
            self.assertEqual(header.metadata["tokenizer.ggml.tokens"], TOKENIZER.tokens)
            self.assertEqual(len(header.metadata["tokenizer.ggml.merges"]), len(TOKENIZER.merges))
            self.assertIs(header.metadata["tokenizer.ggml.add_bos_token"], False)
            self.assertEqual([(info.name, info.shape) for info in header.tensors], list(SMALL.tensors().items()))
            for info, tensor in zip(header.tensors, tensors):
                self.assertEqual(gguf.read_tensor(file, info), tensor.data)

    def test_dimensions_are_stored_fastest_first(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "one.gguf"
            gguf.write(file, {"general.architecture": "llama"}, [gguf.Tensor("w", (2, 32), gguf.Q8_0, bytes(68))])

            raw = file.read_bytes()

            at = raw.index(b"\x01\x00\x00\x00\x00\x00\x00\x00w") + 9
            self.assertEqual(struct.unpack_from("<IQQ", raw, at), (2, 32, 2))

    def test_a_cut_file_is_noticed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "cut.gguf"
            gguf.write(file, {"a": 1}, [gguf.Tensor("w", (64,), gguf.F32, bytes(256))])
            file.write_bytes(file.read_bytes()[:-32])

            with self.assertRaises(ValueError):
                gguf.check(file)

    def test_parts_join_to_the_whole(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "whole.gguf"
            file.write_bytes(bytes(range(256)) * 40)

            parts = split(file, 4096)

            self.assertEqual(len(parts), 3)
            self.assertEqual(b"".join(part.read_bytes() for part in parts), file.read_bytes())

    def test_the_default_model_fits_its_limit(self) -> None:
        size = sum(
            gguf.tensor_bytes(gguf.Q8_0 if len(shape) > 1 else gguf.F32, shape) for shape in Shape().tensors().values()
        )

        self.assertLess(size, 31 * 1024 * 1024)


@unittest.skipIf(gguf.numpy is None, "numpy is not installed")
class PlainModel(unittest.TestCase):
    def test_the_cache_changes_nothing(self) -> None:
        from nano.plain_model import PlainModel

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "small.gguf"
            gguf.write(file, metadata(SMALL, TOKENIZER), random_tensors(SMALL))
            model = PlainModel(file)
            tokens = TOKENIZER.encode("show me the readme please")

            whole = model.forward(tokens, model.empty_cache())
            cache = model.empty_cache()
            parts = [row for token in tokens for row in model.forward([token], cache)]

            self.assertLess(abs(whole - gguf.numpy.stack(parts)).max(), 1e-4)


if __name__ == "__main__":
    unittest.main()
