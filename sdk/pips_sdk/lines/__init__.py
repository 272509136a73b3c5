"""The line protocol: a bot is any program that reads and writes JSON lines.

`bridge` speaks gRPC for the program. It knows the games by their wires alone. See
docs/lines.md.

**Invariant**: a program that speaks lines needs no library of ours.
"""
