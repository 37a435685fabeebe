"""The vocabulary of findings: every code with how loud it is, which kind of error it raises, when it is said and what to do.

A code is public: scripts match on it. Add new ones in the same style, never reuse one for another meaning. `severity` is
the usual one; a check may say the same thing louder or more quietly where the case is another (a gap in safetensors is an
error, in GGUF a warning).
"""

from __future__ import annotations

from typing import NamedTuple

AGAIN = "Download the file again, or let the download resume, then compare its checksum."


class Code(NamedTuple):
    """What a code means. `kind` chooses the class of error (`weightmap.errors`) where it is raised."""

    severity: str
    kind: str
    condition: str
    advice: str = ""


CODES: dict[str, Code] = {
    # the file as a whole: what it is when it is no model
    "not_found": Code(
        "error",
        "missing",
        "there is no such file, or a link leads nowhere",
        "Check the path; a link in a download cache may point to a blob that was removed.",
    ),
    "permission": Code("error", "unreadable", "the system refuses to read the file", "Change the file's permissions."),
    "read_error": Code(
        "error",
        "unreadable",
        "the system failed to read the file (a failing disk, a lost share)",
        "Copy the file to another disk and try again.",
    ),
    "not_regular_file": Code(
        "error", "unsupported", "the path is a device, a pipe or a socket", "Give a regular file."
    ),
    "remote_error": Code(
        "error",
        "unreadable",
        "a server cannot be reached, answers with an error, breaks off, or sends other bytes than were asked for",
        "Try again later, or download the file and open it from the disk.",
    ),
    "no_ranges": Code(
        "error",
        "unsupported",
        "a server sends a large file whole instead of the range asked for; info where a small one was read whole",
    ),
    "unknown_address": Code(
        "error",
        "unsupported",
        "an address begins with a scheme that neither fsspec nor its plug-ins know, or names no file",
        "Check the address; a scheme may need a package of its own, as s3:// needs s3fs.",
    ),
    "missing_package": Code(
        "error",
        "package",
        "what was asked for needs an optional package that is not installed",
        "Install the package.",
    ),
    "no_model_in_directory": Code(
        "error",
        "unsupported",
        "a folder holds no weight file",
        "Choose a folder that holds a .gguf or .safetensors file.",
    ),
    "several_models": Code(
        "error", "several", "a folder holds several models, and one was asked for", "Open one of them."
    ),
    "directory": Code("info", "", "a folder was given; the one model in it was opened"),
    "empty_file": Code("error", "corrupt", "the file has no bytes", AGAIN),
    "zeroed": Code("error", "corrupt", "the file begins with zeros where a header should be", AGAIN),
    "lfs_pointer": Code(
        "error",
        "unsupported",
        "the file is a Git LFS pointer, not the model",
        "Fetch the real file: git lfs pull, or download it from the model's page.",
    ),
    "html": Code(
        "error",
        "unsupported",
        "the file is a web page",
        "Download the file itself: on Hugging Face the link with /resolve/ in it, not /blob/.",
    ),
    "text_body": Code(
        "error",
        "unsupported",
        "the file is a text or JSON message of a server, not a model",
        "Read the message; log in or accept the model's terms if it asks for that, then download again.",
    ),
    "legacy_ggml": Code(
        "error",
        "unsupported",
        "a ggml, ggmf or ggjt file from before GGUF",
        "Convert it with an old llama.cpp, or download a GGUF of the model.",
    ),
    "pytorch_zip": Code(
        "error",
        "unsupported",
        "a PyTorch checkpoint in a zip archive",
        "Convert it to safetensors. It is not opened here: unpickling can run code.",
    ),
    "pickle": Code(
        "error",
        "unsupported",
        "a pickle stream",
        "Convert it to safetensors. It is not opened here: unpickling can run code.",
    ),
    "unknown_format": Code(
        "error", "unsupported", "neither GGUF nor safetensors nor an imatrix", "Check that this is the file you meant."
    ),
    "not_an_imatrix": Code(
        "error",
        "unsupported",
        "a model was given where an importance matrix was asked for",
        "Give the file that llama-imatrix wrote.",
    ),
    "extension_mismatch": Code(
        "warning",
        "",
        "the content is of another format than the file name says",
        "Rename the file: most loaders go by the ending.",
    ),
    # containers
    "truncated": Code("error", "truncated", "the file ends before what its header promises", AGAIN),
    "bad_header": Code("error", "corrupt", "the header cannot be read", AGAIN),
    "header_start": Code(
        "warning", "", "white space before the header's first brace", "Some readers refuse it: write the file anew."
    ),
    "bad_count": Code("error", "corrupt", "a count is larger than the file has room for", AGAIN),
    "bad_length": Code("error", "corrupt", "a string or array is longer than the file has room for", AGAIN),
    "bad_alignment": Code(
        "error",
        "corrupt",
        "general.alignment is zero, no power of two, or no integer",
        "Write the file anew with alignment 32.",
    ),
    "unsupported_version": Code(
        "error", "unsupported", "a GGUF version that is not known here", "Look for a newer release."
    ),
    "old_version": Code(
        "info",
        "unsupported",
        "GGUF version 1 or 2",
        "Current tools read version 3: convert the file if one refuses it.",
    ),
    "big_endian": Code("info", "", "a big-endian file"),
    "byte_swapped_magic": Code(
        "error",
        "corrupt",
        "the magic number is byte-swapped (FUGG)",
        "The writer swapped the magic, which stays the same in big-endian files: write it anew.",
    ),
    "unknown_kv_type": Code("error", "unsupported", "a metadata value of a type that GGUF does not define", AGAIN),
    "nested_array": Code(
        "warning", "", "an array of arrays in the metadata", "llama.cpp refuses it: flatten the array."
    ),
    "nesting_too_deep": Code("error", "corrupt", "arrays nested deeper than 8 levels", "Write the file anew."),
    "duplicate_key": Code("error", "corrupt", "a metadata key or header entry stands twice", "Keep one of them."),
    "bad_metadata": Code(
        "warning", "corrupt", "__metadata__ is not a map of strings to strings", "Write the values as strings."
    ),
    "missing_field": Code(
        "error", "corrupt", "a tensor's entry lacks dtype, shape or data_offsets", "Write the file anew."
    ),
    "bad_offsets": Code("error", "corrupt", "data_offsets are no two ascending whole numbers", "Write the file anew."),
    "bad_shape": Code("error", "corrupt", "a dimension is no whole number", "Write the file anew."),
    "reserved_name": Code("error", "corrupt", "a tensor is called __metadata__", "Rename the tensor."),
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
        "warning", "", "bytes after the last tensor", "Find out what wrote them; a clean copy has none."
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
    "too_many_dims": Code("warning", "corrupt", "more than four dimensions", "llama.cpp stops at four."),
    "name_too_long": Code(
        "warning", "", "a tensor name of more than 63 bytes", "llama.cpp refuses it: shorten the name."
    ),
    "control_char": Code(
        "warning", "", "a name or key with control or bidi characters", "Rename it: tools show it wrongly."
    ),
    "non_utf8": Code("warning", "", "text that is not UTF-8", "Some readers stop at it: write the text as UTF-8."),
    "bad_bool": Code("info", "", "a bool in the metadata that is neither 0 nor 1"),
    "no_tensors": Code("info", "", "a file without tensors"),
    # sets
    "missing_shard": Code(
        "error", "missing", "a part of the set is not there", "Download the missing part into the same folder."
    ),
    "shard_mismatch": Code(
        "error", "corrupt", "the parts of a set do not belong together", "Download all parts from one place."
    ),
    "stale_index": Code(
        "error",
        "missing",
        "files that an index names are not there, but others beside it hold all of their tensors",
        "Open the files that are there, and delete the index.",
    ),
    "manifest": Code("info", "", "a manifest of Ollama was given; the blob that it names was opened"),
    "bad_manifest": Code("error", "corrupt", "a manifest of Ollama cannot be used", "Pull the model again."),
    "no_weights_in_manifest": Code(
        "error",
        "unsupported",
        "a manifest of Ollama names no file of weights",
        "Pull a model that is kept on this machine.",
    ),
    "missing_blob": Code(
        "error", "missing", "a blob that a manifest of Ollama names is not there", "Pull the model again."
    ),
    "lone_shard": Code(
        "info", "", "one part of a set, opened without the others", "Open the index for the whole model."
    ),
    "index_mismatch": Code(
        "error", "corrupt", "the index and its parts disagree", "Download index and parts from one place."
    ),
    # meaning
    "missing_arch": Code("warning", "", "general.architecture is missing", "llama.cpp refuses it."),
    "unknown_arch": Code("info", "", "an architecture that is not known here; shapes were not checked"),
    "shape_mismatch": Code(
        "warning",
        "",
        "a tensor's shape contradicts the hyperparameters in the metadata or in config.json",
        "Loaders refuse it: take metadata and tensors from one conversion, or convert the model again.",
    ),
    "block_count": Code(
        "warning",
        "",
        "the file has more blocks than its block count says",
        "llama.cpp refuses it: correct the block count, or convert the model again.",
    ),
    "missing_tensor": Code(
        "info",
        "",
        "tensors of the architecture are not in the file, as in a subset; a warning where a file that calls itself a "
        "model lacks in some blocks what the others have",
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
    # weights that lie in several tensors
    "scale_missing": Code(
        "error",
        "corrupt",
        "a quantized weight has no scales, though the quantization config says that it has some; a warning where only its "
        "neighbours have, a note where the format makes that normal",
        "Take all files of the checkpoint from one place: its scales may lie in another part.",
    ),
    "scale_shape": Code(
        "error",
        "corrupt",
        "the scales or zeros of a quantized weight are not as many as its codes need",
        "Quantize the weight again: which scale is for which code cannot be told.",
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
        "packed codes hold another number of values than the shape of the weight needs",
        "Take the checkpoint from its source again, or quantize the original again.",
    ),
    "group_index": Code(
        "error",
        "corrupt",
        "the order of a quantized weight puts a column into a group that is not there",
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
        "the description of a quantized weight is missing, cannot be read, or contradicts its tensors",
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
        "scales or other parts of a quantized weight whose codes are not there",
        "Take all files of the checkpoint from one place: the codes may lie in another part.",
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
    "assumed_reading": Code(
        "info",
        "",
        "nothing in the file decides how a quantized weight is to be read, and one of several readings is shown",
    ),
    # values
    "non_finite": Code(
        "warning",
        "",
        "NaN or Inf among the values or the scales of blocks",
        "Convert the model again from a sound original.",
    ),
    "all_zero": Code(
        "warning", "", "every value of a tensor is zero", "Compare with the original: a download may have lost a part."
    ),
    "zeroed_stretch": Code(
        "warning",
        "",
        "4,096 bytes or more in a row are zero inside a tensor, and are no rows of padding or of unused tokens",
        "Compare with the original, or its checksum: a download may have lost a piece.",
    ),
    "saturated": Code(
        "info", "", "values of F16 that are as large as its values get", "Compare with an original of wider range."
    ),
    # checksums
    "checksum_mismatch": Code(
        "error", "corrupt", "a file or a tensor has another checksum than a manifest states", AGAIN
    ),
    "checksum_missing": Code(
        "error",
        "corrupt",
        "a manifest names a file or tensor that is not there, or states no checksum of one that is",
        "Take model and manifest from one place.",
    ),
    "no_checksums": Code(
        "error",
        "",
        "checksums were asked for, and none is stated of this model",
        "Name a manifest, or make one from a sound copy: weightmap digest PATH -o MANIFEST.",
    ),
    "bad_checksums": Code("error", "corrupt", "a manifest of checksums cannot be used", "Get the manifest again."),
    "ambiguous_checksums": Code(
        "error",
        "corrupt",
        "two different checksums are stated for the same bytes",
        "Name the manifest that counts: weightmap verify PATH MANIFEST.",
    ),
    # work given to others
    "worker_lost": Code(
        "error",
        "unreadable",
        "every worker of a cluster that took the file, or one tensor of it, died on it",
        "Give the workers more memory, or look at the file with a local command.",
    ),
    "worker_elsewhere": Code(
        "error",
        "unreadable",
        "a worker of a cluster does not see the file that the path leads to here",
        "Put the files where every worker sees them under the same path.",
    ),
    # while open
    "file_changed": Code(
        "error", "changed", "the file on disk is no longer the one that was opened", "Reload the file."
    ),
    "closed": Code("error", "closed", "the model was closed", "Open it again."),
}
