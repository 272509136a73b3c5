"""Playthroughs a person can read: every case of the contract, with a fixed seed and
random answers.
"""
