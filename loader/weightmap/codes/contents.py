"""Codes of what is in a file: its tensors, what they mean together, their values."""

from __future__ import annotations

from weightmap.codes.code import AGAIN, Code

CONTENTS: dict[str, Code] = {
    # tensors in the file
    "out_of_bounds": Code("error", "truncated", "a tensor lies outside the file", AGAIN),
    "size_overflow": Code(
        "error",
        "corrupt",
        "a shape's product does not fit 63 bits, or its size in bytes is more than a file can hold",
        AGAIN,
    ),
    "size_mismatch": Code(
        "error", "corrupt", "a tensor's extent is not what its type and shape need", "Write the file anew."
    ),
    "block_misfit": Code(
        "error",
        "corrupt",
        "rows are no whole number of blocks",
        "Quantize the tensor again with a type whose block fits its rows.",
    ),
    "overlap": Code("error", "corrupt", "two tensors share bytes", "Write the file anew."),
    "gap": Code("warning", "", "unexplained bytes between tensors", "Write the file anew if a loader refuses it."),
    "tensor_order": Code(
        "warning",
        "",
        "tensors lie in another order than the header lists them",
        "llama.cpp refuses it: write the file anew.",
    ),
    "unaligned_offset": Code(
        "warning", "", "a tensor's offset is no multiple of the alignment", "llama.cpp refuses it: write the file anew."
    ),
    "trailing_bytes": Code(
        "warning",
        "",
        "bytes after the last tensor",
        "Find out what wrote them; a clean copy has none. If the file was downloaded, compare its checksum: one that was resumed "
        "at the wrong place is too long, and its values are wrong.",
    ),
    "begun_again": Code(
        "error",
        "corrupt",
        "the whole file stands behind a piece of itself, as where a download was to go on and began from the start",
        AGAIN,
    ),
    "repeated_piece": Code(
        "error",
        "corrupt",
        "a piece of the file stands twice, as where a download went on at an earlier place than it had reached",
        AGAIN,
    ),
    "text_mode": Code(
        "error",
        "corrupt",
        "every line feed of the file, or of its values, has a carriage return before it: it was sent as if it were text",
        "Copy or download the file again, as binary (of FTP: type I), and let no version control convert its line ends.",
    ),
    "nonzero_padding": Code("info", "", "bytes other than zero between tensors where padding belongs"),
    "duplicate_tensor": Code("error", "corrupt", "a tensor name stands twice", "Keep one of them."),
    "unsupported_type": Code(
        "error",
        "unsupported",
        "a stored type that is not known here, or means two things",
        "Quantize the tensor again with a type of ggml.",
    ),
    "unsupported_dtype": Code(
        "error", "unsupported", "a safetensors dtype that is not known here", "Look for a newer release."
    ),
    "too_many_dims": Code("warning", "corrupt", "more than four dimensions in a GGUF", "llama.cpp stops at four."),
    "name_too_long": Code(
        "warning",
        "",
        "a tensor name of more than 63 bytes, or a metadata key of more than 65,535",
        "llama.cpp refuses it: shorten the name.",
    ),
    "empty_name": Code(
        "warning", "", "a tensor or a metadata key of a GGUF without a name", "Loaders refuse it: give it a name."
    ),
    "control_char": Code(
        "warning", "", "a name or key with control or bidi characters", "Rename it: tools show it wrongly."
    ),
    "non_utf8": Code("warning", "", "text that is not UTF-8", "Some readers stop at it: write the text as UTF-8."),
    "bad_bool": Code("info", "", "a bool in the metadata that is neither 0 nor 1"),
    "no_tensors": Code("info", "", "a file without tensors"),
    # meaning
    "missing_arch": Code("warning", "", "general.architecture is missing", "llama.cpp refuses it."),
    "unknown_arch": Code("info", "", "an architecture that is not known here; shapes were not checked"),
    "shape_mismatch": Code(
        "warning",
        "",
        "a tensor's shape contradicts the hyperparameters in the metadata or in config.json, or that of its other half",
        "Loaders refuse it: take metadata and tensors from one conversion, or convert the model again.",
    ),
    "block_count": Code(
        "warning",
        "",
        "the file has more blocks than its block count says, or the count is one that no model has",
        "Loaders refuse it: correct the block count, or convert the model again.",
    ),
    "missing_tensor": Code(
        "info",
        "",
        "tensors of the architecture are not in the file, as in a subset; a warning where a file that calls itself a "
        "model lacks in some blocks what the others have, or one of a pair in an adapter or importance matrix",
    ),
    "unexpected_tensor": Code("info", "", "tensors that the architecture does not have"),
    "vocabulary_size": Code(
        "warning",
        "",
        "the embedding has fewer rows than the vocabulary has tokens, or more than twice as many; padding rows are info",
        "llama.cpp refuses it: take the tokenizer and the tensors from one conversion.",
    ),
    "token_arrays": Code(
        "warning",
        "",
        "the tokenizer's arrays with one entry per token differ in length",
        "Take the whole tokenizer from one conversion.",
    ),
    "token_id": Code(
        "warning",
        "",
        "a special token is beyond the vocabulary; info for others than those that begin and end a text",
        "Take the whole tokenizer from one conversion.",
    ),
    "emptied": Code(
        "warning",
        "corrupt",
        "half of the weights of a safetensors file, or more, have no values",
        "Gather the weights when saving, or make the checkpoint from the training's own with zero_to_fp32.py.",
    ),
    "hyperparameter": Code(
        "warning",
        "corrupt",
        "hyperparameters contradict each other, such as heads that cannot share their keys evenly",
        "Loaders stop at it or compute nonsense: correct the number, or take the metadata from a sound conversion.",
    ),
    "per_layer_length": Code(
        "warning",
        "",
        "an array with one number per block has another length than there are blocks",
        "llama.cpp refuses it: write one number per block, or one for all.",
    ),
    "bad_config": Code("info", "", "config.json beside the file cannot be used; shapes were not checked"),
    "file_type": Code("info", "", "general.file_type names another quantization than most weights have"),
    "fallback_type": Code(
        "info", "", "rows that are no multiple of the block size made the quantizer take other types, which is normal"
    ),
    "wrong_kv_type": Code(
        "warning", "", "a well-known key has a value of another type", "llama.cpp refuses it: write the key anew."
    ),
    "chat_template": Code("info", "", "the chat template is empty or may not parse"),
    # values
    "non_finite": Code(
        "warning",
        "",
        "NaN or Inf among the values or the scales of blocks",
        "Compare its checksum, as damaged copies have such values; if it is whole, convert the model again from a sound original.",
    ),
    "all_zero": Code(
        "warning", "", "every value of a tensor is zero", "Compare with the original: a download may have lost a part."
    ),
    "zeroed_stretch": Code(
        "warning",
        "",
        "4,096 bytes or more in a row are zero inside a tensor, and are no rows of padding or of unused tokens; also where a file "
        "of several tensors ends in 65,536 or more, or has holes that nothing was ever written to, which is seen without --values",
        "Compare with the original, or its checksum: a download may have lost a piece.",
    ),
    "saturated": Code(
        "info", "", "values of F16 that are as large as its values get", "Compare with an original of wider range."
    ),
}
