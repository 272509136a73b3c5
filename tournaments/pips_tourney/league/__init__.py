"""League files (TOML): read and checked.

All mistakes are listed at once, with their place in the file.
"""
