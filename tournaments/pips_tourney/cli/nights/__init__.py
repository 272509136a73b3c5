"""Commands of organisers about one night, from the league file to its proof.

A command that only reads a night also reads one that is still played.

**Invariant**: exit code 2 is a mistake in what was asked; 1 is an answer.
"""
