"""Audit of voids: each is complete and has been approved."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.models import Transfer
from tables.models import VOID, Result, Round, Void


def find_void_faults() -> Iterator[str]:
    """Yield a sentence for each error of void rounds, except in the reversals of transfers."""
    voided = set(
        Round.objects.filter(voided_at__isnull=False).order_by("pk").values_list("pk", flat=True)
    )
    yield from _find_decision_faults(voided)
    yield from _find_result_faults()
    yield from _find_money_faults(voided)


def _find_decision_faults(voided: set[int]) -> Iterator[str]:
    voids = Void.objects.filter(status=Void.Status.DONE).order_by("pk")
    decided = set(voids.values_list("round", flat=True))
    for pk in sorted(voided - decided):
        yield _("round %(round)s is void, but nobody decided that") % {"round": pk}
    for pk in sorted(decided - voided):
        yield _("round %(round)s was to be voided, but it is not void") % {"round": pk}
    # The server's own voids, of aborted rounds, have no requester.
    unsigned = voids.filter(Q(decided_by=None, asked_by__isnull=False) | Q(decided_at=None))
    for pk in unsigned.values_list("round", flat=True):
        sentence = _("round %(round)s is void, but it is not written down who decided that")
        yield sentence % {"round": pk}


def _find_result_faults() -> Iterator[str]:
    """Check that void rounds have only void results, and other rounds none."""
    is_void = Q(outcome=VOID, stake=0, payout=0)
    counted = Result.objects.filter(round__voided_at__isnull=False).exclude(is_void)
    for round_id, user_id in counted.order_by("pk").values_list("round", "user").iterator():
        sentence = _("round %(round)s is void, but the result of user %(user)s still counts")
        yield sentence % {"round": round_id, "user": user_id}
    lost = Result.objects.filter(outcome=VOID, round__voided_at=None).order_by("pk")
    for round_id, user_id in lost.values_list("round", "user").iterator():
        sentence = _("round %(round)s is not void, but the result of user %(user)s is")
        yield sentence % {"round": round_id, "user": user_id}


def _find_money_faults(voided: set[int]) -> Iterator[str]:
    """Check that amounts covered by the bank belong to void rounds."""
    transfers = Transfer.objects.exclude(reference__startswith="round:").order_by("pk")
    transfers = transfers.filter(
        Q(reference__startswith="void:") | Q(kind=Transfer.Kind.ADJUSTMENT)
    ).exclude(reference__startswith="adjust:")
    for pk, reference in transfers.values_list("pk", "reference").iterator():
        number = reference.removeprefix("void:").split("/", 1)[0]
        if not number.isdecimal() or int(number) not in voided:
            sentence = _("transfer %(id)s (%(reference)s) belongs to no void round")
            yield sentence % {"id": pk, "reference": reference}
