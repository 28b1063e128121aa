"""The axiscast command on .npy files, NumPy being the oracle: every form numpy.load takes, and files that lie.

usage: npy_test.py SOURCE_FOLDER AXISCAST_COMMAND
"""

import io
import struct
import warnings

import numpy as np

import cli

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
SHAPES = [(), (1,), (5,), (0,), (3, 0, 2), (2, 3), (1, 4, 1, 3)]


def random_array(random, dtype, shape, order="C"):
    size = int(np.prod(shape))
    if np.dtype(dtype).kind == "f":
        values = random.normal(size=size)
    else:
        values = random.integers(0, 2 if dtype == "?" else 120, size)
    return np.asarray(values.astype(dtype).reshape(shape), order=order)


def file_bytes(header, data, version=(1, 0), pad=True):
    """A .npy file with exactly this header text."""
    text = header.encode("latin1")
    if pad:
        text += b" " * (63 - (10 + len(text)) % 64) + b"\n"
    length = struct.pack("<H" if version == (1, 0) else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + length + text + data


def load(content):
    """What numpy.load makes of it, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.load(io.BytesIO(content), allow_pickle=False)
    except Exception:  # whatever it does not like: ValueError, SyntaxError, EOFError, TypeError, ...
        return None


class NpyTest(cli.CommandTest):
    def add_zero(self, content, zero_dtype):
        """x + 0, written by the command, as (status, array)."""
        (self.folder / "x.npy").write_bytes(content)
        np.save("zero.npy", np.zeros((), zero_dtype))
        (self.folder / "out.npy").unlink(missing_ok=True)
        result = self.run_command("run", "add", "x.npy", "zero.npy", "-o", "out.npy")
        return result, (np.load("out.npy") if result.status == 0 else None)

    def check_reads(self, content):
        expected = load(content)
        self.assertIsNotNone(expected)
        result, actual = self.add_zero(content, expected.dtype.newbyteorder("="))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(actual.dtype, expected.dtype.newbyteorder("="))
        self.assertEqual(actual.shape, expected.shape)
        self.assertTrue((actual == expected).all(), content[:200])
        saved = io.BytesIO()
        np.save(saved, np.ascontiguousarray(expected.astype(actual.dtype)).reshape(expected.shape))
        self.assertEqual((self.folder / "out.npy").read_bytes(), saved.getvalue())  # byte for byte what np.save writes

    def check_refuses(self, content, *words):
        (self.folder / "lie.npy").write_bytes(content)
        np.save("zero.npy", np.zeros((), "f4"))
        self.refused(["run", "add", "lie.npy", "zero.npy", "-o", "out.npy"], 1, "kFileError", "lie.npy", *words)


class Forms(NpyTest):
    def test_dtypes_orders_and_byte_orders(self):
        random = np.random.default_rng(1)
        for dtype in DTYPES:
            for order in "CF":
                for byte_order in "<>" if np.dtype(dtype).itemsize > 1 else "|":
                    for shape in [(2, 3), SHAPES[random.integers(len(SHAPES))]]:
                        with self.subTest(dtype=dtype, order=order, byte_order=byte_order, shape=shape):
                            array = random_array(random, dtype, shape, order).astype(byte_order + dtype, order="K")
                            content = io.BytesIO()
                            np.lib.format.write_array(content, array)
                            self.check_reads(content.getvalue())

    def test_shapes_and_versions(self):
        random = np.random.default_rng(2)
        for version in ((1, 0), (2, 0), (3, 0)):
            for shape in SHAPES:
                for order in "CF":
                    content = io.BytesIO()
                    np.lib.format.write_array(content, random_array(random, "f4", shape, order), version=version)
                    with self.subTest(version=version, shape=shape, order=order):
                        self.check_reads(content.getvalue())

    def test_bfloat16(self):
        """As ml_dtypes writes it. NumPy reads it as raw bytes."""
        bits = np.arange(0, 0x7F80, dtype="<u2")  # every value from 0 up, below infinity
        for descr in ("<V2", "|V2", "V2", "bfloat16"):
            (self.folder / "x.npy").write_bytes(file_bytes("{'descr': '%s', 'fortran_order': False, 'shape': (%d,)}" % (descr, len(bits)), bits.tobytes()))
            result = self.run_command("run", "maximum", "x.npy", "x.npy", "-o", "out.npy")
            self.assertEqual((result.status, result.stderr), (0, ""))
            self.assertIn(b"'descr': '<V2'", (self.folder / "out.npy").read_bytes()[:100])
            self.assertTrue((np.load("out.npy").view("<u2") == bits).all())

    def test_headers_as_people_write_them(self):
        data = np.arange(6, dtype="<f4").tobytes()
        for header in [
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
            "{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}",
            '{"descr":"<f4","fortran_order":False,"shape":(2,3)}',
            "{ 'descr' : '=f4' , 'fortran_order' : True , 'shape' : ( 2 , 3 , ) , }",
            "{'descr': 'f4', 'fortran_order': False,\n 'shape': (2,\n 3)}",
            "{'descr': 'float32', 'fortran_order': False, 'shape': (6,)}",
            "{'descr': '|f4', 'fortran_order': False, 'shape': (6,)}",
            "{'descr': 'f', 'fortran_order': False, 'shape': (3,2,1)}",
            "{'descr': u'<f4', 'fortran_order': False, 'shape': (2, 3)}",
            "{'descr': '<' 'f4', 'fortran_order': False, 'shape': (2, 3)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (0x2, +3)}",
            "{'descr': '<i4', 'descr': '<f4', 'fortran_order': False, 'shape': ((2), 3)}",
            "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (2, 3)}",
            "   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}   \n\n",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} # a comment",
        ]:
            for pad in (True, False):
                with self.subTest(header=header, pad=pad):
                    self.check_reads(file_bytes(header, data, pad=pad))
        self.check_reads(file_bytes("{'descr': '?', 'fortran_order': False, 'shape': (3,)}", b"\0\1\1"))
        self.check_reads(file_bytes("{'descr': '|b1', 'fortran_order': False, 'shape': ()}", b"\1"))
        self.check_reads(file_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}" + " " * 9000, data))
        self.check_reads(file_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}", data + b"more", (2, 0)))

    def test_long_padding(self):  # numpy.load asks for allow_pickle=True above 10000 characters
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}" + " " * 100000
        result, actual = self.add_zero(file_bytes(header, np.arange(6, dtype="<f4").tobytes(), (2, 0)), "f4")
        self.assertEqual(result.status, 0, result.stderr)
        np.testing.assert_array_equal(actual, np.arange(6, dtype="f4"))

    def test_large(self):
        x = np.arange(3_000_000, dtype=">f8").reshape(1000, 3000)
        content = io.BytesIO()
        np.save(content, np.asfortranarray(x))
        self.check_reads(content.getvalue())


class Lies(NpyTest):
    def header(self, descr="'<f4'", fortran="False", shape="(2, 3)"):
        return "{'descr': %s, 'fortran_order': %s, 'shape': %s}" % (descr, fortran, shape)

    def test_headers(self):
        data = bytes(24)
        for header, word in [
            (self.header(shape="(2, -3)"), "negative"),
            (self.header(shape="(-2, -3)"), "negative"),
            (self.header(shape="(4294967296, 4294967296)"), "overflow"),
            (self.header(shape="(2305843009213693952, 2)"), "overflow"),
            (self.header(shape="(99999999999999999999,)"), "int64"),
            (self.header(shape="(2, 4)"), "truncated"),
            (self.header(shape="(1000000000000,)"), "truncated"),
            (self.header(shape="[2, 3]"), "shape"),
            (self.header(shape="6"), "shape"),
            (self.header(shape="(2.0, 3)"), "dict literal"),
            (self.header(shape="('2', 3)"), "shape"),
            (self.header(shape="(True, 6)"), "not a tuple of integers"),
            (self.header(fortran="0"), "fortran_order"),
            (self.header(fortran="None"), "fortran_order"),
            (self.header(descr="'|O'"), "pickled"),
            (self.header(descr="[('a', '<f4'), ('b', '<f4')]"), "structured"),
            (self.header(descr="('<f4', (2,))"), "structured"),
            (self.header(descr="'<U5'"), "strings"),
            (self.header(descr="'|S4'"), "strings"),
            (self.header(descr="'<M8[s]'"), "dates"),
            (self.header(descr="'|V7'"), "void"),
            (self.header(descr="'nonsense'"), "nonsense"),
            (self.header(descr="7"), "descr"),
            (self.header(descr="b'<f4'"), "descr"),
            ("{'descr': '<f4', 'shape': (2, 3)}", "keys"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}", "keys"),
            ("{'descr': '<f4', 'fortran_order': False, 3: (2, 3)}", "keys"),
            ("('<f4', False, (2, 3))", "dict"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)", "dict literal"),
            ("{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3)}", "dict literal"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} 7", "dict literal"),
            ("{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3)}", "dict literal"),
            ("", "dict literal"),
            ("(" * 60000, "dict literal"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': " + "(" * 5000 + ")" * 5000 + "}", "dict literal"),
            ("__import__('os').abort()", "dict literal"),
            ("\0" * 100, "dict literal"),
        ]:
            with self.subTest(header=header[:100]):
                content = file_bytes(header, data)
                numpys = load(content)
                self.assertTrue(numpys is None or numpys.dtype.kind not in "biuf", numpys)
                self.check_refuses(content, word)
        rank_65 = file_bytes(self.header(shape="(" + "1," * 65 + ")"), data)
        self.check_refuses(rank_65, "rank 65")

    def test_not_offered(self):
        for descr, name in [("<c8", "complex64"), ("<c16", "complex128")]:
            (self.folder / "lie.npy").write_bytes(file_bytes(self.header(descr=f"'{descr}'"), bytes(96)))
            self.refused(["run", "add", "lie.npy", "lie.npy", "-o", "out.npy"], 1, "kUnsupportedDType", "lie.npy", name, "float32")

    def test_preambles(self):
        good = file_bytes(self.header(), bytes(24))
        self.check_refuses(b"", "truncated")
        archive = io.BytesIO()
        np.savez(archive, a=np.zeros(3, "f4"))
        for content in (archive.getvalue(), b"PK\5\6" + bytes(18)):  # the second one has nothing in it
            self.check_refuses(content, "it is not a .npy file but an archive, as .npz files are; extract an array of it")
        self.check_refuses(good[:6] + b"\4\0" + good[8:], "version 4.0")
        self.check_refuses(good[:6] + b"\0\0" + good[8:], "version 0.0")
        self.check_refuses(good[:6] + b"\1\1" + good[8:], "version 1.1")
        self.check_refuses(good[:8] + b"\xff\xff" + good[10:], "header", "truncated")
        self.check_refuses(good[:6] + b"\2\0\xff\xff\xff\xff" + good[10:], "header", "truncated")

    def test_truncated_at_every_byte(self):
        content = io.BytesIO()
        np.save(content, np.arange(3, dtype="f4"))
        content = content.getvalue()
        np.save("zero.npy", np.zeros((), "f4"))
        for length in range(0, len(content), 5 if cli.SHORT else 1):
            (self.folder / "lie.npy").write_bytes(content[:length])
            result = self.run_command("run", "add", "lie.npy", "zero.npy", "-o", "out.npy", "--json")
            self.assertEqual(result.json["error"]["code"], "kFileError", length)
            self.assertIn("lie.npy", result.json["error"]["message"])
        self.assertFalse((self.folder / "out.npy").exists())

    def test_flipped_bytes_are_read_as_numpy_does(self):
        random = np.random.default_rng(3)
        content = io.BytesIO()
        np.save(content, np.arange(8, dtype="i4").reshape(2, 4))
        original = content.getvalue()
        text_end = original.index(b"}") + 1
        characters = b"0123456789'\"(){}[],: <>|=?bBhHiIlLfdVOUSTrueFalse#\n\0\xff-+_x"
        spaces = [i for i in range(10, text_end) if original[i : i + 1] in b" 124<"]
        loaded = 0
        for _ in range(100 if cli.SHORT else 400):
            flipped = bytearray(original)
            for _ in range(random.integers(1, 3)):
                anywhere = random.integers(0, text_end) if random.random() < 0.8 else random.integers(0, len(flipped))
                position = anywhere if random.random() < 0.5 else spaces[random.integers(len(spaces))]
                flipped[position] = characters[random.integers(len(characters))] if random.random() < 0.8 else random.integers(256)
            flipped = bytes(flipped)
            expected = load(flipped)
            known = expected is not None and expected.dtype.newbyteorder("=").str[1:] in DTYPES + ["b1"]
            if known:
                loaded += 1
                self.check_reads(flipped)
            else:
                result, _ = self.add_zero(flipped, "i4")
                self.assertEqual(result.status, 1, flipped)
        self.assertGreaterEqual(loaded, 2 if cli.SHORT else 11)


if __name__ == "__main__":
    cli.main()
