"""A stored night: its log, plan, table and proof, and the director's acts.

The rooms, lowest first: `log`, `plan`, `night`, `table`, `proof`, then `begin` and
`director`, then `preview`. This room knows leagues, schedules and ratings, and starts
no process.

**Invariant**: the log is the only truth; everything else is folded from it.
"""
