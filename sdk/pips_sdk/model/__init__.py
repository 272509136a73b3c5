"""Bots that play by text and ask a language model.

They use `text` and the bots' base class. HTTP goes only to configured servers.

**Invariant**: a model gets only what its seat sees.
"""
