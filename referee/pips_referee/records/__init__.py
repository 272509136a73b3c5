"""A match as a file: written, read, replayed, and shown as text.

**Invariant**: the replay of a record by its rules agrees with the record.
"""
