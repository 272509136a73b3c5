"""What happens to a hand-in: stored, checked, carried into the night, graded, deleted.

Nothing here knows a page. The desk runs in the place's process and starts the others.

**Invariant**: a version that is acknowledged is on the disk.
"""
