"""The body of a change: its command and its public events, compressed.

The texts of both are some hundred bytes of JSON, nearly all of them names that occur in every
change. Raw deflate with a fixed dictionary of these names leaves about a seventh. The first byte of a
body is the version of its form. Another dictionary is another version: the form of a version must
never change, since its bodies are stored for ever.
"""

from __future__ import annotations

import zlib
from typing import Any, Final
from uuid import UUID

import msgspec

from tables.protocol import codec

_SEPARATOR: Final = "\0"
"""Between the command and the events. No JSON text contains it."""
_WINDOW_BITS: Final = 12
"""Compression begins with a copy of a prepared state, whose size depends on this and the next: with
zlib's defaults the copy takes ten times as long as the compression."""
_MEMORY_LEVEL: Final = 5

_DICTIONARY: Final = (
    # Frequent texts are at the end: a near match takes fewer bits.
    b'{"t":"renew","id":""}{"t":"hand_on","id":"","player":"{"t":"free","id":"","seat":1}'
    b'{"t":"chat","id":"","on":false}{"t":"lock","id":"","on":true}{"t":"close","id":""}'
    b'[{"type":"table_locked"}{"type":"table_unlocked"}{"type":"chat_switched","on":true}'
    b'{"type":"invite_renewed"}{"type":"table_handed_on","player":"{"type":"table_changed"}'
    b'{"type":"table_paused","because":"{"type":"table_resumed"}{"type":"table_closing"}'
    b'{"type":"table_closed"}{"type":"round_broken_off","round":1,"because":"","number":1}'
    b'{"type":"round_voided","round":1,"number":1}{"type":"clock_extended"}'
    b'{"type":"game_ended","winner":"player","player":26,"house":26}'
    b'{"type":"cards_collected","pile":"house","cards":5}'
    b'{"t":"take_back","id":"","turn":{"t":"surrender","id":"","turn":{"t":"insure","id":"","turn":'
    b'{"t":"decline","id":"","turn":{"t":"split","id":"","turn":{"t":"double","id":"","turn":'
    b'{"t":"sit","id":"","seat":1,"commitment":"}\0[{"type":"player_sat","seat":1,"player":"'
    b'{"t":"commit","id":"","commitment":"}\0[{"type":"words_committed","seat":1,"commitment":"'
    b'{"t":"leave","id":""}\0[{"type":"player_left","seat":1,"player":"","reason":"left","reason":'
    b'"absent"},{"type":"player_away","seat":1,"player":""}]{"type":"player_back","seat":1,"player":"'
    b'}]\0[{"type":"clock_ran_out","seat":null,"hand":null},{"type":"clock_ran_out","seat":1,"hand":1}'
    b',{"type":"bet_returned","seat":1,"stake":1000}{"type":"insurance_answered","seat":1}]'
    b'{"type":"insurance_taken","seat":1,"stake":500},{"type":"insurance_declined","seat":1},'
    b'{"type":"hole_card_peeked"},{"type":"insurance_settled","seat":1,"stake":500,"payout":0},'
    b'{"t":"bet","id":"","turn":12,"stake":1000,"words":"","commitment":null}\0'
    b'[{"type":"bet_placed","seat":1,"stake":1000},{"type":"shoe_shuffled","shoe":1,"words":['
    b'{"seat":1,"player":"","commitment":null,"words":""},'
    b'{"seat":2,"player":"","commitment":"","words":"},'
    b'{"seat":3,"player":"","commitment":null,"words":""}],"absent":[],"number":1},'
    b'{"type":"hand_doubled","seat":1,"hand":1,"stake":1000},'
    b'{"type":"hand_split","seat":1,"hand":1,"stake":1000},'
    b'{"type":"hand_settled","seat":1,"hand":2,"outcome":"surrender",'
    b'{"type":"hand_settled","seat":1,"hand":1,"outcome":"bust","stake":1000,"payout":0},'
    b'{"type":"hand_settled","seat":1,"hand":1,"outcome":"blackjack","stake":1000,"payout":2500},'
    b'{"type":"card_dealt","seat":1,"hand":1,"card":"2s"},'
    b'{"type":"card_dealt","seat":2,"hand":1,"card":"3h"},'
    b'{"type":"card_dealt","seat":3,"hand":1,"card":"4d"},{"type":"dealer_card_dealt","card":"5c"},'
    b'{"type":"card_dealt","seat":1,"hand":1,"card":"6s"},'
    b'{"type":"card_dealt","seat":2,"hand":1,"card":"7h"},'
    b'{"type":"card_dealt","seat":3,"hand":1,"card":"8d"},{"type":"dealer_card_dealt","card":null},'
    b'{"t":"hit","id":"","turn":12}\0[{"type":"card_dealt","seat":1,"hand":1,"card":"Ks"}]'
    b'{"t":"stand","id":"","turn":12}\0[{"type":"hand_stood","seat":1,"hand":1},'
    b'{"type":"hole_card_revealed","card":"9s"},{"type":"dealer_card_dealt","card":"Td"},'
    b'{"type":"hand_settled","seat":1,"hand":1,"outcome":"lose","stake":1000,"payout":0},'
    b'{"type":"hand_settled","seat":2,"hand":1,"outcome":"push","stake":1000,"payout":1000},'
    b'{"type":"hand_settled","seat":3,"hand":1,"outcome":"win","stake":1000,"payout":2000},'
    b'{"type":"shoe_opened","shoe":31,"secret":"","number":8},'
    b'{"type":"shoe_sealed","shoe":34,"commitment":"","number":9}]'
)
_DICTIONARIES: Final = {1: _DICTIONARY}
"""By version. A later version is added here, and the older ones stay."""
VERSION: Final = 1
"""The version that is written."""

_prepared: Final = zlib.compressobj(
    6, zlib.DEFLATED, -_WINDOW_BITS, _MEMORY_LEVEL, zlib.Z_DEFAULT_STRATEGY, _DICTIONARIES[VERSION]
)
_VERSION_BYTE: Final = bytes((VERSION,))


class DamagedBody(ValueError):
    """The bytes are no body of a change, or one of a later version of this program."""


def encode(command: str, command_id: UUID | None, events: str) -> bytes:
    """Encode the JSON texts of a command (empty if there was none) and of its events.

    The command's id is left out: it has a column of its own.
    """
    if command_id is not None:
        command = command.replace(f'"id":"{command_id}"', '"id":""', 1)
    compressor = _prepared.copy()
    text = f"{command}{_SEPARATOR}{events}".encode()
    return _VERSION_BYTE + compressor.compress(text) + compressor.flush()


def decode(body: bytes, command_id: UUID | None) -> tuple[str, list[dict[str, Any]]]:
    """The text of the command, as it was encoded, and the events.

    Raises :class:`DamagedBody`, and nothing else.
    """
    try:
        decompressor = zlib.decompressobj(-zlib.MAX_WBITS, _DICTIONARIES[body[0]])
        text = decompressor.decompress(body[1:]).decode()
        command, event_text = text.split(_SEPARATOR)
        events = codec.decode_events(event_text)
    except (LookupError, ValueError, msgspec.MsgspecError, zlib.error) as error:
        raise DamagedBody(f"the body of a change is damaged: {type(error).__name__}") from error
    if not decompressor.eof or decompressor.unused_data:
        raise DamagedBody("the body of a change has another length")
    if command_id is not None:
        command = command.replace('"id":""', f'"id":"{command_id}"', 1)
    return command, events
