"""What a release consists of: `make release`, and its site, `make site`."""
