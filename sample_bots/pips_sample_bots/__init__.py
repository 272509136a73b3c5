"""Bots to start from and to play against; each is one file.

**Invariant**: a sample bot imports what a student may: the SDK.
"""
