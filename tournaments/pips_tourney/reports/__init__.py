"""What a person or a program reads of a night.

Tables, exports, explanations, and the night's state. This room reads nights. It decides
nothing and plays nothing.
"""
