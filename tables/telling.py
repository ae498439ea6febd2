"""Publishes wallet, lobby, chat and site messages. Thread-safe."""

from __future__ import annotations

from collections.abc import Iterable

from accounts import bank
from tables import protocol
from tables.chat import Talked
from tables.groups import HOUSE, LOBBY, table_topic, user_topic
from tables.hub import hub
from tables.messages import Announced, HouseNews, LobbyChanged, Said, Unsaid, Wallet


def wallet_frames(user_ids: Iterable[int]) -> list[tuple[str, str]]:
    """What is in the wallets of these users now, for their own pages, each on its topic."""
    return [
        (user_topic(user_id), protocol.encode(Wallet(*balance)))
        for user_id, balance in bank.wallets_of(user_ids).items()
    ]


def tell_wallets(user_ids: Iterable[int]) -> None:
    """Tell the open pages of these users what is in their wallets now."""
    hub.publish_soon(wallet_frames(user_ids))


def tell_lobby() -> None:
    """Have every open lobby fetch its list again."""
    hub.publish_soon([(LOBBY, protocol.encode(LobbyChanged()))])


def tell_table(table_id: int, *frames: Announced | Said | Unsaid) -> None:
    """Tell everybody who looks at this table what the house or somebody else has to say."""
    hub.publish_soon([(table_topic(table_id), protocol.encode(frame)) for frame in frames])


def tell_talk(talked: Talked) -> None:
    """Tell everybody who looks at the table what came of a chat command."""
    tell_table(talked.table_id, *talked.frames)


def tell_house(house_news: HouseNews) -> None:
    """Tell everybody who has a table or the lobby open what holds for the whole house."""
    hub.publish_soon([(HOUSE, protocol.encode(house_news))])
