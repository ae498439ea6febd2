"""Copies of the whole house, and the way back from one."""
