"""How fast somebody may play is not to be what is measured: the limits that the load would meet."""

from __future__ import annotations

NO_LIMIT = 10**9
"""So many frames a second."""


def of_frames() -> None:
    """Of frames of all kinds, on daphne and on uvicorn."""
    from tables.servers import frame_limits

    # They are Final, and set here before a server reads them: hence the ignored errors.
    frame_limits.FRAMES_PER_SECOND = NO_LIMIT
    frame_limits.FRAMES_AT_ONCE = NO_LIMIT
    frame_limits.READS_PER_SECOND = NO_LIMIT
    frame_limits.READS_AT_ONCE = NO_LIMIT


def of_players() -> None:
    """Of commands. Those of an address do not hold for this machine itself."""
    from tables.lib.token_bucket import TokenBuckets
    from tables.realtime.connections import connection, consumers

    connection.FRAMES_PER_SECOND = connection.FRAME_BURST = NO_LIMIT
    consumers.players_allowances = TokenBuckets(per_second=NO_LIMIT, at_once=NO_LIMIT)
