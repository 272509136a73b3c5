"""What the house costs, figure by figure: `make bench`. No test; nothing timed decides
whether a change may land.
"""
