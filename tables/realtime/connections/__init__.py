"""One open socket: its consumer, what it may send, how many one address may have."""
