"""Where matches are played: a referee, bots' processes, and the keeper that starts and
ends them.

Knows leagues, bots and the sandbox; knows no database and no standings. keeper.py runs
as a file with nothing but the standard library, so this file imports nothing.
"""
