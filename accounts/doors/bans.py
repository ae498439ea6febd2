"""Bans of addresses and networks, in the memory of each process.

Every request and every new socket asks for one, so the bans that are in force are read before the
first request, each second after that, and at once in the process in which they were changed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

import structlog
from django.core.exceptions import ImproperlyConfigured, SynchronousOnlyOperation
from django.db import Error as DatabaseError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.http import get_client_address
from accounts.lib import server_clock
from accounts.lib.errors import OperationRefused
from accounts.models import Act, HouseSettings, NetworkBan

log = structlog.get_logger()
Network = IPv4Network | IPv6Network

WIDEST: Final = {4: 16, 6: 32}
"""The shortest prefix of a banned network, by version: a wider one is a mistake."""
NOBODYS: Final = tuple(
    map(ip_network, ("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/3", "::/64", "ff00::/8"))
)
"""Networks of this machine itself, and of no machine."""
IPV6_PREFIX: Final = 64
"""An address of IPv6 means its /64: a single home has that many."""


@dataclass(frozen=True, slots=True)
class Ban:
    """A ban in force."""

    network: Network
    until: dt.datetime
    reason: str


class _Memory:
    bans: Sequence[Ban] | None = None


def find(address: str | None) -> Ban | None:
    """The ban of this address; of several the longest. ``None`` for an unknown address."""
    bans = _load()
    if not bans or address is None:
        return None
    try:
        number = _read_address(address)
    except ValueError:
        return None
    now = server_clock.now()
    matches = [ban for ban in bans if ban.until > now and number in ban.network]
    return max(matches, key=lambda ban: ban.until, default=None)


def find_for(request: HttpRequest) -> Ban | None:
    """The ban of the client of this request."""
    if not _load():
        return None
    try:
        return find(get_client_address(request))
    except ImproperlyConfigured:  # other proxies than configured
        return None


def refresh() -> bool:
    """Read the bans in force; true if there are others than before. Raises database errors."""
    rows = filter_in_force(server_clock.now())
    fresh = [
        Ban(ip_network(network), until, reason)
        for network, until, reason in rows.values_list("network", "until", "reason")
    ]
    is_new = fresh != _Memory.bans
    _Memory.bans = fresh
    return is_new


def forget() -> None:
    """Forget the bans of this process, as if there were none."""
    _Memory.bans = ()


def filter_in_force(now: dt.datetime) -> QuerySet[NetworkBan]:
    """The bans that are in force."""
    return NetworkBan.objects.filter(until__gt=now, lifted_at=None)


def parse_network(text: str, *, own_address: str | None) -> Network:
    """Parse an address or a network in CIDR notation, for a ban by an operator at ``own_address``.

    An address of IPv6 stands for its /64. Raises :class:`OperationRefused` for anything else, and
    for a network that no ban is meant for.
    """
    try:
        network = _read_network(text.strip())
    except ValueError:
        message = gettext("Enter an address such as 192.0.2.7, or a network such as 192.0.2.0/24.")
        raise OperationRefused(message) from None
    if network.prefixlen < WIDEST[network.version]:
        message = gettext("That network is too large. The largest is /%(prefix)s.")
        raise OperationRefused(message % {"prefix": WIDEST[network.version]})
    if any(network.version == other.version and network.overlaps(other) for other in NOBODYS):
        raise OperationRefused(gettext("Players can't have an address of that network."))
    if own_address is not None and _contains(network, own_address):
        raise OperationRefused(gettext("You are in that network yourself."))
    return network


@transaction.atomic
def ban(
    operator: Operator, network: Network, until: dt.datetime, reason: str, now: dt.datetime
) -> NetworkBan:
    """Ban a network until a time. Its visitors read ``reason``.

    Raises :class:`OperationRefused` if a ban of this network is in force: to lift one of two would not
    let its visitors in.
    """
    HouseSettings.objects.select_for_update().get(pk=1)  # serialises concurrent bans
    if filter_in_force(now).filter(network=str(network)).exists():
        message = gettext("%(network)s is banned already. Lift that ban first to change it.")
        raise OperationRefused(message % {"network": network})
    row = NetworkBan.objects.create(
        network=str(network), until=until, reason=reason, made_by_id=operator.user_id, made_at=now
    )
    after = {"network": row.network, "until": until.isoformat()}
    subject = audit_log.build_subject(row)
    audit_log.record(operator, Act.What.BAN, subject, after=after, reason=reason, at=now)
    return row


@transaction.atomic
def lift(operator: Operator, ban_id: int, now: dt.datetime) -> bool:
    """Lift a ban. False if it is over."""
    row = filter_in_force(now).select_for_update().filter(pk=ban_id).first()
    if row is None:
        return False
    row.lifted_at = now
    row.save(update_fields=["lifted_at"])
    before = {"network": row.network, "until": row.until.isoformat(), "because": row.reason}
    subject = audit_log.build_subject(row)
    audit_log.record(operator, Act.What.LIFT_BAN, subject, before=before, at=now)
    return True


def _load() -> Sequence[Ban]:
    if _Memory.bans is None:
        try:
            refresh()
        except (DatabaseError, SynchronousOnlyOperation):  # the event loop reads them at once
            log.warning("bans_unread")
    return _Memory.bans or ()


def _read_address(text: str) -> IPv4Address | IPv6Address:
    number = ip_address(text.partition("%")[0])
    mapped = number.ipv4_mapped if isinstance(number, IPv6Address) else None
    return mapped or number


def _read_network(text: str) -> Network:
    network = ip_network(text, strict=False)
    if isinstance(network, IPv6Network):
        mapped = network.network_address.ipv4_mapped
        if mapped is not None and network.prefixlen >= 96:
            return IPv4Network((mapped, network.prefixlen - 96), strict=False)
        if "/" not in text:
            return network.supernet(new_prefix=IPV6_PREFIX)
    return network


def _contains(network: Network, address: str) -> bool:
    try:
        return _read_address(address) in network
    except ValueError:
        return False
