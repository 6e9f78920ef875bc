import json
import struct

import numpy as np
import pytest
from safetensors.numpy import save_file

from sil import InputError
from sil.policy.tensors import read_tensors

SHAPES = {"a": (2, 3), "b": (4,)}
ARRAYS = {
    "a": np.array([[1, -2.5, 0.375], [3e-5, 1e4, -0.0]], dtype=np.float32),
    "b": np.arange(4, dtype=np.float32),
}


def entry(kind="F32", shape=(2, 3), place=(0, 24)) -> dict:
    return {"dtype": kind, "shape": list(shape), "data_offsets": list(place)}


GOOD = {"a": entry(), "b": entry(shape=(4,), place=(24, 40))}


def written(path, header, data=bytes(40)):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def test_what_safetensors_writes_is_read(tmp_path):
    path = tmp_path / "x.safetensors"
    save_file(ARRAYS, path, metadata={"format": "pt"})
    found = read_tensors(path, SHAPES)
    assert {name: array.dtype for name, array in found.items()} == dict.fromkeys("ab", np.float32)
    assert all(np.array_equal(found[name], ARRAYS[name]) for name in "ab")


@pytest.mark.parametrize(("kind", "tolerance"), [("float16", 1e-3), ("bfloat16", 1e-2)])
def test_half_precision_is_widened(tmp_path, kind, tolerance):
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file as save_torch

    halves = {n: torch.from_numpy(a).to(getattr(torch, kind)) for n, a in ARRAYS.items()}
    save_torch(halves, tmp_path / "x.safetensors")
    found = read_tensors(tmp_path / "x.safetensors", SHAPES)
    for name, array in found.items():
        assert np.array_equal(array, halves[name].float().numpy())
        assert np.allclose(array, ARRAYS[name], rtol=tolerance, atol=1e-7)


@pytest.mark.parametrize(
    ("header", "says"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "must be an object"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "not JSON"),
        ({**GOOD, "a": 3}, "does not describe 'a'"),
        ({**GOOD, "a": {}}, "of type None"),
        ({**GOOD, "a": entry("I64")}, "of type 'I64'; its weights must be F32, F16 or BF16"),
        ({**GOOD, "a": entry(["F32"])}, "of type"),
        ({**GOOD, "a": entry(shape=(2.0, 3))}, "does not describe"),
        ({**GOOD, "a": entry(shape=(True, 6))}, "does not describe"),
        ({**GOOD, "a": entry(place=(0, 12, 24))}, "does not describe"),
        ({**GOOD, "a": entry(place=(-24, 0))}, "does not describe"),
        ({**GOOD, "a": entry(shape=(2**40, 2**40))}, "expected (2, 3)"),
        ({**GOOD, "c": entry()}, "expected none of that name"),
        ({"a": entry()}, "b is missing"),
        ({**GOOD, "b": entry(shape=(4,), place=(16, 32))}, "not where it should be"),
        ({**GOOD, "b": entry(shape=(4,), place=(24, 2**60))}, "not where it should be"),
        ({**GOOD, "a": entry("F16")}, "not where it should be"),
    ],
)
def test_a_false_header_is_named(tmp_path, header, says):
    path = written(tmp_path / "x.safetensors", header)
    with pytest.raises(InputError) as error:
        read_tensors(path, SHAPES)
    assert says in str(error.value)
    assert "x.safetensors" in str(error.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "ends before its header"),
        (b"\x01\x02", "ends before its header"),
        (struct.pack("<Q", 2**63), "ends before its header"),
        (struct.pack("<Q", 2**23) + bytes(2**23), "claims 8,388,608 bytes"),
    ],
)
def test_a_false_length_is_named(tmp_path, content, says):
    (tmp_path / "x.safetensors").write_bytes(content)
    with pytest.raises(InputError, match=says):
        read_tensors(tmp_path / "x.safetensors", SHAPES)


@pytest.mark.parametrize("data", [bytes(39), bytes(41)])
def test_a_file_that_is_too_short_or_too_long_is_refused(tmp_path, data):
    path = written(tmp_path / "x.safetensors", GOOD, data)
    with pytest.raises(InputError, match="bytes of weights"):
        read_tensors(path, SHAPES)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_refused(tmp_path, value):
    path = tmp_path / "x.safetensors"
    save_file({**ARRAYS, "b": np.array([0, 1, value, 2], dtype=np.float32)}, path)
    with pytest.raises(InputError, match="b holds weights that are not finite"):
        read_tensors(path, SHAPES)


def test_a_cut_off_file_is_never_read(tmp_path):
    path = written(tmp_path / "x.safetensors", GOOD)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(InputError):
            read_tensors(path, SHAPES)
