"""A night as it is kept: its log, plan, table and proof, and the director's acts.

The rooms, lowest first: `log`, `plan`, `night`, `table`, `proof`, then `begin` and
`director`, then `preview`. It knows leagues, schedules and ratings, and starts no
process.

**Invariant**: the log is the only truth; all else is folded from it.
"""
