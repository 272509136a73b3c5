"""The desk of all tests with bad bots."""

from tests.e2e.desk import desk

__all__ = ["desk"]
