"""The life of a table's shoe: sealed before the bets, put in order with the first card, opened.

While it is in use, its secret and its cards are in the table's private state and nowhere else.
"""

from __future__ import annotations

import secrets

from accounts import untouched
from accounts.writes import Insert, New, Update
from tables.engine import fair
from tables.engine.piles import GameEnded, Piles
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tables.game import UNSEALED, SealedShoe
from tables.live_table import LiveTable
from tables.models import PileGame
from tables.models import Shoe as ShoeRow
from tables.table_events import ShoeOpened, ShoeSealed

_new_shoe = New(ShoeRow)
_insert_shoe = Insert(ShoeRow)
_write_words = Update(ShoeRow, ("words",))
_write_secret = Update(ShoeRow, ("secret", "retired_at"))


def seal_if_none(live: LiveTable) -> None:
    """Have a sealed shoe ready before anybody bets; harmless when there is one."""
    if live.game.shoe is not None:
        return
    secret = secrets.token_bytes(fair.SECRET_BYTES)
    row = _new_shoe(
        table_id=live.row.pk,
        method=fair.METHOD,
        decks=live.rules.decks,
        commitment=fair.commitment(secret),
        sealed_at=live.now,
    )
    with untouched.in_step():
        _insert_shoe.one(row)
    live.game.shoe = SealedShoe(row.pk, row.commitment, secret)
    live.events.append(ShoeSealed(row.pk, row.commitment))


def cards_in_order(rules: Ruleset, sealed: SealedShoe, words: list[tuple[int, str]]) -> Shoe:
    """The shoe as its secret and the players' words put it in order."""
    return Shoe(fair.shuffled(sealed.secret, ShoeRow.label_of(sealed.id), words, rules.decks))


def open_for_round(live: LiveTable) -> Shoe:
    """The cards for a round that is about to be dealt; a fresh shoe takes the players' words."""
    game = live.game
    seal_if_none(live)
    assert game.shoe is not None
    if game.shoe.cards is None:
        words = [(seat, game.words[seat]) for seat in sorted(game.words)]
        game.shoe.cards = cards_in_order(live.rules, game.shoe, words)
        with untouched.in_step():
            _write_words([_new_shoe(id=game.shoe.id, words=words)])
        if live.rules.has_piles:
            game.piles, game.deck_left = Piles(), None
    game.words = {}
    return game.shoe.cards


def retire_if_over(live: LiveTable) -> None:
    """After a round: open a shoe from which no further round is dealt, and seal the next."""
    if live.game.is_shoe_over:
        _end_game_of_piles(live)
        _retire(live)
    elif not live.seats and not live.rules.has_piles:
        retire_unfinished(live)


def retire_unfinished(live: LiveTable) -> None:
    """Open a shoe that is in use but that nobody plays on with, and seal the next."""
    if live.game.shoe is not None and live.game.shoe.cards is not None:
        _retire(live)


def retire_unfit(live: LiveTable, decks: int) -> None:
    """After a change of rules: open a shoe that was made of so many ``decks``, where there are
    others now, and one in which too few cards are left; and seal the next.
    """
    if live.game.shoe is not None and (live.rules.decks != decks or live.game.is_shoe_over):
        _retire(live)


def _end_game_of_piles(live: LiveTable) -> None:
    game = live.game
    if game.piles is None:
        return
    assert game.shoe is not None
    assert game.shoe.cards is not None
    assert game.round_id is not None
    piles, game.deck_left = game.piles, game.shoe.cards.left
    live.events.append(GameEnded(piles.winner, piles.player, piles.house))
    live.ended_game = PileGame(
        round_id=game.round_id,
        user_id=game.players[1],
        player=piles.player,
        house=piles.house,
        discard=piles.discard,
        winner=piles.winner.value,
    )


def _retire(live: LiveTable) -> None:
    sealed = live.game.shoe
    assert sealed is not None
    if sealed.id != UNSEALED:
        secret = sealed.secret.hex()
        with untouched.in_step():
            _write_secret([_new_shoe(id=sealed.id, secret=secret, retired_at=live.now)])
        live.events.append(ShoeOpened(sealed.id, secret))
    live.game.shoe = None
    seal_if_none(live)
