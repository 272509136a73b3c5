"""Elo and its error bars: pure functions from results to standings.

docs/ratings.md says what is computed and why. The modules that an author's commands use
(`duel`, `sprt`, `student`) need only the standard library; the rest needs numpy and
scipy.

**Invariant**: the same results give the same figures.
"""
