"""Shoes: sealed before the bets, shuffled with the first card, revealed when retired.

While it is in use, its secret and its cards are in the table's private state and nowhere else.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from accounts.lib.sql.write import InsertRows, NewInstance, UpdateRows
from tables.engine.piles import GameEnded, Piles
from tables.engine.provably_fair import shuffle
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tables.models import Match, PileGame
from tables.models import Shoe as ShoeRow
from tables.models.play import encode_words
from tables.protocol.events import ShoeOpened, ShoeSealed, ShoeShuffled
from tables.state import commitments
from tables.state.game_state import UNSEALED, SealedShoe
from tables.state.live_table import LiveTable
from tables.state.match_state import MatchState

_new_shoe = NewInstance(ShoeRow)
_insert_shoe = InsertRows(ShoeRow)
_write_words = UpdateRows(ShoeRow, ("words",))
_write_secret = UpdateRows(ShoeRow, ("secret", "retired_at", "retired_because"))


def ensure_sealed(live: LiveTable) -> None:
    """Seal the next shoe before players bet; no effect if there is one."""
    if live.game.shoe is not None:
        return
    if live.game.match is not None and live.game.match.is_duplicate:
        _take_shared(live, live.game.match)
        return
    secret = secrets.token_bytes(shuffle.SECRET_BYTES)
    live.row.shoe_count += 1
    row = _new_shoe(
        table_id=live.row.pk,
        number=live.row.shoe_count,
        method=shuffle.METHOD,
        decks=live.rules.decks,
        commitment=shuffle.seal_of(secret),
        sealed_at=live.now,
    )
    live.writes.append(_insert_shoe.reserve_key(row))
    live.game.shoe = SealedShoe(row.pk, row.commitment, secret)
    live.events.append(ShoeSealed(row.pk, row.commitment, row.number))


def _take_shared(live: LiveTable, match: MatchState) -> None:
    """Take the shoe of the next round of a duplicate match; none after the last round.

    It was sealed at the start of the match. Each table has a row of its own for it.
    """
    number = live.row.round_count + 1
    if not match.is_running or number > match.last_round:
        return
    original = ShoeRow.objects.get(table=match.first_table, number=number)
    (keys,) = Match.objects.filter(pk=match.id).values_list("secrets", flat=True)
    row = original
    if original.table_id != live.row.pk:
        row, _ = ShoeRow.objects.get_or_create(
            table=live.row,
            number=number,
            defaults={
                "same_as": original,
                "method": original.method,
                "decks": original.decks,
                "commitment": original.commitment,
                "sealed_at": original.sealed_at,
            },
        )
    live.row.shoe_count = number
    secret = bytes.fromhex(keys[number - 1])
    live.game.shoe = SealedShoe(row.pk, row.commitment, secret, row.method, row.same_as_id)
    live.events.append(ShoeSealed(live.game.shoe.public_id, row.commitment, number))


def shuffle_sealed(rules: Ruleset, sealed: SealedShoe, words: list[tuple[int, str]]) -> Shoe:
    """The shoe in the order of its secret and the players' words."""
    label = ShoeRow.label_of(sealed.public_id)
    return Shoe(shuffle.shuffle_shoe(sealed.secret, label, words, rules.decks, sealed.method))


def open_for_round(live: LiveTable) -> Shoe:
    """The shoe for the round to be dealt; a new shoe is shuffled with the players' words."""
    game = live.game
    ensure_sealed(live)
    assert game.shoe is not None
    if game.shoe.cards is None:
        _shuffle(live, game.shoe)
        if live.rules.has_piles:
            game.piles, game.deck_left = Piles(), None
    assert game.shoe.cards is not None
    return game.shoe.cards


def _shuffle(live: LiveTable, sealed: SealedShoe) -> None:
    """Shuffle the shoe, and publish all words before the first card."""
    game = live.game
    words = commitments.list_contributions(game)
    sealed.cards = shuffle_sealed(live.rules, sealed, commitments.word_lines(words, sealed.method))
    live.writes.append(partial(_write_words, [_new_shoe(id=sealed.id, words=encode_words(words))]))
    leavers = dict(game.gone)
    entries = [{"seat": one["seat"], "player": _name(live, leavers, one), **one} for one in words]
    absent = [one for one in entries if one["words"] is None]
    for one in absent:
        del one["words"]
    mixed_in = [one for one in entries if "words" in one]
    live.events.append(ShoeShuffled(sealed.public_id, mixed_in, absent, live.row.shoe_count))
    commitments.drop_words(game)
    game.commitments_made = {}


def _name(live: LiveTable, leavers: Mapping[int, Sequence[str]], entry: Mapping[str, Any]) -> str:
    """The name of the player of these words, also one who committed and then left."""
    seat = entry["seat"]
    if entry["words"] is None and seat in leavers and leavers[seat][0] == entry["commitment"]:
        return leavers[seat][1]
    return live.seats[seat].user.username


def retire_if_exhausted(live: LiveTable) -> None:
    """After a round: retire a shoe that cannot serve another round, and seal the next."""
    if live.game.is_shoe_over:
        _end_game_of_piles(live)
        _retire(live, _retirement_reason(live.rules))
    elif not live.seats and not live.rules.has_piles:
        retire_in_use(live)


def _retirement_reason(rules: Ruleset) -> ShoeRow.Retired:
    if rules.has_piles:
        return ShoeRow.Retired.GAME_OVER
    every_round = rules.cut_position is None
    return ShoeRow.Retired.EVERY_ROUND if every_round else ShoeRow.Retired.CUT_CARD


def retire_in_use(live: LiveTable, because: ShoeRow.Retired = ShoeRow.Retired.TABLE_EMPTY) -> None:
    """Retire a shoe in use without players, and seal the next."""
    if live.game.shoe is not None and live.game.shoe.cards is not None:
        _retire(live, because)


def retire_if_incompatible(live: LiveTable, decks: int) -> None:
    """Retire a shoe with another number of ``decks`` or too few cards, and seal the next."""
    if live.game.shoe is not None and (live.rules.decks != decks or live.game.is_shoe_over):
        _retire(live, ShoeRow.Retired.RULES_CHANGED)


def retire_restored(live: LiveTable) -> None:
    """Retire the shoe of a restored table, whose secret may be known, and seal the next."""
    if live.game.shoe is not None:
        _retire(live, ShoeRow.Retired.RESTORED)
    commitments.discard_all(live.game)


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


def _retire(live: LiveTable, because: ShoeRow.Retired) -> None:
    sealed = live.game.shoe
    assert sealed is not None
    match = live.game.match
    if match is not None and match.is_duplicate:
        # The secret stays hidden until all players have played this shoe: see matches.progress.reveal.
        live.game.shoe = None
        ensure_sealed(live)
        return
    if sealed.id != UNSEALED:
        secret = sealed.secret.hex()
        values = {"secret": secret, "retired_at": live.now, "retired_because": because.value}
        live.writes.append(partial(_write_secret, [_new_shoe(id=sealed.id, **values)]))
        live.events.append(ShoeOpened(sealed.id, secret, live.row.shoe_count))
    if sealed.cards is None:
        # Shown words are public: the next secret must not be chosen with knowledge of them.
        commitments.drop_words(live.game)
    live.game.shoe = None
    ensure_sealed(live)
