"""The referee: rules, matches, records, and the gRPC service that hosts them."""
