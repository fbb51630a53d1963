"""Erasing: what a memory said leaves every place that holds it; that it was there does not."""
