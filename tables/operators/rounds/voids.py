"""Voids: a round's entries are reversed and its results removed.

A void needs a second operator if it comes over the limit in the settings, together with what the same
operator has voided alone on that gaming day. Until the second one has decided, the requester may take
the request back. Operators cannot void rounds that they played in.
"""

from __future__ import annotations

import datetime as dt

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.ledger import gaming_days, transfers
from accounts.lib.errors import OperationRefused
from accounts.models import Act, User
from accounts.staff import second_operator
from tables.game import aborted_rounds, commit, void_plan
from tables.game.void_plan import VoidPlan
from tables.models import Hand, Notice, Report, Result, Round, Void
from tables.protocol.events import RoundVoided
from tables.results import revenue, reversal, scoring
from tables.social import notices
from tables.state.effects import ChangeNotice, Effects
from tables.state.live_table import LiveTable


class CannotVoid(OperationRefused):
    """The round cannot be voided, now or by this operator. Nothing was changed."""


def preview_void(
    round_: Round, operator: Operator, now: dt.datetime, *, waiting: Void | None = None
) -> VoidPlan:
    """Plan a void for its requester, or for the operator who decides about a ``waiting`` one.

    Raises :class:`CannotVoid`.
    """
    if waiting is not None:
        _verify_may_decide(waiting, operator)
        _verify_times_in_role(operator, waiting, now)
    return _verify_and_plan(round_, operator, now, waiting=waiting)


def request_void(
    round_id: int, operator: Operator, reason: str, now: dt.datetime, *, fingerprint: str = ""
) -> Effects[Void]:
    """Void the round, or store a request for a second operator if it is over the limit.

    ``fingerprint`` is that of the plan that was shown; empty if none was. Raises
    ``Round.DoesNotExist`` and :class:`CannotVoid`.
    """
    with transaction.atomic():
        live, round_ = _lock_round(round_id, operator, now)
        plan = _verify_and_plan(round_, operator, now)
        _verify_fingerprint(plan, fingerprint)
        void = Void(round=round_, reason=reason, asked_by_id=operator.user_id, asked_at=now)
        if plan.needs_second:
            void.save()
            after = {"void": void.pk, "moves": plan.total}
            subject = audit_log.build_subject(round_)
            audit_log.record(
                operator, Act.What.ASK_VOID, subject, after=after, reason=reason, at=now
            )
            return Effects(void)
        return _execute(live, void, plan, operator)


def approve_void(
    void_id: int, operator: Operator, now: dt.datetime, *, fingerprint: str = ""
) -> Effects[Void]:
    """Execute another operator's request. Raises ``Void.DoesNotExist``, :class:`CannotVoid`.

    ``fingerprint`` as for :func:`request_void`.
    """
    with transaction.atomic():
        live, void = _lock_void(void_id, operator, now)
        _verify_times_in_role(operator, void, now)
        _verify_requester(void)
        plan = _verify_and_plan(void.round, operator, now, waiting=void)
        _verify_fingerprint(plan, fingerprint)
        return _execute(live, void, plan, operator)


def refuse_void(void_id: int, operator: Operator, reason: str, now: dt.datetime) -> Effects[Void]:
    """Refuse a request; the reason is in the audit log. Raises as :func:`approve_void` does."""
    with transaction.atomic():
        _live, void = _lock_void(void_id, operator, now)
        _end_request(void, Void.Status.REFUSED, Act.What.REFUSE_VOID, operator, reason, now)
        reporters = Report.objects.filter(round=void.round).values_list("user", flat=True)
        frames = notices.create_decision(reporters, Notice.Kind.UPHELD, now, round_=void.round)
        return Effects(void, frames=frames)


def withdraw_void(void_id: int, operator: Operator, reason: str, now: dt.datetime) -> Effects[Void]:
    """Take back the operator's own request, while it waits.

    Raises ``Void.DoesNotExist``, and :class:`CannotVoid` as :func:`verify_may_withdraw` does.
    """
    with transaction.atomic():
        _live, void = _lock_request(void_id, operator, now)
        verify_may_withdraw(void, operator)
        _end_request(void, Void.Status.WITHDRAWN, Act.What.WITHDRAW_VOID, operator, reason, now)
        return Effects(void)


