"""Missing and unexpected tensors: a remark, but for what a file contradicts in itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.layouts import layout, metadata, tensors

from weightmap.checks.architecture import check
from weightmap.findings import Finding
from weightmap.formats.layout import Layout, Part


def without(*endings: str, architecture: str = "llama", **more: int) -> Layout:
    kept = {name: shape for name, shape in tensors(architecture).items() if not name.endswith(endings)}
    return layout(kept, metadata(architecture, **more))


def only(found: list[Finding]) -> tuple[str, str]:
    (one,) = found
    return str(one.severity), one.code


def test_an_extract_of_one_block_is_a_remark() -> None:
    one = {name: shape for name, shape in tensors("bert").items() if name.startswith("blk.1.")}
    found = check(layout(one, metadata("bert")))
    assert only(found) == ("info", "missing_tensor")
    assert found[0].message.startswith(
        "24 tensors that the architecture bert has are not in the file, token_embd.weight,"
    )


def test_a_role_that_no_block_has_is_a_remark() -> None:
    found = check(without("ffn_norm.weight"))
    assert only(found) == ("info", "missing_tensor")
    assert "3 tensors" in found[0].message
    assert "blk.0.ffn_norm.weight first" in found[0].message


def test_a_hole_in_a_file_that_calls_itself_a_model_is_a_warning() -> None:
    (found,) = check(without("blk.1.ffn_norm.weight"))
    assert (found.severity, found.code, found.tensor) == ("warning", "missing_tensor", "blk.1.ffn_norm.weight")
    assert found.message == "1 tensor that the architecture llama has is not in the file: blk.1.ffn_norm.weight."
    assert found.advice is not None
    assert "llama.cpp refuses" in found.advice


@pytest.mark.parametrize("key", ["general.type", "tokenizer.ggml.tokens"])
def test_a_hole_is_a_remark_where_the_file_does_not_say_that_it_is_whole(key: str) -> None:
    spoilt = without("blk.1.ffn_norm.weight")
    numbers = {name: value for name, value in spoilt.metadata.items() if name != key} | {"llama.vocab_size": 50}
    assert only(check(replace(spoilt, metadata=numbers))) == ("info", "missing_tensor")


def test_nothing_is_missing_where_a_part_of_the_set_is() -> None:
    spoilt = without("blk.1.ffn_norm.weight")
    assert check(replace(spoilt, parts=(*spoilt.parts, Part("other.gguf", None)))) == []


def test_fused_and_split_forms_stand_for_each_other() -> None:
    assert check(without("attn_qkv.weight", "attn_qkv.bias")) == []
    split = ("attn_q.weight", "attn_k.weight", "attn_v.weight", "attn_q.bias", "attn_k.bias", "attn_v.bias")
    assert check(without(*split)) == []


def test_a_dense_model_lacks_no_experts_and_a_tied_one_no_output() -> None:
    experts = (
        "_exps.weight",
        "gate_inp.weight",
        "exp_probs_b.bias",
        "shexp.weight",
        *(f".{x}.weight" for x in range(8)),
    )
    found = check(without(*experts, expert_count=0))
    assert found == []
    whole = {name: shape for name, shape in tensors("llama").items() if name != "output.weight"}
    assert check(layout(whole, metadata("llama"))) == []


def test_unexpected_tensors_are_a_remark() -> None:
    whole = {
        **tensors("llama"),
        "blk.0.attn_q.scale": (1,),
        "blk.0.extra.weight": (7,),
        "x\ny": (3,),
        "blk.0x.attn_q.weight": (1,),
    }
    found = check(layout(whole, metadata("llama")))
    assert only(found) == ("info", "unexpected_tensor")
    assert found[0].message == (
        "3 tensors are not among those of the architecture llama: blk.0.extra.weight, x\\ny, blk.0x.attn_q.weight."
    )


def test_blocks_beyond_the_count_are_a_warning() -> None:
    (found,) = check(layout(tensors("llama", 3), metadata("llama", block_count=2)))
    assert (found.severity, found.code, found.key) == ("warning", "block_count", "llama.block_count")
    assert (found.expected, found.found) == ("2 blocks", "block 2")


def test_a_tensor_of_a_block_too_many_is_a_remark() -> None:
    shapes = {
        name: shape
        for name, shape in tensors("llama", 3).items()
        if "blk.2." not in name or name == "blk.2.attn_q.weight"
    }
    found = check(layout(shapes, metadata("llama", block_count=2)))
    assert only(found) == ("info", "unexpected_tensor")
    assert found[0].message == "llama.block_count is 2, and 1 tensor belongs to a block beyond: blk.2.attn_q.weight."


def test_blocks_without_any_counted_are_a_warning() -> None:
    (found,) = check(layout(tensors("llama", 2), metadata("llama", block_count=0)))
    assert (found.severity, found.code, found.expected) == ("warning", "block_count", "0 blocks")


def test_an_extract_with_its_old_number_is_not() -> None:
    one = {name: shape for name, shape in tensors("llama").items() if name.startswith("blk.2.")}
    assert only(check(layout(one, metadata("llama", block_count=1)))) == ("info", "missing_tensor")


@pytest.mark.parametrize("promised", [4, 5, 6, 400])
def test_more_blocks_promised_than_there_are(promised: int) -> None:
    (found,) = check(layout(tensors("llama", 3), metadata("llama", block_count=promised)))
    assert (found.severity, found.code, found.key) == ("warning", "missing_tensor", "llama.block_count")
    assert "blk.3.attn_q.weight" in found.message
    assert found.message.endswith(f" llama.block_count is {promised}, and the file has the first 3 blocks.")
    assert "correct llama.block_count" in (found.advice or "")


def test_a_part_of_what_is_promised_is_a_remark() -> None:
    numbers = metadata("llama", block_count=6)
    one = {name: shape for name, shape in tensors("llama", 3).items() if "blk.1." not in name and "blk.2." not in name}
    later = {name.replace("blk.", "blk.1"): shape for name, shape in tensors("llama", 3).items()}
    bare = {name: shape for name, shape in tensors("llama", 3).items() if name != "token_embd.weight"}
    for shapes in (one, later, bare):
        assert {str(found.severity) for found in check(layout(shapes, numbers))} == {"info"}
    assert only(check(layout(tensors("llama", 3), numbers | {"general.type": ""}))) == ("info", "missing_tensor")


def test_blocks_that_predict_more_tokens_may_be_left_out() -> None:
    numbers = metadata("deepseek2", block_count=4) | {"deepseek2.nextn_predict_layers": 1}
    shapes = {name: shape for name, shape in tensors("deepseek2", 3).items() if ".nextn." not in name}
    assert {str(one.severity) for one in check(layout(shapes, numbers))} <= {"info"}


@pytest.mark.parametrize("total", [513, 4_000_000_000, 2**64 - 1, -1])
def test_a_count_that_no_model_has_is_a_warning(total: int) -> None:
    (found,) = check(layout(tensors("llama", 3), metadata("llama", block_count=total)))
    assert (found.severity, found.code, found.key) == ("warning", "block_count", "llama.block_count")
    assert f"llama.block_count is {total:,}, and the file has tensors of 3 blocks" in found.message
    assert (found.expected, found.found) == ("1 to 512 blocks", f"{total:,}")


def test_a_count_that_no_model_has_is_nothing_to_a_file_without_blocks() -> None:
    found = check(layout({"output_norm.weight": (24,)}, metadata("llama", block_count=4_000_000_000)))
    assert [one.code for one in found if one.severity != "info"] == []
    assert not any("000,000" in one.message for one in found)


def test_512_blocks_are_believed() -> None:
    assert only(check(layout(tensors("llama", 3), metadata("llama", block_count=512)))) == ("warning", "missing_tensor")


@pytest.mark.parametrize("block", [0, 1, 3])
def test_a_block_that_is_missing_as_a_whole_is_a_hole(block: int) -> None:
    kept = {name: shape for name, shape in tensors("llama", 4).items() if not name.startswith(f"blk.{block}.")}
    assert only(check(layout(kept, metadata("llama", block_count=4)))) == ("warning", "missing_tensor")


@pytest.mark.parametrize("number", ["9", "02"])
def test_a_tensor_under_the_number_of_no_block_is_missing_in_its_own(number: str) -> None:
    other, names = f"blk.{number}.ffn_norm.weight", tensors("llama", 4)
    shapes = {name.replace("blk.2.ffn_norm.weight", other): shape for name, shape in names.items()}
    found = check(layout(shapes, metadata("llama", block_count=4)))
    assert sorted((one.code, str(one.severity), one.expected or one.found) for one in found) == [
        ("missing_tensor", "warning", "blk.2.ffn_norm.weight"),
        ("unexpected_tensor", "info", other),
    ]
