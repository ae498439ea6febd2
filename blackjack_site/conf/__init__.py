"""Parts of the settings: environment, keys, logs, cache, single-process lock."""
