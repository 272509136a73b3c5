"""The night on screen.

Standings and replays served while it is played, a report in one file, a seat for a
person.

Needs the extra `web`. Only the command line imports it. Modules that are heavy for a
night stay out of the runner's process.

**Invariant**: pages read a night and never write one.
"""
