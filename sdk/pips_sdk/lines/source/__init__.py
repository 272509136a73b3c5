"""Source code of the games' values for languages other than Python.

`model` derives them from the games' own types. `cpp` and `java` generate the source,
each with a part written by hand.
"""
