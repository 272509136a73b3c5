"""Bots as files and commands: which one is meant, how it is started, with which
interpreter.

Knows files, environments and the SDK; knows no league, no night and no arena.
"""
