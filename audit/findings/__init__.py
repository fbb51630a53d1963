"""Findings: what was seen in the recall log that a person should look at, and what people did
about it."""
