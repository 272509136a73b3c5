"""Tests of the line protocol."""
