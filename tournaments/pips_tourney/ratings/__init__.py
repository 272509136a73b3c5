"""Elo and its error bars: pure functions from results to standings.

docs/ratings.md says what is computed and why. What an author's commands need (`duel`,
`sprt`, `student`) is the standard library's alone; the rest needs numpy and scipy.

**Invariant**: the same results give the same figures.
"""
