"""The night on screen.

Standings and replays, served during the night; a report in one file; a seat for a
person.

It needs the extra `web`. Only the command line imports it. The runner's process does
not load its heavy modules.

**Invariant**: pages read a night and never write one.
"""
