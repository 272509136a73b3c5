"""What a browser needs to play bots: fetched once, checked, and served from here.

**Invariant**: a fetched file is used only if its SHA-256 is the expected one.
"""
