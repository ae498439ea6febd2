"""What the settings are made of: environment, keys, logs, cache, single-process lock."""
