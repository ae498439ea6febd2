"""Publishes wallet, lobby, chat and site messages. Thread-safe."""

from __future__ import annotations

from collections.abc import Iterable

from accounts.ledger import transfers
from tables.protocol import codec
from tables.protocol.frames import Announced, HouseNews, LobbyChanged, Said, Unsaid, Wallet
from tables.protocol.topics import HOUSE, LOBBY, table_topic, user_topic
from tables.realtime.hub import hub
from tables.social.chat import Talked


def wallet_frames(user_ids: Iterable[int]) -> list[tuple[str, str]]:
    """What is in the wallets of these users now, for their own pages, each on its topic."""
    return [
        (user_topic(user_id), codec.encode(Wallet(*balance)))
        for user_id, balance in transfers.wallets_of(user_ids).items()
    ]


def publish_wallets(user_ids: Iterable[int]) -> None:
    """Tell the open pages of these users what is in their wallets now."""
    hub.publish_soon(wallet_frames(user_ids))


def publish_lobby() -> None:
    """Have every open lobby fetch its list again."""
    hub.publish_soon([(LOBBY, codec.encode(LobbyChanged()))])


def publish_to_table(table_id: int, *frames: Announced | Said | Unsaid) -> None:
    """Tell everybody who looks at this table what the house or somebody else has to say."""
    hub.publish_soon([(table_topic(table_id), codec.encode(frame)) for frame in frames])


def publish_chat(talked: Talked) -> None:
    """Tell everybody who looks at the table what came of a chat command."""
    publish_to_table(talked.table_id, *talked.frames)


def publish_site_news(house_news: HouseNews) -> None:
    """Tell everybody who has a table or the lobby open what holds for the whole house."""
    hub.publish_soon([(HOUSE, codec.encode(house_news))])
