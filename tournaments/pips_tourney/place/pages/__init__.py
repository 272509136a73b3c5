"""The pages of a place and its addresses for programs, with their templates.

`site.py` is on every page: who asks, and what they may do.

**Invariant**: nobody sees or changes what is another person's.
"""
