"""Bots that dial in from other machines: invites, certificates, the waiting room, the
joining end.

Knows engines and arenas; the night is played by `play` as any other.
"""
