"""Acceptance questions: what a recall must bring up and what it must not, asked again and again."""
