from __future__ import annotations

import io
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.build import gguf, safetensors

import weightmap
from weightmap.asked import UnknownNameError, dtype_asked, nearest_name, number_asked


@pytest.fixture
def path(tmp_path):
    """Floats, integers and complex numbers."""
    path = tmp_path / "m.safetensors"
    tensors = [("a.weight", "F32", (2,), bytes(8)), ("ids", "I64", (2,), bytes(16)), ("c", "C64", (1,), bytes(8))]
    path.write_bytes(safetensors(tensors))
    return path


@pytest.fixture
def tensor(tmp_path):
    path = tmp_path / "q.gguf"
    path.write_bytes(gguf(tensors=[("w", (4, 32), 8, (b"\0\x3c" + bytes(range(32))) * 4)]))
    with weightmap.open(path) as model:
        yield model.tensors["w"]


@pytest.mark.parametrize(
    ("dtype", "words"),
    [
        ("float33", "such as 'float32' or np.float16; got 'float33'"),
        ("Q4_K", "such as 'float32' or np.float16; got 'Q4_K'"),
        (5, "got 5"),
        ("str", "one of numbers"),
        ("datetime64[s]", "one of numbers"),
        ("F16", "is the name of a stored type; give the name of a dtype, 'float16'"),
        ("f16", "'float16'"),
        ("bf16", "'bfloat16'"),
    ],
)
def test_a_dtype_that_is_none_is_refused_at_once(path, tensor, dtype, words):
    for ask in (lambda: weightmap.load_weights(path, dtype=dtype), lambda: tensor.array(dtype)):
        with pytest.raises(TypeError, match=words):
            ask()


def test_dtypes_are_asked_for_by_any_name_that_numpy_has(path):
    for dtype in ("float16", "f2", np.float16, np.dtype("f2"), b"float16"):
        assert weightmap.load_weights(path, dtype=dtype)["a.weight"].dtype == np.float16
    assert dtype_asked(None) is None


def test_bfloat16_is_found_where_its_package_is():
    pytest.importorskip("ml_dtypes")
    program = "from weightmap.asked import dtype_asked; print(dtype_asked('bfloat16'), dtype_asked('float8_e4m3fn'))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "bfloat16 float8_e4m3fn\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "ml_dtypes", None)
        patch.setattr(np, "dtype", lambda asked: (_ for _ in ()).throw(TypeError(asked)))
        with pytest.raises(TypeError, match="with the package ml_dtypes"):
            dtype_asked("bfloat16")


def test_floats_are_not_made_integers(path):
    with pytest.raises(TypeError, match=r"'a.weight' holds float32, which does not convert to int8"):
        weightmap.load_weights(path, dtype="int8")
    assert weightmap.load_weights(path, dtype="int8", names="ids")["ids"].dtype == np.int8


def test_what_cannot_come_as_asked_fails_at_once_where_it_is_all(path):
    assert weightmap.load_weights(path, dtype=np.float32)["ids"].dtype == np.float32
    with pytest.raises(TypeError, match="'c' holds complex64, which does not convert to float32"):
        weightmap.load_weights(path, dtype=np.float32, names=["c"])


def test_a_dtype_is_no_matter_of_what_stays_quantized(tensor):
    assert weightmap.load_weights(tensor.path, dtype="int8", keep_quantized=True)["w"].name == "w"
    with pytest.raises(TypeError, match="'w' holds float32"):
        weightmap.load_weights(tensor.path, dtype="int8")


@pytest.mark.parametrize("names", [b"a.weight", 5, ["a.weight", None], Path("a.weight"), [b"a.weight"]])
def test_names_are_text(path, names):
    with pytest.raises(TypeError, match=r"a name, or several, must be given as str; got (b'a|5$|None|[A-Za-z]*Path)"):
        weightmap.load_weights(path, names=names)


def test_a_name_that_is_not_there_says_which_is_near(path):
    with weightmap.open(path) as model, weightmap.load_weights(path) as weights:
        for look in (
            model.tensors.__getitem__,
            weights.__getitem__,
            lambda name: weightmap.load_weights(path, names=name),
        ):
            with pytest.raises(KeyError) as caught:
                look("A.Weight")
            assert str(caught.value) == "no tensor is called 'A.Weight'; is 'a.weight' meant?"
            assert caught.value.args == ("A.Weight",)
            with pytest.raises(KeyError) as caught:
                look("zzz")
            assert str(caught.value) == "no tensor is called 'zzz'"
        assert model.tensors.get("zzz") is None and weights.get("zzz") is None


def test_the_error_of_a_name_can_be_sent():
    sent = pickle.loads(pickle.dumps(UnknownNameError("weigth", {"weight": 1, "other": 2})))
    assert str(sent) == "no tensor is called 'weigth'; is 'weight' meant?"


def test_near_names_are_looked_for_among_a_bounded_number():
    taken = []
    assert nearest_name("x", (taken.append(n) or str(n) for n in range(1_000_000))) is None
    assert len(taken) <= 100_000


@pytest.mark.parametrize("number", [2.5, "2", None])
def test_numbers_are_whole(number):
    with pytest.raises(TypeError, match="threads must be a whole number of at least 1; got "):
        number_asked("threads", number)


def test_threads_and_samples(tensor):
    assert tensor.array(threads=np.int64(2)).shape == (4, 32)
    for threads in (2.5, "2"):
        with pytest.raises(TypeError, match="threads must be a whole number"):
            tensor.array(threads=threads)
    for sample in ("FAST", "8"):
        with pytest.raises(TypeError, match='or "fast"; got'):
            tensor.heatmap(2, 2, sample=sample)
        with pytest.raises(TypeError, match='or "fast"; got'):
            weightmap.whatif(tensor, "Q8_0", sample=sample)


