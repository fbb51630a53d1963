"""Bringing in what another system remembers."""
