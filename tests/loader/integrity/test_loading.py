"""Weights verified while they are loaded: by path, by dict, by what lies beside them; what differs leaves nothing open."""

import json

import numpy as np
import pytest
from support.checksums import DATA, flip, place, sha
from support.manifests import place_of, stated

import weightmap


def test_by_path_dict_and_by_itself(model):
    manifest = stated(model, "ours")
    for verify in (manifest, str(manifest), json.loads(manifest.read_text()), {"c": sha(DATA["c"])}):
        names = "c" if isinstance(verify, dict) and "c" in verify else None
        with weightmap.load_weights(model, verify=verify, names=names) as weights:
            assert weights["c"].tolist() == [0, 1, 2]
    with pytest.raises(weightmap.WeightFileError) as problem:
        weightmap.load_weights(model, verify=True)
    assert problem.value.code == "no_checksums"
    manifest.rename(model.with_name("m.gguf.digest.json"))
    assert len(weightmap.load_weights(model, verify=True)) == 3
    for verify in (None, False):
        assert len(weightmap.load_weights(model, verify=verify)) == 3
    with pytest.raises(weightmap.CorruptWeightError, match="than the given dict states"):
        weightmap.load_weights(model, names="c", verify={"c": sha(DATA["a"])})


def test_a_mismatch_says_tensor_and_range_and_leaves_nothing_open(model):
    manifest = stated(model, "ours")
    flip(model, place(model, "c") + 2)
    with pytest.raises(weightmap.CorruptWeightError) as problem:
        weightmap.load_weights(model, verify=manifest)
    assert (problem.value.tensor, problem.value.offset) == ("c", place_of(model, "c"))
    with weightmap.load_weights(model, names="a", verify=manifest) as weights:  # only what is asked for is compared
        assert np.array_equal(weights["a"].reshape(-1), np.arange(24, dtype=np.float32))
    with pytest.raises(weightmap.CorruptWeightError):
        weightmap.load_weights(model, names=["a", "c"], verify=manifest)
