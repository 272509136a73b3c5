"""A place with a whole class: how soon everybody knows, and what kills do to it."""
