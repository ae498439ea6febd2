"""Operators: their list, roles, invites, sessions, and changes that need a second one."""
