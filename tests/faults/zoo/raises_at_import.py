"""Has a mistake in its file.

It sees its own traceback. The start-up check names it with the traceback's last lines.
"""

raise RuntimeError("no brain was found")
