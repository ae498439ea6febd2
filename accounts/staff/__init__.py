"""Operators: roles, invites, and changes that need a second operator."""
