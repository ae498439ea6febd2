"""Bundled stylesheets and scripts for browsers."""
