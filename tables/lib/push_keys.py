"""The site's key pair for push services."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import cache

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings


def get_public_key() -> str:
    """The public key, in base64 as browsers want it."""
    return _derive_public_key(settings.VAPID_KEY)


@cache
def _derive_public_key(private: str) -> str:
    number = int.from_bytes(urlsafe_b64decode(private + "=" * (-len(private) % 4)))
    public = ec.derive_private_key(number, ec.SECP256R1()).public_key()
    raw = public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return urlsafe_b64encode(raw).decode().rstrip("=")
