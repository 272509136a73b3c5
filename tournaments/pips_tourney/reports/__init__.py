"""Reports of a night, for people and programs.

Tables, exports, explanations, and the night's state.

**Invariant**: it reads nights, and decides nothing.
"""
