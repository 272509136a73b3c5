"""What is played next: programme, schedule, decisions, and the tables of gates.

It follows from the log alone, so every caller at any moment has the same answer.
"""
