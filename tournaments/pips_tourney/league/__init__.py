"""League files (TOML): read and checked.

All mistakes are listed at once, with their place in the file.

**Invariant**: all mistakes of a file are listed at once.
"""
