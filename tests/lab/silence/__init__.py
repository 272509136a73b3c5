"""What the time between two questions tells: measured with real processes, at real
tables.
"""
