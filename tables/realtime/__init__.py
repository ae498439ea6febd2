"""Sockets, the writer thread, deadlines, and publishing to open pages."""
