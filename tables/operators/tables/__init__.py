"""Settings and racks of tables."""
