"""Helpers of both apps, without knowledge of accounts or tables."""
