"""What lies on the disk: the database of a night, its chain, and what is beside it.

Entries and rows are only appended. Nothing here knows what is played next.
"""
