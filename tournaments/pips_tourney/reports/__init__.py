"""Reports of a night, for people and programs.

Tables, exports, explanations, and the night's state. This room reads nights. It decides
nothing and plays nothing.
"""
