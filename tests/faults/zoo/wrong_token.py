"""Says hello with a token of its own making.

It sees PERMISSION_DENIED and what to do. The start-up check names it with that
sentence.
"""

from tests.faults.zoo.raw import Raw

bot = Raw()
bot.token = bytes(40)
bot.play()
