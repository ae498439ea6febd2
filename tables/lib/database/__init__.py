"""What SQLite and PostgreSQL need of the site: marks, identity, checkpoints, statistics, outages."""
