"""The results of a night and a season: standings and forecasts.

They are folds over a night in schedule order.

**Invariant**: the order in which results arrived changes no figure.
"""
