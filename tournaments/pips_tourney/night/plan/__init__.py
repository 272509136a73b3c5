"""What is played next: programme, schedule, decisions, and the tables of gates.

**Invariant**: the same log gives every caller the same next match.
"""
