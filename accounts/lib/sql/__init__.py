"""Compiled SQL: reads and writes for which the ORM is too slow, and their caches."""
