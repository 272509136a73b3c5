"""Before a night: what will and will not hold on this machine.

It knows leagues, arenas and the sandbox. It plays no match and opens no database.
"""
