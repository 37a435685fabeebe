import numpy as np
import pytest
from support.blocks import decoded as by_type
from support.blocks import finite_blocks, random_blocks
from support.elements import of_type, plain, values_of

from weightmap.errors import Cancelled
from weightmap.reading.decode import decoded
from weightmap.types.registry import all_types, big_endian, by_name
from weightmap.types.workspace import Workspace

NAMES = [type.name for type in all_types()]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("threads", [1, 3])
def test_values_of_every_type_as_its_decoder_gives_them(monkeypatch, name, threads):
    monkeypatch.setattr("weightmap.reading.elements.CHUNK", 512)
    type = by_name(name)
    blocks = random_blocks(type, 3000 // type.elements + 2)
    elements = of_type(type, (len(blocks), type.elements), blocks)
    got = decoded(elements, type.value, threads=threads)
    expected = by_type(type, blocks)
    assert got.dtype == expected.dtype
    assert got.tobytes() == expected.tobytes() or np.array_equal(got, expected, equal_nan=True)


@pytest.mark.parametrize("dtype", ["<f4", "<f8", "<f2", "<i8", "<u8", "<i1", "<c8"])
def test_plain_types_are_views(dtype):
    elements = plain(np.arange(12).astype(dtype).reshape(3, 4))
    got = decoded(elements)
    assert got.dtype == dtype
    assert got.shape == (3, 4)
    assert not got.flags.writeable
    assert np.shares_memory(got, elements.source.view(0, elements.source.size))
    assert np.array_equal(got.reshape(-1), np.arange(12).astype(dtype))


def test_a_copy_is_the_callers_own():
    elements = plain(np.arange(6, dtype="<f4"))
    got = decoded(elements, copy=True)
    got[0] = 9
    assert got.tolist() == [9, 1, 2, 3, 4, 5]
    assert decoded(elements)[0] == 0
    assert decoded(of_type(by_name("Q8_0"), (32,), np.zeros((1, 34), np.uint8)), copy=True).flags.writeable


def test_big_endian_views_keep_their_byte_order_and_decode_to_the_machines():
    stored = np.arange(5, dtype=">f4")
    elements = of_type(big_endian(by_name("F32")), (5,), stored.view(np.uint8))
    assert decoded(elements).dtype.byteorder == ">"
    assert decoded(elements).tolist() == [0, 1, 2, 3, 4]
    native = decoded(elements, np.float32)
    assert native.dtype.isnative
    assert native.tolist() == [0, 1, 2, 3, 4]


def test_bfloat16_is_a_view_where_ml_dtypes_is_installed(monkeypatch):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    stored = np.array([1.5, -2, np.inf], ml_dtypes.bfloat16)
    elements = of_type(by_name("BF16"), (3,), stored.view(np.uint8))
    assert decoded(elements).dtype == ml_dtypes.bfloat16
    assert np.shares_memory(decoded(elements), elements.source.view(0, elements.source.size))
    assert decoded(elements, np.float32).tolist() == [1.5, -2, np.inf]
    monkeypatch.setitem(__import__("sys").modules, "ml_dtypes", None)
    assert decoded(elements).dtype == np.float32
    assert decoded(elements).tolist() == [1.5, -2, np.inf]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8"])
def test_quantized_values_in_other_dtypes(dtype):
    type = by_name("Q4_K")
    blocks = finite_blocks(type, 3)
    elements = of_type(type, (3, 256), blocks)
    assert np.array_equal(decoded(elements, dtype), by_type(type, blocks).astype(dtype))


def test_integers_convert_to_float_but_not_back():
    elements = plain(np.array([1, -(2**62)], "<i8"))
    assert decoded(elements, np.float32).tolist() == [1, -(2.0**62)]
    with pytest.raises(TypeError, match="do not convert"):
        decoded(of_type(by_name("Q8_0"), (32,), np.zeros((1, 34), np.uint8)), np.int8)
    with pytest.raises(TypeError, match="do not convert"):
        decoded(plain(np.ones(2, np.complex64)), np.float32)


@pytest.mark.parametrize("shape", [(0,), (0, 32), (3, 0, 32)])
def test_no_elements(shape):
    assert decoded(of_type(by_name("Q4_0"), shape, np.zeros((0, 18), np.uint8))).shape == shape
    assert decoded(plain(np.empty(shape, np.float32))).shape == shape


def test_a_scalar():
    got = decoded(plain(np.array(2.5, np.float32)))
    assert got.shape == ()
    assert got == 2.5


def test_progress_and_cancel(monkeypatch):
    monkeypatch.setattr("weightmap.reading.elements.CHUNK", 64)
    elements = of_type(by_name("Q8_0"), (320,), np.zeros((10, 34), np.uint8))
    seen = []
    decoded(elements, threads=1, progress=lambda *at: seen.append(at))
    assert seen == [(64, 320), (128, 320), (192, 320), (256, 320), (320, 320), (320, 320)]
    with pytest.raises(Cancelled):
        decoded(elements, progress=lambda done, total: False)


def test_gather_of_the_base_class_reads_whole_grains():
    from weightmap.reading.elements import Elements

    elements = of_type(by_name("Q4_0"), (4, 64), random_blocks(by_name("Q4_0"), 8))
    starts, out = np.array([3, 70, 190], np.int64), np.empty((3, 40), np.float32)
    Elements.gather(elements, starts, 40, out, Workspace())
    flat = values_of(elements).reshape(-1)
    assert np.array_equal(out, [flat[s : s + 40] for s in (3, 70, 190)], equal_nan=True)


@pytest.mark.parametrize("dtype", ["S4", "U3", "V4", "M8[s]", "f4,f4"])
def test_values_become_numbers_only(dtype):
    with pytest.raises(TypeError, match="dtype must be one of numbers"):
        decoded(plain(np.ones(3, np.float32)), dtype)


def test_a_signalling_nan_converts_without_a_warning():
    values = np.array([0x7F800001, 0x3F800000], np.uint32).view(np.float32)
    np.testing.assert_array_equal(decoded(plain(values), np.float64), [np.nan, 1.0])


def test_big_endian_integers_become_integers_of_the_machine():
    stored = np.array([-2, 300], ">i2")
    got = decoded(of_type(big_endian(by_name("I16")), (2,), stored.view(np.uint8)), np.int16)
    assert (got.dtype, got.tolist()) == (np.dtype(np.int16), [-2, 300])
