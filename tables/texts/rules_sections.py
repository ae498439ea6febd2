"""Sections of the rules text: before the deal, play, settlement."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.lib.money import format_money
from tables.engine.errors import Text
from tables.engine.rules import DealOrder, Ruleset, Tie

_NUMBERS = (
    Text("no"), Text("one"), Text("two"), Text("three"), Text("four"), Text("five"),
    Text("six"), Text("seven"), Text("eight")
)  # fmt: skip


def spell_number(number: int) -> str:
    """Small numbers as words: ``one``, ``three``. A translation may use digits."""
    return _(_NUMBERS[number])


def format_odds(pays: Fraction | None) -> str:
    """Odds in words: ``3 to 2``."""
    if pays is None:
        return _("nothing extra")
    return _("%(win)s to %(stake)s") % {"win": pays.numerator, "stake": pays.denominator}


# Before the first decision


def describe_aim(rules: Ruleset) -> tuple[str, ...]:
    if rules.has_piles:
        return (
            _("Collect more cards than the dealer. You win cards by winning hands."),
            _("In each hand, get as close to 21 as you can without going over."),
        )
    alone = _("You play one on one against the dealer.")
    together = _("Players play against the dealer, never against each other.")
    return (
        _("Get a higher total than the dealer without going over 21."),
        alone if rules.seats == 1 else together,
    )


def describe_cards(rules: Ruleset) -> tuple[str, ...]:
    return (
        capfirst(_describe_shuffle(rules)),
        _("Number cards count their number; jack, queen and king count 10."),
        _("An ace counts 11, or 1 if 11 would take the hand over 21."),
        _(
            "A hand with an ace that counts 11 is soft. The table says so, as in “soft 17”; "
            "21 is shown as 21."
        ),
    )


def _describe_shuffle(rules: Ruleset) -> str:
    values: dict[str, object] = {"number": spell_number(rules.decks)}
    if rules.has_piles:
        return (
            ngettext(
                "A game uses %(number)s deck of 52 cards without reshuffling.",
                "A game uses %(number)s decks of 52 cards without reshuffling.",
                rules.decks,
            )
            % values
        )
    if rules.cut_card is None:
        return (
            ngettext(
                "%(number)s deck of 52 cards, shuffled before every round.",
                "%(number)s decks of 52 cards, shuffled before every round.",
                rules.decks,
            )
            % values
        )
    return ngettext(
        "%(number)s deck of 52 cards in a shoe, with a cut card at %(share)s %%. The round "
        "in which it comes out is the last of the shoe.",
        "%(number)s decks of 52 cards in a shoe, with a cut card at %(share)s %%. The round "
        "in which it comes out is the last of the shoe.",
        rules.decks,
    ) % {**values, "share": int(rules.cut_card * 100)}


_SIGNS: Final = {"casino": "£", "pot": "$"}
"""The sign of money in the seed of a rule set: "£10" in seed 004, "$2" in seed 003. It stands in the
rules. Other amounts have none, because one balance is for all tables."""


def format_bet(rules: Ruleset, amount: int) -> str:
    """An amount in hundredths, with the sign of the rule set's seed."""
    return _SIGNS.get(rules.key, "") + format_money(amount)


def describe_bets(rules: Ruleset) -> tuple[str, ...]:
    if rules.stakes is None:
        return ()
    if rules.stakes.maximum is None:
        bet = _("Before the deal, bet a whole number from %(least)s up to all you have.") % {
            "least": format_bet(rules, rules.stakes.minimum)
        }
    else:
        bet = _("Before the deal, bet a whole number from %(least)s to %(most)s.") % {
            "least": format_bet(rules, rules.stakes.minimum),
            "most": format_bet(rules, rules.stakes.maximum),
        }
    sentences = [bet]
    if rules.is_matched:
        sentences += [
            _("The dealer puts the same amount into the pot."),
            _("You can't bet more than the dealer can match."),
            _("The winner of the hand takes the pot."),
        ]
    else:
        ten = format_bet(rules, 1000)
        sentences.append(
            _("A win pays 1 to 1: for every %(ten)s you bet you win %(ten)s.") % {"ten": ten}
        )
    if rules.natural_pays is not None:
        sentences.append(
            _("A blackjack pays %(odds)s: for every %(ten)s you win %(won)s.")
            % {
                "odds": format_odds(rules.natural_pays),
                "ten": format_bet(rules, 1000),
                "won": format_bet(rules, int(1000 * rules.natural_pays)),
            }
        )
    sentences += _describe_bets_behind(rules)
    return tuple(sentences)