@pytest.mark.parametrize("types", ["q4_0", ["q4_0", "Q4_0"], "Q4_0"])
def test_types_are_named_in_capitals_or_not(tensor, types):
    assert [row.type for row in weightmap.whatif(tensor, types)] == ["Q4_0"]
    [kind] = [kind for kind in weightmap.whatif_types() if kind.name == "Q4_0"]
    for given in (kind, [kind]):
        assert weightmap.whatif(tensor, given) == weightmap.whatif(tensor, types)


@pytest.mark.parametrize("types", [5, b"Q4_0", [None], [b"Q4_0"]])
def test_what_is_no_name_of_a_type(tensor, types):
    with pytest.raises(TypeError, match="such as 'Q4_K'; got "):
        weightmap.whatif(tensor, types)


def test_whatif_wants_a_tensor():
    for given in ("w", np.ones(32), None):
        with pytest.raises(TypeError, match="whatif takes a tensor of an open model"):
            weightmap.whatif(given)


def test_find_models_gives_text(path):
    assert list(weightmap.find_models(bytes(path))) == [str(path)]


def test_keys_and_weights_that_are_not_there(tensor):
    with weightmap.open(tensor.path) as model:
        for look, what in (
            (model.metadata.__getitem__, "metadata key"),
            (model.metadata_type, "metadata key"),
            (model.composed.__getitem__, "weight"),
            (model.weights.__getitem__, "weight"),
            (lambda name: model.read_as("x", names=[name]), "weight"),
        ):
            with pytest.raises(KeyError) as caught:
                look("nowhere")
            assert str(caught.value) == f"no {what} is called 'nowhere'"
        assert repr(model.tensors) == "<1 tensor>"
        assert repr(model.weights) == "<1 weight>" and repr(model.composed) == "<0 weights>"


def test_what_is_no_tensor_is_refused_everywhere():
    for function in (weightmap.to_torch, weightmap.to_jax, lambda given: weightmap.write_values(given, io.BytesIO())):
        for given in ("w", np.ones(3)):
            with pytest.raises(
                TypeError, match=r"takes a tensor of an open model, such as model.tensors\[NAME\]; got "
            ):
                function(given)


@pytest.mark.parametrize("limits", [(None, None), "ab", (1,), (0, 1, 2), (1, 1), 5])
def test_limits_are_two_numbers(tensor, limits):
    with pytest.raises(ValueError, match="limits must be two finite numbers, the lower one first; got "):
        tensor.histogram(4, limits)


@pytest.mark.parametrize("rows", ["ab", (1,), (0.5, 3), 5])
def test_windows_are_two_whole_numbers(tensor, rows):
    with pytest.raises(TypeError, match="a window is two whole numbers, the first and one past the last; got "):
        tensor.heatmap(2, 2, rows=rows)


@pytest.mark.parametrize(
    "dtype", [{"names": ["a"]}, ("f4", -1), ("f4", (1 << 40,)), ("f4", "x"), ",", "99999999999999999999f4", "\ud800"]
)
def test_what_numpy_refuses_in_other_ways_is_no_dtype_either(tensor, dtype):
    text = "dtype must be one of numpy's, such as 'float32' or np.float16; got "
    with pytest.raises(TypeError, match=text):
        tensor.array(dtype)
    with pytest.raises(TypeError, match=text):
        weightmap.load_weights(tensor.path, dtype=dtype)
    with pytest.raises(TypeError, match=text), weightmap.pair_models(tensor.path, tensor.path) as pairs:
        weightmap.PairValues(pairs[0], "error").array(dtype)


def test_a_pair_has_four_faces(tensor):
    with weightmap.pair_models(tensor.path, tensor.path) as pairs:
        with pytest.raises(ValueError, match="face must be one of error, quantized, reference, fresh; got 'Reference'"):
            weightmap.PairValues(pairs[0], "Reference")
        with pytest.raises(TypeError, match="Cannot cast"):
            weightmap.PairValues(pairs[0], "reference").array("int8")
        with pytest.raises(TypeError, match="dtype must be one of numpy's"):
            weightmap.PairValues(pairs[0], "reference").array("Q4_K")
        with pytest.raises(TypeError, match="measure_pair takes the pairs of two models and one of them"):
            weightmap.measure_pair(pairs[0], pairs)


def test_a_report_names_the_place_that_is_not_there(tensor, tmp_path):
    comparison = weightmap.compare(tensor.path, tensor.path)
    with pytest.raises(FileNotFoundError) as caught:
        weightmap.write_report(comparison, tmp_path / "no" / "r.md")
    assert caught.value.filename == str(tmp_path / "no" / "r.md")
    with pytest.raises(TypeError, match="a report is written of what compare returns; got str"):
        weightmap.write_report(tensor.path, tmp_path / "r.md")
    weightmap.write_report(comparison, bytes(tmp_path / "r.md"))
    assert (tmp_path / "r.md").stat().st_size


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"name": b"ODD"}, "has no name; a str was expected"),
        ({"elements": 2.0}, r"ODD must have an int as elements; got 2\.0"),
        ({"bytes": "1"}, "ODD must have an int as bytes; got '1'"),
        ({"id": "300"}, "ODD must have an int as id; got '300'"),
    ],
)
def test_a_type_of_odd_numbers_is_not_registered(given, words):
    body = {"name": "ODD", "elements": 2, "bytes": 1, "decode": lambda *_: None}
    with pytest.raises(ValueError, match=words):
        weightmap.register_type(type("Odd", (weightmap.StoredType,), body | given)())
