"""Backups of the whole site, and their restoration."""
