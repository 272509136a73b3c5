"""Bots to start from and to play against; each is one file.

**Invariant**: a sample bot imports only what a student may: the SDK.
"""
