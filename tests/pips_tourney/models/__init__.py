"""Tests of the proxy for models, and of its book."""
