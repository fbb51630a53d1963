#!/usr/bin/env python3
"""Command line of MASE."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mase_site.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError as error:
        raise SystemExit(
            "Django is not installed for this Python. In the checkout run:\n"
            "  python3 -m venv .venv && .venv/bin/pip install -e .\n"
            "and use .venv/bin/python manage.py"
        ) from error
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
