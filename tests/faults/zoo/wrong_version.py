"""Speaks a protocol of the future.

It sees PERMISSION_DENIED and both versions. The start-up check names it with that
sentence.
"""

from tests.faults.zoo.raw import Raw

bot = Raw()
bot.version = 99
bot.play()
