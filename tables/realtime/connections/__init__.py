"""Open sockets: consumers, and limits of frames and sockets."""
