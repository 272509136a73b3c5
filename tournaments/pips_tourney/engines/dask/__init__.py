"""Arenas on the workers of a Dask cluster: what drives them, what runs there, and how
bots get there.
"""
