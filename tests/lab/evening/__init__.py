"""A teacher's evening, replayed: `make lab WHAT=evening`.

A class of 25 submissions with the usual mistakes, two nights, a gala with a final, and
a hosted night over TLS. It shows that each defect of such an evening, W1 to W17, is
gone, and how.
"""
