"""The rules of what comes before the first decision, in whole sentences: each can be translated."""

from __future__ import annotations

from fractions import Fraction

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.money import money
from tables.engine.rules import DealOrder, Ruleset
from tables.rules_words import by_dealer, in_words, odds


def aim(rules: Ruleset) -> tuple[str, ...]:
    if rules.has_piles:
        return (
            _("Collect more cards than the house. You win cards by winning hands."),
            _(
                "In a hand, get the total of your cards as close to 21 as you can without going "
                "over."
            ),
        )
    alone = _("You play one on one against the dealer.")
    together = _("Players play against the dealer, never against each other.")
    return (
        _("Get a higher total than the dealer without going over 21."),
        alone if rules.seats == 1 else together,
    )


def cards(rules: Ruleset) -> tuple[str, ...]:
    return (
        capfirst(_shuffled(rules)),
        _("Numbered cards count what they show; jack, queen and king count 10."),
        _("An ace counts 11, unless that takes the hand over 21: then it counts 1."),
        _(
            "A hand with an ace that counts 11 is soft. The table shows both totals, as in “7 or "
            "17”."
        ),
    )


def _shuffled(rules: Ruleset) -> str:
    said: dict[str, object] = {"number": in_words(rules.decks)}
    if rules.has_piles:
        return (
            ngettext(
                "A game is played through %(number)s deck of 52 cards without shuffling again.",
                "A game is played through %(number)s decks of 52 cards without shuffling again.",
                rules.decks,
            )
            % said
        )
    if rules.cut_card is None:
        return (
            ngettext(
                "%(number)s deck of 52 cards, shuffled before every round.",
                "%(number)s decks of 52 cards, shuffled before every round.",
                rules.decks,
            )
            % said
        )
    return ngettext(
        "%(number)s deck of 52 cards in a shoe. A cut card lies at %(share)s %%: the round in "
        "which it comes out is the last of the shoe.",
        "%(number)s decks of 52 cards in a shoe. A cut card lies at %(share)s %%: the round in "
        "which it comes out is the last of the shoe.",
        rules.decks,
    ) % {**said, "share": int(rules.cut_card * 100)}


def bets(rules: Ruleset) -> tuple[str, ...]:
    if rules.stakes is None:
        return ()
    if rules.stakes.maximum is None:
        bet = _(
            "Before the cards you bet %(least)s at least and as much as you have at most, in whole "
            "units."
        ) % {"least": money(rules.stakes.minimum)}
    else:
        bet = _(
            "Before the cards you bet %(least)s at least and %(most)s at most, in whole units."
        ) % {"least": money(rules.stakes.minimum), "most": money(rules.stakes.maximum)}
    said = [bet]
    if rules.is_matched:
        said += [
            _("The dealer's account puts the same amount into the pot at once."),
            _("A bet that the dealer's account cannot match is not taken."),
            _("The winner of the hand takes the pot."),
        ]
    else:
        said.append(_("A win pays 1 to 1: for every 10 you bet you win 10."))
    if rules.natural_pays is not None:
        said.append(
            _("A blackjack pays %(odds)s: for every 10 you win %(ten)s.")
            % {"odds": odds(rules.natural_pays), "ten": money(int(1000 * rules.natural_pays))}
        )
    return tuple(said)


def deal(rules: Ruleset) -> tuple[str, ...]:
    said = [*_dealt(rules)]
    if rules.insurance:
        said.append(
            _(
                "If an ace lies before the dealer, every player is asked in turn about insurance: "
                "half the bet more, on the dealer's having a blackjack. It pays 2 to 1."
            )
        )
        if rules.natural_pays == Fraction(3, 2):
            said.append(_("With a blackjack of your own that is even money: 1 to 1 either way."))
    if rules.peek and rules.natural_pays is None:
        said.append(
            _(
                "With an ace or a ten-value card up, the house looks at the face-down card before "
                "anybody plays. If that makes 21, the round is settled at once."
            )
        )
    elif rules.peek:
        said.append(
            _(
                "With an ace or a ten-value card up, the dealer looks at the face-down card before "
                "anybody plays. If that makes blackjack, the round is settled at once."
            )
        )
    return tuple(said)


def _dealt(rules: Ruleset) -> tuple[str, ...]:
    is_alone = rules.seats == 1
    if rules.deal_order is DealOrder.ONE_TO_EACH:
        alone = _(
            "One card face up to the player and one face up to the dealer; then another to the "
            "player, and the dealer's second card face down."
        )
        together = _(
            "One card face up to each player in turn and one face up to the dealer; then another "
            "to each player in turn, and the dealer's second card face down."
        )
        return (alone if is_alone else together,)
    if rules.hole_card_first:
        dealers = by_dealer(
            rules,
            dealer=_("Then the dealer's two: one face down, one face up."),
            house=_("Then the house's two: one face down, one face up."),
        )
    else:
        dealers = by_dealer(
            rules,
            dealer=_("Then the dealer's two: one face up, one face down."),
            house=_("Then the house's two: one face up, one face down."),
        )
    alone, together = (
        _("Two cards face up to the player."),
        _("Two cards face up to each player in turn."),
    )
    return (alone if is_alone else together, dealers)
