"""The lobby, the home page, and the form that opens a table."""
