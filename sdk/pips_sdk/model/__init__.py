"""Bots that play from text and ask a language model.

It knows `text` and the bots' base class. It speaks HTTP only where it is told to.

**Invariant**: a model is told only what its seat sees.
"""
