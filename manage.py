#!/usr/bin/env python
"""Django's command line for the blackjack house."""

from __future__ import annotations

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"This cannot start: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
