"""What executes changes: the writer thread, and the event loop."""
