"""What a person or a program reads of a night: tables, exports, explanations, the state
it is in.

Reads nights; decides nothing and plays nothing.
"""
