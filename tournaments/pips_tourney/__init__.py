"""Tournaments: league files, schedules, ratings, and the runner that plays a night with real bot processes."""
