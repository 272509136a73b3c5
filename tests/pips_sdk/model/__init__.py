"""Tests of bots that ask a model."""