def _describe_bets_behind(rules: Ruleset) -> tuple[str, ...]:
    if rules.is_matched:
        return (
            _("Watchers can't bet behind a player here: the pot is the player's and the dealer's."),
        )
    return (
        _(
            "Watchers may bet behind a player before the deal, if the table allows it: three at "
            "most, with the limits of the table. They win and lose with the player's hand, by its "
            "odds, and get half back on a surrender."
        ),
        _(
            "On a double or a split a bet behind goes along if its backer has chosen that and can "
            "afford it. Otherwise it stays on the first hand. It has no part in insurance."
        ),
    )


def describe_deal(rules: Ruleset) -> tuple[str, ...]:
    sentences = [*_describe_dealt(rules)]
    if rules.insurance:
        sentences.append(
            _(
                "If the dealer shows an ace, all players are offered insurance at the same "
                "time: half the bet more, on the dealer having a blackjack. It pays 2 to 1."
            )
        )
        if rules.natural_pays == Fraction(3, 2):
            sentences.append(
                _(
                    "If you have a blackjack yourself, that is even money: you win 1 to 1 either way."
                )
            )
    if rules.peek and rules.natural_pays is None:
        sentences.append(
            _(
                "With an ace or a ten-value card up, the dealer checks the face-down card "
                "before anyone plays. If that makes 21, the round is settled at once."
            )
        )
    elif rules.peek:
        sentences.append(
            _(
                "With an ace or a ten-value card up, the dealer checks the face-down card "
                "before anyone plays. If that makes blackjack, the round is settled at once."
            )
        )
    return tuple(sentences)


def _describe_dealt(rules: Ruleset) -> tuple[str, ...]:
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
        dealers = _("Then the dealer's two: one face down, one face up.")
    else:
        dealers = _("Then the dealer's two: one face up, one face down.")
    alone, together = (
        _("Two cards face up to the player."),
        _("Two cards face up to each player in turn."),
    )
    return (alone if is_alone else together, dealers)


# Playing and settling a hand


def describe_turn(rules: Ruleset) -> tuple[str, ...]:
    sentences = [
        _("Hit: take another card. You may hit as often as you like, until you stand or bust."),
        _("Stand: take no more cards."),
        _("Over 21 you bust and lose at once, whatever the dealer does later."),
    ]
    if rules.natural_pays is not None:
        sentences.append(_("An ace and a ten-value card as your first two cards are a blackjack."))
    if rules.twenty_one_wins:
        sentences.append(_("Exactly 21 wins the hand at once, on the deal or later."))
    elif rules.twenty_one_stands:
        sentences.append(_("A 21 stands automatically."))
    elif rules.natural_pays is not None:
        sentences.append(_("A blackjack stands automatically. On any other 21 you decide."))
    else:
        sentences.append(_("A 21 does not stand automatically: you decide."))
    return (*sentences, *_describe_extras(rules))


def _describe_extras(rules: Ruleset) -> list[str]:
    """The sentences about actions other than hit and stand."""
    sentences = []
    if rules.double_down:
        exactly = _("You match your bet and take exactly one card.")
        sentences.append(f"{_describe_doubling(rules)} {exactly}")
    if rules.max_hands > 1:
        sentences += _describe_splitting(rules)
    if rules.surrender:
        sentences.append(
            _(
                "Surrender: as your first decision on a hand, give it up and get half your "
                "bet back. If the dealer has a blackjack, the round is over before that."
            )
        )
        if rules.max_hands > 1:
            sentences.append(_("You can't surrender a split hand."))
    if rules.double_down or rules.max_hands > 1:
        sentences.append(
            _("Doubling, splitting and insurance are offered only if you have enough chips.")
        )
    return sentences


def _describe_doubling(rules: Ruleset) -> str:
    """Which hands can be doubled."""
    if rules.max_hands == 1:
        return _("Double: on the first two cards.")
    if not rules.double_after_split:
        return _("Double: on the first two cards of a hand that was not split.")
    if rules.split_aces_once:
        return _("Double: on the first two cards, of a split hand too unless it has a split ace.")
    return _("Double: on the first two cards, of a split hand too.")


