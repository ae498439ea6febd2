"""Models of tables, seats, visitors, rounds and results."""

from __future__ import annotations

from tables.models.alerts import Alert, AlertDelivery, AlertSchedule, Backup
from tables.models.calls import PushSubscription
from tables.models.company import (
    Admission,
    ChatChange,
    ChatLine,
    OldCode,
    Removal,
    Silence,
    Visit,
)
from tables.models.friends import Block, Friendship, Notice, OpenPage
from tables.models.grades import LISTED_FROM_DECISIONS, Grade, SkillStanding, UngradedRound
from tables.models.hands import Hand
from tables.models.matches import Match, MatchPlayer
from tables.models.odds import GameOdds
from tables.models.operators import (
    AuditRun,
    DatabaseIdentity,
    Report,
    ServerProcess,
    Takings,
    Void,
)
from tables.models.play import Change, PileGame, Round, Shoe
from tables.models.play_accounts import load_play_accounts
from tables.models.practice import PracticeProgress
from tables.models.results import (
    LISTED_FROM,
    LOST,
    VOID,
    WON,
    Result,
    Standing,
    Tally,
    UncountedRound,
)
from tables.models.table import QueueEntry, Seat, Stack, Table

__all__ = [
    "LISTED_FROM",
    "LISTED_FROM_DECISIONS",
    "LOST",
    "VOID",
    "WON",
    "Admission",
    "Alert",
    "AlertDelivery",
    "AlertSchedule",
    "AuditRun",
    "Backup",
    "Block",
    "Change",
    "ChatChange",
    "ChatLine",
    "DatabaseIdentity",
    "Friendship",
    "GameOdds",
    "Grade",
    "Hand",
    "Match",
    "MatchPlayer",
    "Notice",
    "OldCode",
    "OpenPage",
    "PileGame",
    "PracticeProgress",
    "PushSubscription",
    "QueueEntry",
    "Removal",
    "Report",
    "Result",
    "Round",
    "Seat",
    "ServerProcess",
    "Shoe",
    "Silence",
    "SkillStanding",
    "Stack",
    "Standing",
    "Table",
    "Takings",
    "Tally",
    "UncountedRound",
    "UngradedRound",
    "Visit",
    "Void",
    "load_play_accounts",
]
