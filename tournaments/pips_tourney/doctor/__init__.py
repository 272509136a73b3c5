"""What will and will not hold on this machine, looked at before a night.

Knows leagues, arenas and the sandbox; plays no match and opens no database.
"""
