"""The contract, version 1: generated from the .proto files of this folder by the build
hook.

protobuf imports its Python version, and everything that reads messages as text, beside
the compiled one. They are loaded if somebody uses them.
"""

from pips.later import loaded_later

with loaded_later("google.protobuf.internal.python_message"):
    import google.protobuf.internal.builder  # noqa: F401
