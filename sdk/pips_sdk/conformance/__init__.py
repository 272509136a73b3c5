"""The conformance kit: what a referee sent in recorded matches, and what any SDK's
conformance bot has to answer.
"""
