"""Arenas on a Dask cluster: the driver, the worker's side, and how bots travel."""
