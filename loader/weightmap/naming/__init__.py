"""What tensors are called and how large they are, by architecture: tables, and nothing that judges a file by them.

`names` says which tensor of a Hugging Face checkpoint answers which tensor of a GGUF, and what the converter does to the
values; `shapes` says which dimensions follow from which hyperparameters; `symbols` says where these stand in either file.
"""
