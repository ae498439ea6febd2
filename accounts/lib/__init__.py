"""Helpers of both apps that know nothing of accounts or tables."""
