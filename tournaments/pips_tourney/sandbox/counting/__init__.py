"""What bots' processes use, counted by the kernel or by the keeper's look at /proc.

keeper.py imports this room with only the standard library.

**Invariant**: all processes that descend from a bot are counted as its own.
"""
