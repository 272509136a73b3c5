"""The extra that each optional module comes with."""

from __future__ import annotations

from typing import Final

EXTRAS: Final = {
    "league": (
        "anyio", "cryptography", "jinja2", "markdown_it", "numpy", "pydantic", "pydantic_core", "python_multipart",
        "rich", "scipy", "segno", "starlette", "tqdm", "uvicorn", "uvloop",
    ),
    "models": ("httpx2",),
    "gym": ("gymnasium", "pettingzoo"),
    "dask": ("dask", "distributed"),
    "openspiel": ("pyspiel",),
}  # fmt: skip
"""The modules of each extra."""


def how_to_install(missing: ModuleNotFoundError) -> str:
    """The command that installs a missing module; "" if it belongs to no extra."""
    top = (missing.name or "").partition(".")[0]
    extra = next((name for name, modules in EXTRAS.items() if top in modules), None)
    return "" if extra is None else f"pip install 'pips-tourney[{extra}]'  ({top} is missing)"
