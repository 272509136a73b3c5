"""What a test of JavaScript needs: Node, and the packages of the SDK."""

from __future__ import annotations

import shutil

import pytest

from pips_tourney.workshop.new_bot import js_sdk

needs_node = pytest.mark.skipif(
    shutil.which("node") is None or not (js_sdk() / "node_modules").is_dir(),
    reason="needs Node with the packages of sdk/js: make js",
)