def verify_may_withdraw(void: Void, operator: Operator) -> None:
    """Raise :class:`CannotVoid` if it is decided, or if another operator requested it."""
    _verify_waits(void)
    if void.asked_by_id != operator.user_id:
        message = _("%(name)s requested this void. Refuse it instead of taking it back.")
        raise CannotVoid(message % {"name": void.asked_by_name})


def _end_request(
    void: Void,
    status: Void.Status,
    what: Act.What,
    operator: Operator,
    reason: str,
    now: dt.datetime,
) -> None:
    """End a request without a void, and record it."""
    void.status = status
    void.decided_by_id, void.decided_at = operator.user_id, now
    void.save()
    subject = audit_log.build_subject(void.round)
    before = {"void": void.pk, "asked_by": void.asked_by_name, "reason": void.reason}
    audit_log.record(operator, what, subject, before=before, reason=reason, at=now)


def sum_voided_alone(user_id: int, now: dt.datetime) -> int:
    """The sum of this operator's voids on this gaming day that no other operator has approved.

    See :meth:`GamingDays.begin_of_limits`.
    """
    acts = Act.objects.filter(
        by=user_id,
        what=Act.What.VOID,
        before__isnull=True,
        at__gte=gaming_days.load().begin_of_limits(now),
    )
    return sum((act.after or {}).get("moved", 0) for act in acts)


def _lock_round(round_id: int, operator: Operator, now: dt.datetime) -> tuple[LiveTable, Round]:
    """Lock the round and everything that a void changes, in the general lock order.

    The operator is locked as well: two voids at once count one after the other.
    """
    table_id = Round.objects.values_list("table_id", flat=True).get(pk=round_id)
    live = LiveTable.lock(table_id, now)
    round_ = Round.objects.get(pk=round_id)
    round_.table = live.row
    # Without their keys: settlements at other tables insert rows that refer to them.
    users = User.objects.select_for_update(no_key=True)
    user_ids = {*void_plan.list_player_ids(round_), operator.user_id}
    list(users.filter(pk__in=user_ids).order_by("pk"))
    void_plan.lock_accounts(round_)
    return live, round_


def _lock_void(void_id: int, operator: Operator, now: dt.datetime) -> tuple[LiveTable, Void]:
    """Lock a waiting void that this operator may decide."""
    live, void = _lock_request(void_id, operator, now)
    _verify_may_decide(void, operator)
    return live, void


def _lock_request(void_id: int, operator: Operator, now: dt.datetime) -> tuple[LiveTable, Void]:
    """Lock a void, which may be decided."""
    round_id = Void.objects.values_list("round_id", flat=True).get(pk=void_id)
    live, round_ = _lock_round(round_id, operator, now)
    void = Void.objects.select_related("asked_by", "decided_by").get(pk=void_id)
    void.round = round_
    return live, void


def _verify_may_decide(void: Void, operator: Operator) -> None:
    """Raise :class:`CannotVoid` if it is decided, or if this operator may not decide."""
    _verify_waits(void)
    if void.asked_by_id == operator.user_id:
        raise CannotVoid(_("You requested this void, so another operator must decide."))


def _verify_waits(void: Void) -> None:
    """Raise :class:`CannotVoid` if it is decided or taken back."""
    if void.status != Void.Status.WAITING:
        if void.decided_by is None:
            raise CannotVoid(_("The site has cancelled this round itself."))
        name = void.decided_by.username
        if void.status == Void.Status.DONE:
            raise CannotVoid(_("%(name)s has already approved this.") % {"name": name})
        if void.status == Void.Status.WITHDRAWN:
            raise CannotVoid(_("%(name)s has taken this request back.") % {"name": name})
        raise CannotVoid(_("%(name)s has already refused this.") % {"name": name})


def _verify_times_in_role(operator: Operator, void: Void, now: dt.datetime) -> None:
    """Raise :class:`OperationRefused` if this operator, or who requested the void, is too new."""
    second_operator.verify_time_in_role(User.objects.get(pk=operator.user_id), now)
    if void.asked_by is not None:
        second_operator.verify_time_of_requester(void.asked_by, now)


