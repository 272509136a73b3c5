"""The desk of all end-to-end tests."""

from tests.e2e.desk import desk

__all__ = ["desk"]
