"""Codes of weights that lie in several tensors."""

from __future__ import annotations

from weightmap.codes.code import Code

COMPOSED: dict[str, Code] = {
    # weights that lie in several tensors
    "scale_missing": Code(
        "error",
        "corrupt",
        "a quantized weight has no scales, though the quantization config says that it has some; a warning where only its "
        "neighbours have, or have zeros or an order that it lacks, a note where the format makes that normal",
        "Take all files of the checkpoint from one place: its scales may lie in another part.",
    ),
    "scale_shape": Code(
        "error",
        "corrupt",
        "the scales or zeros of a quantized weight are not as many as its codes need",
        "Quantize the weight again: which scale is for which code cannot be told.",
    ),
    "several_scales": Code(
        "error",
        "corrupt",
        "a quantized weight has scales under two names that differ",
        "Take the checkpoint from its source again, or delete the scales that its loader does not read.",
    ),
    "dtype_mismatch": Code(
        "error",
        "corrupt",
        "a part of a quantized weight is not stored in the type that its scheme has",
        "Take the checkpoint from its source again, or quantize the original again.",
    ),
    "packed_size": Code(
        "error",
        "corrupt",
        "packed codes hold another number of values than the shape of the weight needs, or numbers that are no codes",
        "Take the checkpoint from its source again, or quantize the original again.",
    ),
    "group_index": Code(
        "error",
        "corrupt",
        "the order of a quantized weight puts a column into a group that is not there, or none into one that has scales; a warning "
        "where it only makes groups of unlike sizes, or names none at all",
        "Take the checkpoint from its source again, or quantize the original again.",
    ),
    "odd_zero": Code(
        "warning",
        "",
        "zero points that no quantizer can have meant, as one below zero that ran over its neighbours when it was packed",
        "Quantize the original again with a writer that knows such zeros (gptq_v2).",
    ),
    "quant_metadata": Code(
        "error",
        "corrupt",
        "the description of a quantized weight is missing, cannot be read, or contradicts its tensors; a warning or a note where "
        "the table of 4-bit codes is another one than kernels have built in",
        "Take the checkpoint from its source again, or quantize the original again.",
    ),
    "unknown_scheme": Code(
        "error",
        "unsupported",
        "a weight is quantized in a way that is not decoded here; a note where the scheme is known by name",
        "Its tensors can be looked at as they are stored; open the checkpoint that it was made from for the values.",
    ),
    "orphan_scale": Code(
        "warning",
        "",
        "scales or other parts of a quantized weight whose codes are not there, or which are read without them",
        "Take all files of the checkpoint from one place: the codes may lie in another part.",
    ),
    "doubled_weight": Code(
        "warning",
        "",
        "a weight is there both as a plain tensor and as the parts of a quantized one, which are shown",
        "Find out which of them the model's loader reads, and delete the other.",
    ),
    "odd_scale": Code(
        "warning",
        "",
        "scales of a quantized weight that are NaN, infinite, zero or negative, or that make its values a thousand times larger or "
        "smaller than those of trained models",
        "Quantize the original again: what such a scale is for is lost.",
    ),
    "quant_config": Code(
        "warning",
        "",
        "the quantization config contradicts the tensors, which go before it",
        "Loaders that believe the config read other values: take config and tensors from one checkpoint.",
    ),
    "low_rank": Code(
        "info",
        "",
        "a quantized weight has a low-rank addition beside it, as SVDQuant and adapters have; its values are shown without it",
    ),
    "assumed_reading": Code(
        "info",
        "",
        "nothing in the file decides how a quantized weight is to be read, and one of several readings is shown",
        "In the window a button reads it the other way; on the command line --reading, in Python WeightFile.read_as.",
    ),
}
