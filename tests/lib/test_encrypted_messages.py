"""Tests of encrypted messages: a message is read only with its key and its purpose."""

from __future__ import annotations

import pytest
from django.test import override_settings

from tables.lib.encrypted_messages import UnreadableMessage, decrypt, encrypt


def test_a_message_is_read_with_the_same_key_and_purpose() -> None:
    encrypted = encrypt(b"hit", b"order")
    assert b"hit" not in encrypted
    assert decrypt(encrypted, b"order") == b"hit"
    assert encrypt(b"hit", b"order") != encrypted


def test_another_purpose_or_key_and_any_change_make_it_unreadable() -> None:
    encrypted = encrypt(b"hit", b"order")
    with pytest.raises(UnreadableMessage):
        decrypt(encrypted, b"reply")
    with override_settings(SECRET_KEY="another"), pytest.raises(UnreadableMessage):
        decrypt(encrypted, b"order")
    for place in range(len(encrypted)):
        changed = bytearray(encrypted)
        changed[place] ^= 1
        with pytest.raises(UnreadableMessage):
            decrypt(bytes(changed), b"order")


@pytest.mark.parametrize("length", range(30))
def test_a_message_that_is_too_short_is_unreadable(length: int) -> None:
    with pytest.raises(UnreadableMessage):
        decrypt(encrypt(b"a longer message", b"order")[:length], b"order")
