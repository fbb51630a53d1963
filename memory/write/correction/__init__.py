"""Corrections in a person's own words: what is meant, and exactly which memories it means."""
