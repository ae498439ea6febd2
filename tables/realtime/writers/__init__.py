"""What executes changes: the writer thread, the event loop, or another process."""
