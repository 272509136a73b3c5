"""Bare machines that are not ours: what the README promises is tried on each."""
