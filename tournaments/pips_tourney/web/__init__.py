"""The night on screen: standings and replays served while it is played, a report in one
file, a seat for a person.

Needs the extra `web`. Only the command line imports it; what is heavy for a night stays
out of the runner's process.
"""
