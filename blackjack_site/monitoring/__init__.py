"""Pages for monitoring: health and metrics."""
