"""The commands of `pips-bot`: an author's bot, from its folder to a place.

**Invariant**: no command here opens a night for writing.
"""
