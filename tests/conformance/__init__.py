"""The conformance kit: transcripts of matches, and the answers due from any SDK.

A transcript holds what a referee sent in a recorded match, and what a conformance bot
has to answer.
"""
