"""Starts and never dials in.

It sees nothing. No night begins with it: the start-up check names it, "said no hello".
"""

import time

time.sleep(600)
