"""Shoes, rounds and the changes of tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from tables.engine.options import apply_stored
from tables.engine.piles import Winner
from tables.engine.rules import Ruleset
from tables.models.table import Table
from tables.protocol import change_body, codec


def encode_words(mixed_in: Iterable[Mapping[str, Any]]) -> str:
    """The stored form of :attr:`Shoe.mixed_in`."""
    entries = [[one["seat"], one["commitment"], one["words"]] for one in mixed_in]
    return codec.encode(entries)


def _read_entry(stored: Any) -> dict[str, Any]:
    if isinstance(stored, dict):  # of an earlier release
        return stored
    if len(stored) == 2:  # of the first method: seat and words
        stored = stored[0], None, stored[1]
    return dict(zip(("seat", "commitment", "words"), stored, strict=True))


class Shoe(models.Model):
    """The published data of a shoe: its seal before the bets, and its secret when retired.

    It does not contain the order of the cards, which cannot be computed before that.
    """

    class Retired(models.TextChoices):
        """Why a shoe was retired."""

        CUT_CARD = "cut_card", _("the cut card was out, or too few cards were left")
        GAME_OVER = "game_over", _("the game was over")
        EVERY_ROUND = "every_round", _("this table shuffles before every round")
        TABLE_EMPTY = "table_empty", _("no players were left")
        RULES_CHANGED = "rules_changed", _("the rules of the table were changed")
        RESTORED = "restored", _("the site was restored from a backup")
        BROKEN_OFF = "broken_off", _("its round was cancelled")

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="shoes")
    number = models.PositiveIntegerField()
    """The number at its table, from 1, as players see it. The shuffle contains the id instead."""
    same_as = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="copies",
        db_index=False,
    )
    """In a duplicate match: the shoe of another table with the same secret, whose id is in the label."""
    method = models.CharField(max_length=20)
    decks = models.PositiveSmallIntegerField()
    commitment = models.CharField(max_length=64)
    """SHA-256 of the secret, in hexadecimal."""
    words = models.TextField(default="[]")
    """The words in the shuffle, in seat order; fixed with the first card: a JSON list, as
    :func:`encode_words` writes it. See :attr:`mixed_in`."""
    secret = models.CharField(max_length=64, blank=True)
    """In hexadecimal; empty until the shoe is retired."""
    sealed_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True, blank=True)
    retired_because = models.CharField(max_length=20, choices=Retired, blank=True, default="")
    """Empty before that, and for old shoes."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="a_table_counts_its_shoes"),
            models.CheckConstraint(
                name="a_secret_is_told_when_the_shoe_is_retired",
                condition=Q(secret="", retired_at__isnull=True)
                | (~Q(secret="") & Q(retired_at__isnull=False)),
            ),
        ]
        indexes = [
            models.Index(
                fields=["same_as"], name="copies_of_a_shoe", condition=Q(same_as__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"shoe {self.pk}"

    @property
    def mixed_in(self) -> list[dict[str, Any]]:
        """Seat, commitment (or null) and words (null without a bet) of each seat with a commitment."""
        try:
            return [_read_entry(one) for one in codec.decode_list(self.words)]
        except (ValueError, TypeError):  # damaged: no proof and no verification fits it
            return []

    @property
    def label(self) -> str:
        """The label of this shoe in the shuffle."""
        return self.label_of(self.public_id)

    @property
    def public_id(self) -> int:
        """The id that people see, and that is in the label."""
        return self.same_as_id or self.pk

    @staticmethod
    def label_of(shoe_id: int) -> str:
        """The :attr:`label` of the shoe with this id."""
        return f"shoe:{shoe_id}"


class Round(models.Model):
    """One round at a table, from the first bet to the last payout."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveIntegerField(null=True, blank=True)
    """The number at its table, from 1, as players see it; empty until the deal, so that rounds that
    are called off leave no gap."""
    rules_key = models.CharField("rules", max_length=20)
    rules_options = models.JSONField("options", default=dict, blank=True)
    """The table's options at that time."""
    shoe = models.ForeignKey(
        Shoe, on_delete=models.PROTECT, null=True, blank=True, related_name="rounds"
    )
    first_card = models.PositiveSmallIntegerField(null=True, blank=True)
    """The place of its first card in the shoe, from 0."""
    opened_at = models.DateTimeField()
    dealt_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    """When it was settled, or called off before the deal because all bets were taken back."""
    dealer_cards = models.CharField(max_length=60, blank=True)
    """Written when the round is settled."""
    voided_at = models.DateTimeField(null=True, blank=True)
    """When its money was returned; the reason is in its :class:`~tables.models.operators.Void`."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="a_table_counts_its_rounds"),
        ]
        permissions = [
            ("void_round", "Can void rounds, or ask for it above the limit"),
            ("approve_void", "Can approve or refuse a void that somebody else asked for"),
        ]

    def __str__(self) -> str:
        return f"round {self.pk}"

    @property
    def rules(self) -> Ruleset:
        return apply_stored(self.rules_key, self.rules_options)

    @property
    def is_broken_off(self) -> bool:
        """Whether it was aborted during play: then it has no hands."""
        return self.voided_at is not None and self.voided_at == self.finished_at


class PileGame(models.Model):
    """The final score of a game of ``piles``."""

    round = models.OneToOneField(Round, on_delete=models.PROTECT, related_name="pile_game")
    """The round of its last hand."""
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="pile_games")
    player = models.PositiveSmallIntegerField()
    house = models.PositiveSmallIntegerField()
    discard = models.PositiveSmallIntegerField()
    winner = models.CharField(max_length=6, choices=[(who.value, who.value) for who in Winner])

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"game of piles that ended with {self.round}"


class Change(models.Model):
    """One committed change of a table: user, command and public events."""

    table = models.ForeignKey(
        Table, on_delete=models.PROTECT, related_name="changes", db_index=False
    )
    seq = models.PositiveBigIntegerField(_("number at the table"))
    round = models.ForeignKey(Round, on_delete=models.PROTECT, null=True, related_name="changes")
    at = models.DateTimeField(_("time"))
    user = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    """Empty for deadlines."""
    command_id = models.UUIDField(null=True)
    body = models.BinaryField()
    """The command and the public events; see :mod:`tables.protocol.change_body`."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["table", "seq"], name="a_table_counts_its_changes"),
            models.UniqueConstraint(fields=["user", "command_id"], name="commands_happen_once"),
        ]

    def __str__(self) -> str:
        return f"change {self.seq} of {self.table}"

    @cached_property
    def _decoded(self) -> tuple[str, list[dict[str, Any]]]:
        return change_body.decode(bytes(self.body), self.command_id)

    @property
    def command(self) -> str:
        """The JSON text of the command; empty without one. Raises ``change_body.DamagedBody``."""
        return self._decoded[0]

    @property
    def events(self) -> list[dict[str, Any]]:
        """The public events. Raises ``change_body.DamagedBody``."""
        return self._decoded[1]
