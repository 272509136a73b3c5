"""Commands that open a league to its people: `serve` and `invite`.

**Invariant**: pages that other machines reach ask for a token or an invite.
"""
