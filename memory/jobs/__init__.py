"""Work in the background, by django-tasks and its database backend.

A task's row is no more than a call to look: what there is to do stands in our own tables, so that
a killed worker loses nothing and what it had finished is not done again.
"""
