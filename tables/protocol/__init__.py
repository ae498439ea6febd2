"""The messages from and to browsers, as types, and their JSON.

``docs/protocol.md`` describes every one; a test holds the two together. Amounts are integer
hundredths, times are milliseconds since 1970.
"""
