"""The operators' pages and actions."""
