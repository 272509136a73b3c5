"""The gRPC service that hosts matches: connections, seats, questions and answers.

**Invariant**: a bot's messages affect only its own seats at their tables.
"""
