"""The fit of a table: results counted, Davidson's model, its errors, who is better.

**Invariant**: the order in which results arrive changes no figure.
"""
