"""Dials a server that listens on this machine.

It boasts of a connection by raising an exception. Bots have the network that the
machine has: the standings show crashes.
"""

import os
import socket

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        try:
            socket.create_connection(("127.0.0.1", int(os.environ["DIAL"])), timeout=0.2).close()
        except OSError:
            return super().choose(view)
        raise RuntimeError("gained: a connection")


run(Zoo)
