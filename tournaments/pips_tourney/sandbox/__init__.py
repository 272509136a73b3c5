"""What a bot's process can reach and take: the tiers, the limits, the processes that
are counted.

Knows a bot's executable; knows no league and no match. keeper.py imports it with
nothing but the standard library, so this file imports nothing.
"""
