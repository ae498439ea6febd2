"""Results, tallies and standings of the rounds that were played before there were any."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import groupby
from typing import Any

import msgspec
from django.db import migrations

WON, LOST = {"blackjack", "win"}, {"lose", "bust", "surrender"}
DECISIONS = {"hit", "stand", "double", "split", "surrender", "insure", "decline"}
CHUNK = 500


def write_results(apps: Any, editor: Any) -> None:
    """One walk over all settled rounds, in the order in which they ended."""
    models = {name: apps.get_model("tables", name) for name in ("Result", "Round", "Tally", "Standing")}
    rounds = models["Round"].objects.filter(finished_at__isnull=False, dealt_at__isnull=False)
    rounds = rounds.order_by("finished_at", "pk").select_related("table").defer("table__state")
    tallies: dict[tuple[int, str, Any], Any] = {}
    streaks: Counter[tuple[int, str]] = Counter()
    standings: dict[int, Any] = {}
    games: set[tuple[int, int]] = set()
    results = []
    for round_ in rounds.prefetch_related("hands", "changes").iterator(chunk_size=CHUNK):
        hands = sorted(round_.hands.all(), key=lambda hand: (hand.seat, hand.number))
        decisions = Counter(
            change.user_id
            for change in round_.changes.all()
            if change.user_id and msgspec.json.decode(change.command).get("t") in DECISIONS
        )
        for _, group in groupby(hands, key=lambda hand: hand.seat):
            own = list(group)
            result = _result(models["Result"], round_, own, decisions[own[0].user_id])
            if round_.rules_key == "piles" and round_.shoe_id:
                game = (result.user_id, round_.shoe_id)
                result.game_id, result.opens_game = round_.shoe_id, game not in games
                games.add(game)
            results.append(result)
            if len(results) == CHUNK:
                models["Result"].objects.bulk_create(results)
                results.clear()
            for key in ("", round_.rules_key):
                day = round_.finished_at.date()
                tally = tallies.setdefault(
                    (result.user_id, key, day),
                    models["Tally"](user_id=result.user_id, rules_key=key, day=day),
                )
                _add(tally, own, result, streaks)
            if any(hand.stake for hand in own) and not round_.table.is_private:
                standing = standings.setdefault(
                    result.user_id, models["Standing"](user_id=result.user_id)
                )
                standing.rounds += 1
                standing.net += result.payout - result.stake
                standing.per_hundred = standing.net * 100 // standing.rounds
    models["Result"].objects.bulk_create(results)
    models["Tally"].objects.bulk_create(tallies.values(), batch_size=CHUNK)
    models["Standing"].objects.bulk_create(standings.values(), batch_size=CHUNK)


def _result(model: Any, round_: Any, hands: list[Any], decisions: int) -> Any:
    return model(
        user_id=hands[0].user_id,
        round=round_,
        table_id=round_.table_id,
        rules_key=round_.rules_key,
        seat=hands[0].seat,
        finished_at=round_.finished_at,
        decisions=decisions,
        outcome=_outcome(hands),
        stake=sum(hand.stake + hand.insurance_stake for hand in hands),
        payout=sum(hand.payout + hand.insurance_payout for hand in hands),
    )


def _outcome(hands: list[Any]) -> str:
    if len(hands) == 1:
        return str(hands[0].outcome)
    if any(hand.stake for hand in hands):
        net = sum(hand.payout - hand.stake for hand in hands)
    else:
        net = sum((hand.outcome in WON) - (hand.outcome in LOST) for hand in hands)
    return "push" if net == 0 else "win" if net > 0 else "lose"


def _add(tally: Any, hands: list[Any], result: Any, streaks: Counter[tuple[int, str]]) -> None:
    net, key = result.payout - result.stake, (tally.user_id, tally.rules_key)
    if result.outcome in WON:
        streaks[key] += 1
    elif result.outcome in LOST:
        streaks[key] = 0
    tally.rounds += 1
    tally.won += result.outcome in WON
    tally.lost += result.outcome in LOST
    tally.pushed += result.outcome == "push"
    tally.blackjacks += sum(hand.outcome == "blackjack" for hand in hands)
    tally.busts += sum(hand.outcome == "bust" for hand in hands)
    tally.doubles += sum(hand.is_doubled for hand in hands)
    tally.splits += len(hands) - 1
    tally.staked += result.stake
    tally.net += net
    tally.biggest_win = max(tally.biggest_win, net)
    tally.streak = streaks[key]
    if result.outcome in WON:
        tally.longest_streak = max(tally.longest_streak, tally.streak)


class Migration(migrations.Migration):
    dependencies = [("tables", "0004_results")]
    operations = [migrations.RunPython(write_results, migrations.RunPython.noop)]
