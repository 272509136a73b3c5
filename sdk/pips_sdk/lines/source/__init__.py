"""Source code of the games' values for languages other than Python.

`model` reads them off the games' own types, as the JSON Schema is. `cpp` and `java`
write them down, each with a part that is written by hand.
"""
