"""The workshop: bots are written and played in a browser's tab, by Pyodide.

`tab.py` runs in the tab; it imports nothing that Pyodide lacks.

**Invariant**: a bot of the tab never runs on the server.
"""
