"""Bots that dial in from other machines.

Invites, certificates, the waiting room, the joining end. It knows engines and arenas.
The night is played by `play` like any other.
"""
