"""Helpers of the tables that know nothing of them."""
