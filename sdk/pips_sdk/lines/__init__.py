"""The line protocol: a bot is any program that reads and writes JSON lines.

`bridge` speaks gRPC for the program. It uses only the games' wires. See docs/lines.md.

**Invariant**: a program that speaks lines needs no library of ours.
"""
