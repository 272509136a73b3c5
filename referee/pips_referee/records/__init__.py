"""A match as a file: written, read, replayed, and shown as text.

**Invariant**: a record replayed by its rules says again what it says.
"""
