"""Whole nights in one process, on simulated time, network, processes and disk.

The runner, its engine and its arenas are the real ones, and so are the referee's
sessions, tables and clocks. What is simulated lies below them: time, the keeper's
processes, the transport of gRPC, and when a machine fails. All luck comes from a seed.
"""
