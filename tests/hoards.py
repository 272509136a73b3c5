"""Ways to hold memory that no process shows, each as a program, and other excesses.

A program takes as much as it is told, in steps of a megabyte, and prints `beyond` when
it has that. Then it goes on for as long as it may.
"""

from __future__ import annotations

from typing import Final

_BEGIN: Final = """
import os, socket, sys, time
MB, GOAL, kept = 1 << 20, int(sys.argv[1]), []
"""
_END: Final = """
for number in range(4 * GOAL):
    try: take()
    except OSError as error:  # it has all the files it may have open
        if error.errno != 24: raise
        break
    if number == GOAL:
        print("beyond", time.monotonic(), flush=True)
time.sleep(600)
"""
_WAYS: Final = {
    "resident": "def take(): kept.append(bytearray(b'x' * MB))",
    "deleted files in memory": """
def take():
    name = f"/dev/shm/hoard-{os.getpid()}-{len(kept)}"
    kept.append(os.open(name, os.O_RDWR | os.O_CREAT))
    os.unlink(name)
    os.write(kept[-1], b"x" * MB)
""",
    "pipes": """
def take():
    for _ in range(16):
        if len(kept) == 480:  # a process has no more descriptors
            if os.fork(): time.sleep(600)
            for end in sum(kept, ()): os.close(end)
            kept.clear()
        kept.append(os.pipe())
        os.write(kept[-1][1], b"x" * (1 << 16))
""",
    "sockets": """
def take():
    for _ in range(5):
        kept.append(socket.socketpair())
        kept[-1][0].setblocking(False)
        try:
            while kept[-1][0].send(b"x" * (1 << 16)): pass
        except BlockingIOError: pass
""",
    "children": """
def take():
    if os.fork() == 0:
        kept.append(bytearray(b"x" * (10 * MB)))
        time.sleep(600)
    time.sleep(0.01)
""",
}
HOARDS: Final = {name: _BEGIN + way + _END for name, way in _WAYS.items()}
FOR_ROOT_ALONE: Final = ("pipes",)
"""Pipes of more than 64 MB a user are root's alone to make."""
SHARED_BY_CHILDREN: Final = """
import os, sys, time
block = bytearray(60 << 20)
for at in range(0, len(block), 4096):
    block[at] = 1
for _ in range(5):
    if os.fork() == 0:
        time.sleep(600)
print("ready", flush=True)
time.sleep(600)
"""
THREADS: Final = """
import threading, time
threading.stack_size(1 << 16)
while True:
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
"""
