"""The messages from and to browsers, as types, and their JSON.

``docs/protocol.md`` describes each of them; a test compares the two. Amounts are integer
hundredths, times are milliseconds since 1970.
"""
