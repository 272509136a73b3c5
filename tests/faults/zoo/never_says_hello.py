"""Opens its stream and says nothing on it.

It sees DEADLINE_EXCEEDED after ten seconds, if it lives that long. The start-up check
names it, "said no hello".
"""

import time

from tests.faults.zoo.raw import Raw

Raw().dial()
time.sleep(600)
