"""League files (TOML): read and checked.

**Invariant**: all mistakes of a file are listed at once, with their place in it.
"""
