"""The tables of a night's database."""

from __future__ import annotations

from typing import Final

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS results (
    id TEXT PRIMARY KEY,     -- the match's
    game TEXT NOT NULL,
    seats TEXT NOT NULL,     -- JSON: the bots' names by seat
    places TEXT NOT NULL,    -- JSON: by seat
    scores TEXT NOT NULL,    -- JSON: by seat
    faults TEXT NOT NULL,    -- JSON: seat, kind and a sentence of each
    questions INTEGER NOT NULL,
    times TEXT NOT NULL,     -- JSON: by seat, how many answers took how long (see result.py)
    sha256 BLOB NOT NULL,    -- of the record
    record BLOB NOT NULL     -- a serialised MatchRecord
);
CREATE TABLE IF NOT EXISTS log (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,        -- UTC; no fold looks at it
    kind TEXT NOT NULL,
    payload TEXT NOT NULL    -- JSON
);
CREATE TABLE IF NOT EXISTS secret (key BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS played (
    id TEXT PRIMARY KEY,     -- the match's
    arena TEXT NOT NULL,     -- where the first result that came was played
    at TEXT NOT NULL         -- when it was stored, UTC; no standings look at either
);
CREATE TABLE IF NOT EXISTS chain (
    seq INTEGER PRIMARY KEY,
    head BLOB NOT NULL,        -- SHA-256 of what was added and of the head before
    results INTEGER NOT NULL,  -- by table, the rowid of the last row that it covers
    log INTEGER NOT NULL,
    played INTEGER NOT NULL
);
"""
