"""The rules of playing and settling a hand, in whole sentences: each can be translated."""

from __future__ import annotations

from django.utils.translation import gettext as _

from tables.engine.rules import Ruleset, Tie
from tables.rules_words import by_dealer, in_words


def turn(rules: Ruleset) -> tuple[str, ...]:
    said = [
        _("Hit: take another card. You may hit as often as you like, until you stand or bust."),
        _("Stand: take no more cards."),
        by_dealer(
            rules,
            dealer=_("Over 21 you bust and lose at once, whatever the dealer does later."),
            house=_("Over 21 you bust and lose at once, whatever the house does later."),
        ),
    ]
    if rules.natural_pays is not None:
        said.append(_("An ace and a ten-value card as your first two cards are a blackjack."))
    if rules.twenty_one_wins:
        said.append(_("Exactly 21 wins the hand at once, on the deal and later."))
    elif rules.twenty_one_stands:
        said.append(_("A 21 stands by itself."))
    elif rules.natural_pays is not None:
        said.append(_("A blackjack stands by itself. Any other 21 does not: you say so."))
    else:
        said.append(_("A 21 does not stand by itself: you say so."))
    return (*said, *_extras(rules))


def _extras(rules: Ruleset) -> list[str]:
    """What else than hit and stand can be said to a hand."""
    said = []
    if rules.double_down:
        exactly = _("You match your bet and take exactly one card.")
        said.append(f"{_doubling(rules)} {exactly}")
    if rules.max_hands > 1:
        said += _splitting(rules)
    if rules.surrender:
        said.append(
            _(
                "Surrender: as your first decision about a hand, give it up and get half of your "
                "bet back. Where the dealer has a blackjack the round is over before that."
            )
        )
        if rules.max_hands > 1:
            said.append(_("A split hand cannot be surrendered."))
    if rules.double_down or rules.max_hands > 1:
        said.append(_("What has to be matched is offered only if you have the money for it."))
    return said


def _doubling(rules: Ruleset) -> str:
    """Which hands can be doubled."""
    if rules.max_hands == 1:
        return _("Double: on the first two cards.")
    if not rules.double_after_split:
        return _("Double: on the first two cards of a hand that was not split.")
    if rules.split_aces_once:
        return _("Double: on the first two cards, of a split hand too unless it has a split ace.")
    return _("Double: on the first two cards, of a split hand too.")


def _splitting(rules: Ruleset) -> list[str]:
    said = [
        _(
            "Split: two cards of equal value, as king and jack, become two hands (up to %(number)s "
            "hands). You match your bet on the new hand, and each gets a second card."
        )
        % {"number": in_words(rules.max_hands)},
        _("After a split 21 is a 21 and no blackjack."),
    ]
    if rules.max_hands > 2:
        said.append(_("Aces are split once: another ace on a split ace is not split again."))
    if rules.split_aces_once:
        said.append(_("Split aces get one card each, and nothing more is asked about them."))
    return said


def dealer(rules: Ruleset) -> tuple[str, ...]:
    return (
        by_dealer(
            rules,
            dealer=_("When every player is done, the dealer turns the face-down card over."),
            house=_("When every player is done, the house turns the face-down card over."),
        ),
        *(_hits_soft_17(rules) if rules.hits_soft_17 else _stands_on_17(rules)),
        by_dealer(
            rules,
            dealer=_("If no hand is left to beat, the dealer takes no card."),
            house=_("If no hand is left to beat, the house takes no card."),
        ),
    )


def _stands_on_17(rules: Ruleset) -> tuple[str, ...]:
    return (
        by_dealer(
            rules,
            dealer=_(
                "Below 17 the dealer must draw; with 17 or more the dealer must stand. There is no "
                "choice."
            ),
            house=_(
                "Below 17 the house must draw; with 17 or more the house must stand. There is no "
                "choice."
            ),
        ),
        by_dealer(
            rules,
            dealer=_("An ace counts 11 if that makes 17 to 21: on soft 17 the dealer stands too."),
            house=_("An ace counts 11 if that makes 17 to 21: on soft 17 the house stands too."),
        ),
    )


def _hits_soft_17(rules: Ruleset) -> tuple[str, ...]:
    return (
        by_dealer(
            rules,
            dealer=_(
                "Below 17 and on soft 17 the dealer must draw; with any other 17 and with 18 or "
                "more the dealer must stand. There is no choice."
            ),
            house=_(
                "Below 17 and on soft 17 the house must draw; with any other 17 and with 18 or "
                "more the house must stand. There is no choice."
            ),
        ),
        _("An ace counts 11 if that does not take the hand over 21."),
    )


def result(rules: Ruleset) -> tuple[str, ...]:
    if rules.has_piles:
        return (
            _("If the house busts, every hand that is left wins. Otherwise the higher total wins."),
            _(
                "The winner of a hand takes all of its cards onto a pile. Everybody sees how many "
                "cards a pile holds, nobody sees which."
            ),
            _(
                "A tie, 21 for both on the deal included, sends all cards of the hand to the "
                "discard, which counts for nobody."
            ),
            _("If the deck runs out inside a hand, the hand is settled as it lies."),
        )
    said = [
        _("If the dealer busts, every hand that is left wins. Otherwise the higher total wins.")
    ]
    if rules.natural_pays is not None:
        said += [
            _("A blackjack beats every other 21, yours and the dealer's alike."),
            _("Two blackjacks push, and so do other equal totals: your bet comes back."),
        ]
    elif rules.tie is Tie.DEALER_WINS:
        said.append(_("On a tie the dealer wins."))
    elif rules.stakes:
        said.append(_("Equal totals push: your bet comes back."))
    else:
        said.append(_("Equal totals push."))
    return tuple(said)


def afterwards(rules: Ruleset) -> tuple[str, ...]:
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
            "After each round you are asked whether to play again. Who does not answer in time "
            "gives the seat up."
        )
        together = _(
            "After each round everybody at the table is asked whether to play again. Who does not "
            "answer in time gives the seat up."
        )
        return (
            alone if rules.seats == 1 else together,
            _("What is kept is won, lost and pushed."),
        )
    return (_("Bet again, or leave. Two rounds without a bet give the seat up."),)


def away(rules: Ruleset) -> tuple[str, ...]:
    clock = [_("Every decision has a clock. When it ends, your hand stands as it is.")]
    if rules.insurance:
        clock.append(_("Insurance is declined."))
    if rules.stakes:
        clock.append(_("Nothing is ever staked for you."))
    said = [
        " ".join(clock),
        _("Who leaves in the middle of a hand lets it stand. What it wins is kept."),
        _("Between rounds a seat is free again when no page of its player was open for a minute."),
    ]
    if rules.has_piles:
        said.append(_("Come back before somebody else sits down, and your game goes on."))
    return tuple(said)
