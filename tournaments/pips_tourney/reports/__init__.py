"""Reports of a night, for people and programs.

Tables, exports, explanations, and the night's state.

**Invariant**: this room reads nights, and decides nothing.
"""
