"""Codes of files, of their containers, of sets of them, and of files that change while they are open."""

from __future__ import annotations

from weightmap.codes.code import AGAIN, Code

FILES: dict[str, Code] = {
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
    "zeroed": Code(
        "error", "corrupt", "the file begins with zeros where a header should be, or its header turns into them", AGAIN
    ),
    "lfs_pointer": Code(
        "error",
        "unsupported",
        "the file is a pointer of Git LFS, git-annex or Git-Xet, not the model",
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
    "unfinished_download": Code(
        "warning",
        "corrupt",
        "the file's name, or a file beside it, says that its download is not finished",
        "Let the download finish; if it has, rename the file or delete the notes beside it, and compare its checksum.",
    ),
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
    # sets
    "missing_shard": Code(
        "error", "missing", "a part of the set is not there", "Download the missing part into the same folder."
    ),
    "shard_mismatch": Code(
        "error", "corrupt", "the parts of a set do not belong together", "Download all parts from one place."
    ),
    "missing_index": Code(
        "warning",
        "missing",
        "numbered parts of one model lie in a folder without their index",
        "Download the index into the same folder: transformers does not find the parts without it.",
    ),
    "stale_index": Code(
        "error",
        "missing",
        "files that an index names are not there, but others beside it hold all of their tensors",
        "Open the files that are there, and delete the index.",
    ),
    "manifest": Code("info", "", "a model of Ollama was opened, by its manifest or the blob of its weights"),
    "cached_blob": Code("info", "", "a blob in the download cache of Hugging Face was opened"),
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
    "blob_size": Code(
        "warning", "", "a blob has another size than the manifest of Ollama says", "Pull the model again."
    ),
    "lone_shard": Code(
        "info", "", "one part of a set, opened without the others", "Open the index for the whole model."
    ),
    "index_mismatch": Code(
        "error", "corrupt", "the index and its parts disagree", "Download index and parts from one place."
    ),
    # while open
    "file_changed": Code(
        "error", "changed", "the file on disk is no longer the one that was opened", "Reload the file."
    ),
    "closed": Code("error", "closed", "the model was closed", "Open it again."),
}