def _describe_splitting(rules: Ruleset) -> list[str]:
    sentences = [
        _(
            "Split: turn two cards of equal value, such as king and jack, into two hands (up "
            "to %(number)s hands). You match your bet on the new hand, and each gets a "
            "second card."
        )
        % {"number": spell_number(rules.max_hands)},
        _("After a split, an ace and a ten-value card count as 21, not blackjack."),
    ]
    if rules.max_hands > 2:
        sentences.append(
            _("You can split aces once: another ace on a split ace can't be split again.")
        )
    if rules.split_aces_once:
        sentences.append(_("Split aces get one card each and then stand."))
    return sentences


def describe_dealer(rules: Ruleset) -> tuple[str, ...]:
    return (
        _("When every player is done, the dealer turns over the face-down card."),
        *(_describe_soft_17(rules) if rules.hits_soft_17 else _describe_hard_17(rules)),
        _("If no hand is left to beat, the dealer takes no card."),
    )


def _describe_hard_17(rules: Ruleset) -> tuple[str, ...]:
    return (
        _(
            "Below 17 the dealer must draw; with 17 or more the dealer must stand. There is no "
            "choice."
        ),
        _("An ace counts 11 if that makes 17 to 21: on soft 17 the dealer stands too."),
    )


def _describe_soft_17(rules: Ruleset) -> tuple[str, ...]:
    return (
        _(
            "Below 17 and on soft 17 the dealer must draw; with any other 17 and with 18 or "
            "more the dealer must stand. There is no choice."
        ),
        _("An ace counts 11 if that does not take the hand over 21."),
    )


def describe_result(rules: Ruleset) -> tuple[str, ...]:
    if rules.has_piles:
        return (
            _("If the dealer busts, every remaining hand wins. Otherwise the higher total wins."),
            _(
                "The winner of a hand adds all its cards to a pile. Everyone sees how many "
                "cards a pile holds, but not which."
            ),
            _(
                "On a tie, including 21 for both on the deal, all cards go to the discard "
                "pile, which counts for nobody."
            ),
            _("If the deck runs out during a hand, the hand is settled as it is."),
        )
    sentences = [
        _("If the dealer busts, every remaining hand wins. Otherwise the higher total wins.")
    ]
    if rules.natural_pays is not None:
        sentences += [
            _("A blackjack beats every other 21, yours and the dealer's alike."),
            _("Two blackjacks push, and so do other equal totals: your bet is returned."),
        ]
    elif rules.tie is Tie.DEALER_WINS:
        sentences.append(_("The dealer wins ties."))
    elif rules.stakes:
        sentences.append(_("Equal totals push: your bet is returned."))
    else:
        sentences.append(_("Equal totals push."))
    return tuple(sentences)


def describe_afterwards(rules: Ruleset) -> tuple[str, ...]:
    if rules.has_piles:
        return (
            _("The next hand is dealt from the same deck."),
            _(
                "The game ends when the last card is drawn, when the cards left in the deck total "
                "less than 21 (an ace counting 11), or when fewer than four are left. The larger "
                "pile wins; equal piles draw. Then there is a fresh deck, and a new game."
            ),
        )
    if rules.asks_to_play_again:
        alone = _(
            "After each round you are asked whether to play again. If you don't answer in "
            "time, you lose your seat."
        )
        together = _(
            "After each round everyone at the table is asked whether to play again. Players "
            "who don't answer in time lose their seats."
        )
        return (
            alone if rules.seats == 1 else together,
            _("Your wins, losses and pushes are counted."),
        )
    return (_("Bet again or leave. After two rounds without a bet you lose your seat."),)


def describe_absence(rules: Ruleset) -> tuple[str, ...]:
    clock = [_("Every decision has a time limit. When time runs out, your hand stands.")]
    if rules.insurance:
        clock.append(_("Insurance is declined."))
    if rules.stakes:
        clock.append(_("No bet is ever placed for you."))
    sentences = [
        " ".join(clock),
        _("If you leave during a hand, it stands. You keep what it wins."),
        _("Between rounds you lose your seat if you have no page of the table open for a minute."),
    ]
    if rules.has_piles:
        sentences.append(_("Come back before another player sits down to continue your game."))
    return tuple(sentences)
