"""What a match teaches: what was luck, and what each decision cost.

**Invariant**: a figure follows from records and the rules alone.
"""
