"""What all command lines of Pips share: arguments, standard streams, and how they end.

**Invariant**: an interrupt and a bug of a game end with a sentence, not a traceback.
"""