def _verify_requester(void: Void) -> None:
    """Raise :class:`CannotVoid` if who requested the void may no longer do so: then nobody knows how
    long they had the role.
    """
    requester = void.asked_by
    if requester is None or not (requester.is_active and requester.has_perm("tables.void_round")):
        raise CannotVoid(
            _(
                "%(name)s, who requested this, may no longer void rounds. Refuse this request, and "
                "request the void yourself."
            )
            % {"name": void.asked_by_name}
        )


def _verify_and_plan(
    round_: Round, operator: Operator, now: dt.datetime, *, waiting: Void | None = None
) -> VoidPlan:
    if round_.voided_at is not None:
        raise CannotVoid(_("This round is already void."))
    if round_.dealt_at is None:
        raise CannotVoid(_("No cards were dealt in this round, so there is nothing to void."))
    others = Void.objects.filter(round=round_, status=Void.Status.WAITING)
    if waiting is None and (other := others.select_related("asked_by").first()):
        name = other.asked_by_name
        raise CannotVoid(
            _("A void of this round is already pending, requested by %(name)s.") % {"name": name}
        )
    if round_.table.has_chips and round_.table.closed_at is not None:
        raise CannotVoid(_("This table is closed, and its chips are back in the bank."))
    if void_plan.has_played(round_, operator.user_id):
        raise CannotVoid(_("You played this round, so another operator must decide."))
    voided = 0 if waiting is not None else sum_voided_alone(operator.user_id, now)
    plan = void_plan.plan_void(round_, now, voided_today=voided)
    if not void_plan.is_complete(plan):
        raise CannotVoid(_("The accounting of this round does not add up. Run the audit first."))
    return plan


def _verify_fingerprint(plan: VoidPlan, fingerprint: str) -> None:
    """Raise :class:`CannotVoid` if the void would move other amounts than were shown."""
    if fingerprint and fingerprint != plan.fingerprint:
        raise CannotVoid(
            _("Since this page was shown, other amounts would move. Check them, and confirm again.")
        )


def _execute(live: LiveTable, void: Void, plan: VoidPlan, operator: Operator) -> Effects[Void]:
    round_, now = void.round, live.now
    hands = Result.objects.filter(round=round_).list_hands()
    live.balances = transfers.post(list(plan.movements()), at=now, by=operator.user_id)
    void.status = Void.Status.DONE
    void.decided_by_id, void.decided_at = operator.user_id, now
    void.save()
    _record_act(void, plan, operator)
    user_ids = frozenset(share.user.pk for share in plan.shares if not share.is_gone)
    frames = notices.create_decision(user_ids, Notice.Kind.VOIDED, now, round_=round_)
    if round_.finished_at is None:
        aborted_rounds.mark_aborted(live, round_, void.reason)
        aborted_rounds.clear_round(live)
        return Effects(void, (commit.commit_table(live),), user_ids, frames)
    round_.voided_at = now
    round_.save(update_fields=["voided_at"])
    changes = _publish_void(live, round_, hands)
    # After all accounts: the figures are locked last.
    reversal.remove_round(round_, hands)
    if not live.row.has_chips:
        revenue.move_to_void(round_, hands)
    return Effects(void, changes, user_ids, frames)


def _record_act(void: Void, plan: VoidPlan, operator: Operator) -> None:
    before = None
    if void.asked_by_id != operator.user_id:
        before = {"void": void.pk, "asked_by": void.asked_by_name}
    after = {
        "void": void.pk,
        "moved": plan.total,
        "covered_by_the_bank": plan.covered,
        "players": {share.user.username: -share.net for share in plan.shares},
    }
    subject = audit_log.build_subject(void.round)
    audit_log.record(
        operator, Act.What.VOID, subject,
        before=before, after=after, reason=void.reason, at=void.decided_at,
    )  # fmt: skip


def _publish_void(live: LiveTable, round_: Round, hands: list[Hand]) -> tuple[ChangeNotice, ...]:
    """Publish the void at the table, and subtract it from the scores of its seats."""
    if live.row.closed_at is not None:
        return ()
    for hand in hands:
        seat = live.seat_of(hand.user_id)
        assert round_.dealt_at is not None
        if seat is None or seat.sat_at > round_.dealt_at:
            continue
        scoring.score_seat(seat, hand, is_staked=round_.rules.stakes is not None, sign=-1)
        live.store_seat(seat)
    live.events.append(RoundVoided(round_.pk, round_.number))
    return (commit.commit_table(live),)
