"""The rules of a table in plain words, made from the rule set itself.

What a page says is asked of the :class:`Ruleset` that the engine plays, so the two cannot differ.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction

from accounts.money import money
from tables.engine.presets import PRESETS
from tables.engine.round_state import DEALER_STANDS_ON
from tables.engine.rules import DealOrder, Ruleset, Stakes, Tie

NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight")


@dataclass(frozen=True, slots=True)
class Section:
    heading: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RulesPage:
    """All rules of one rule set, a sentence each."""

    rules: Ruleset
    sections: tuple[Section, ...]
    differences: tuple[str, ...]
    """What is played differently from the preset of this name."""


def rules_page(rules: Ruleset) -> RulesPage:
    """The rules as people read them."""
    sections = [
        Section("The aim", _aim(rules)),
        Section("The cards", _cards(rules)),
        Section("Bets", _bets(rules)),
        Section("The deal", _deal(rules)),
        Section("Your turn", _turn(rules)),
        Section(f"The {rules.dealer_name}'s turn", _dealer(rules)),
        Section("Who wins", _result(rules)),
        Section("After the round", _afterwards(rules)),
        Section("Leaving, and being away", _away(rules)),
    ]
    kept = tuple(section for section in sections if section.sentences)
    return RulesPage(rules, kept, differences(rules))


def differences(rules: Ruleset) -> tuple[str, ...]:
    """What a table plays differently from its preset, a few words each; empty for a preset."""
    preset = PRESETS.get(rules.key, rules)
    changed = {
        field.name
        for field in fields(Ruleset)
        if getattr(rules, field.name) != getattr(preset, field.name)
    }
    words = {
        "seats": f"{counted(rules.seats, 'seat')}",
        "decks": counted(rules.decks, "deck"),
        "stakes": f"bets {limits(rules.stakes)}" if rules.stakes else "no bets",
        "natural_pays": f"blackjack pays {odds(rules.natural_pays)}",
        "twenty_one_stands": "21 stands by itself" if rules.twenty_one_stands else "21 is asked",
        "peek": "the dealer checks first" if rules.peek else "the dealer does not check first",
        "hits_soft_17": "the dealer hits soft 17" if rules.hits_soft_17 else "stands on soft 17",
        "double_down": "doubling" if rules.double_down else "no doubling",
        "double_after_split": (
            "doubling after a split" if rules.double_after_split else "no doubling after a split"
        ),
        "max_hands": f"splits to {counted(rules.max_hands, 'hand')}",
        "split_aces_once": (
            "one card on split aces" if rules.split_aces_once else "split aces are played on"
        ),
        "insurance": "insurance" if rules.insurance else "no insurance",
        "surrender": "late surrender" if rules.surrender else "no surrender",
    }
    return tuple(words[name] for name in words if name in changed)


def felt_text(rules: Ruleset) -> str:
    """What is printed on the felt: one line of what matters most."""
    who = rules.dealer_name.capitalize()
    stands = "hits soft 17" if rules.hits_soft_17 else f"stands on all {DEALER_STANDS_ON}s"
    if rules.natural_pays is not None:
        return f"Blackjack pays {odds(rules.natural_pays)} · {who} {stands}"
    if rules.tie is Tie.DEALER_WINS:
        return f"{who} {stands} · ties are the {rules.dealer_name}'s"
    if rules.has_piles:
        return f"21 wins at once · {who} {stands}"
    return f"{who} draws to 16 and {stands}"


def limits(stakes: Stakes) -> str:
    """The limits of a table: ``from 10``, ``2 to 500``."""
    if stakes.maximum is None:
        return f"from {money(stakes.minimum)}"
    return f"{money(stakes.minimum)} to {money(stakes.maximum)}"


def odds(pays: Fraction | None) -> str:
    """Odds in words: ``3 to 2``."""
    return "nothing extra" if pays is None else f"{pays.numerator} to {pays.denominator}"


def counted(number: int, thing: str) -> str:
    """``one seat``, ``three seats``."""
    return f"{NUMBERS[number]} {thing}{'' if number == 1 else 's'}"


def _aim(rules: Ruleset) -> tuple[str, ...]:
    who = rules.dealer_name
    if rules.has_piles:
        return (
            f"Collect more cards than the {who}. You win cards by winning hands.",
            "In a hand, get the total of your cards as close to 21 as you can without going over.",
        )
    alone = f"You play one on one against the {who}."
    together = f"Players play against the {who}, never against each other."
    return (
        f"Get a higher total than the {who} without going over 21.",
        alone if rules.seats == 1 else together,
    )


def _cards(rules: Ruleset) -> tuple[str, ...]:
    decks = counted(rules.decks, "deck")
    if rules.has_piles:
        shuffled = f"A game is played through {decks} of 52 cards without shuffling again."
    elif rules.cut_card is None:
        shuffled = f"{decks.capitalize()} of 52 cards, shuffled before every round."
    else:
        share = int(rules.cut_card * 100)
        shuffled = (
            f"{decks.capitalize()} of 52 cards in a shoe. A cut card lies at {share} %: the round "
            "in which it comes out is the last of the shoe."
        )
    return (
        shuffled,
        "Numbered cards count what they show; jack, queen and king count 10.",
        "An ace counts 11, unless that takes the hand over 21: then it counts 1.",
        "A hand with an ace that counts 11 is soft. The table shows both totals, as in “7 or 17”.",
    )


def _bets(rules: Ruleset) -> tuple[str, ...]:
    if rules.stakes is None:
        return ()
    least, most = money(rules.stakes.minimum), rules.stakes.maximum
    upper = "as much as you have" if most is None else money(most)
    said = [f"Before the cards you bet {least} at least and {upper} at most, in whole units."]
    if rules.is_matched:
        said += [
            f"The {rules.dealer_name}'s account puts the same amount into the pot at once.",
            f"A bet that the {rules.dealer_name}'s account cannot match is not taken.",
            "The winner of the hand takes the pot.",
        ]
    else:
        said.append("A win pays 1 to 1: for every 10 you bet you win 10.")
    if rules.natural_pays is not None:
        ten = money(int(1000 * rules.natural_pays))
        said.append(f"A blackjack pays {odds(rules.natural_pays)}: for every 10 you win {ten}.")
    return tuple(said)


def _deal(rules: Ruleset) -> tuple[str, ...]:
    who, each = rules.dealer_name, "the player" if rules.seats == 1 else "each player in turn"
    if rules.deal_order is DealOrder.ONE_TO_EACH:
        said = [
            f"One card face up to {each} and one face up to the {who}; then another to "
            f"{each}, and the {who}'s second card face down."
        ]
    else:
        faces = ("face down", "face up") if rules.hole_card_first else ("face up", "face down")
        said = [f"Two cards face up to {each}; then the {who}'s, one {faces[0]}, one {faces[1]}."]
    if rules.insurance:
        said += [
            "If an ace lies before the dealer, every player is asked in turn about insurance: half "
            "the bet more, on the dealer's having a blackjack. It pays 2 to 1.",
        ]
        if rules.natural_pays == Fraction(3, 2):
            said.append("With a blackjack of your own that is even money: 1 to 1 either way.")
    if rules.peek:
        made = "21" if rules.natural_pays is None else "blackjack"
        said.append(
            f"With an ace or a ten-value card up, the {who} looks at the face-down card before "
            f"anybody plays. If that makes {made}, the round is settled at once."
        )
    return tuple(said)


def _turn(rules: Ruleset) -> tuple[str, ...]:
    who = rules.dealer_name
    said = [
        "Hit: take another card. You may hit as often as you like, until you stand or bust.",
        "Stand: take no more cards.",
        f"Over 21 you bust and lose at once, whatever the {who} does later.",
    ]
    if rules.natural_pays is not None:
        said.append("An ace and a ten-value card as your first two cards are a blackjack.")
    if rules.twenty_one_wins:
        said.append("Exactly 21 wins the hand at once, on the deal and later.")
    elif rules.twenty_one_stands:
        said.append("A 21 stands by itself.")
    else:
        said.append("A 21 does not stand by itself: you say so.")
    if rules.double_down:
        split = ", of a split hand too" if rules.double_after_split and rules.max_hands > 1 else ""
        said.append(
            f"Double: on the first two cards{split}. You match your bet and take exactly one card."
        )
    if rules.max_hands > 1:
        said += _splitting(rules)
    if rules.surrender:
        said.append("Surrender: as your first decision, give up the hand and get half back.")
    if rules.double_down or rules.max_hands > 1:
        said.append("What has to be matched is offered only if you have the money for it.")
    return tuple(said)


def _splitting(rules: Ruleset) -> list[str]:
    most = counted(rules.max_hands, "hand")
    said = [
        f"Split: two cards of equal value, as king and jack, become two hands (up to {most}). You "
        "match your bet on the new hand, and each gets a second card.",
        "After a split 21 is a 21 and no blackjack.",
    ]
    if rules.split_aces_once:
        said.append("Split aces get one card each and are not split again.")
    return said


def _dealer(rules: Ruleset) -> tuple[str, ...]:
    who, least = rules.dealer_name, DEALER_STANDS_ON
    soft = (
        f"On a soft {least} the {who} draws once more."
        if rules.hits_soft_17
        else f"An ace counts 11 if that makes {least} to 21: on soft {least} the {who} stands too."
    )
    return (
        f"When every player is done, the {who} turns the face-down card over.",
        f"Below {least} the {who} must draw; with {least} or more the {who} must stand. There is "
        "no choice.",
        soft,
        f"If no hand is left to beat, the {who} takes no card.",
    )


def _result(rules: Ruleset) -> tuple[str, ...]:
    who = rules.dealer_name
    said = [f"If the {who} busts, every hand that is left wins. Otherwise the higher total wins."]
    if rules.has_piles:
        return (
            *said,
            "The winner of a hand takes all of its cards onto a pile. Everybody sees how many "
            "cards a pile holds, nobody sees which.",
            "A tie, 21 for both on the deal included, sends all cards of the hand to the discard, "
            "which counts for nobody.",
            "If the deck runs out inside a hand, the hand is settled as it lies.",
        )
    if rules.tie is Tie.DEALER_WINS:
        said.append(f"On a tie the {who} wins.")
    else:
        back = ": your bet comes back" if rules.stakes else ""
        said.append(f"Equal totals push{back}.")
    if rules.natural_pays is not None:
        said.append("A blackjack beats every other 21. Against the dealer's blackjack it pushes.")
    return tuple(said)


def _afterwards(rules: Ruleset) -> tuple[str, ...]:
    if rules.has_piles:
        return (
            "The next hand is dealt from the same deck.",
            "The game ends when the last card is drawn, when the cards left in the deck total "
            "less than 21 (an ace counting 11), or when fewer than four are left. The larger pile "
            "wins; equal piles draw. Then there is a fresh deck, and a new game.",
        )
    if rules.asks_to_play_again:
        group = "you are" if rules.seats == 1 else "everybody at the table is"
        return (
            f"After each round {group} asked whether to play again. Who does not answer in time "
            "gives the seat up.",
            "What is kept is won, lost and pushed.",
        )
    return ("Bet again, or leave. Two rounds without a bet give the seat up.",)


def _away(rules: Ruleset) -> tuple[str, ...]:
    declined = " Insurance is declined." if rules.insurance else ""
    staked = " Nothing is ever staked for you." if rules.stakes else ""
    said = [
        f"Every decision has a clock. When it ends, your hand stands as it is.{declined}{staked}",
        "Who leaves in the middle of a hand lets it stand. What it wins is kept.",
        "Between rounds a seat is free again when no page of its player was open for a minute.",
    ]
    if rules.has_piles:
        said.append("Come back before somebody else sits down, and your game goes on.")
    return tuple(said)
