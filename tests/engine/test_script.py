"""What ``python -m tables.engine play --json`` tells, whole objects, for every rule set."""

from __future__ import annotations

from tests.engine.scripted import a_hand, a_seat, deal, play_script, settled


def test_a_finished_round_of_classic():
    assert play_script("classic", "9s 8s | Tc 7h | 2d", "1:hit 1:stand") == {
        "rules": "classic",
        "rounds": [
            {
                "finished": True,
                "seats": [a_seat(1, a_hand("9s 8s 2d", 19, outcome="win"))],
                "dealer": {"cards": "Tc 7h", "total": 17, "soft": False},
                "turn": None,
                "events": [
                    *deal("1.1 9s", "1.1 8s", "??", "7h", "1.1 2d"),
                    {"type": "hand_stood", "seat": 1, "hand": 1},
                    {"type": "hole_card_revealed", "card": "Tc"},
                    settled(1, 1, "win", 0, 0),
                ],
            }
        ],
        "piles": None,
    }


def test_a_round_of_heads_up_that_waits():
    assert play_script("heads-up", "As 6s | Tc 7h | 5d", "1:hit") == {
        "rules": "heads-up",
        "rounds": [
            {
                "finished": False,
                "seats": [a_seat(1, a_hand("As 6s 5d", 12))],
                "dealer": {"cards": "?? 7h", "total": 7, "soft": False},
                "turn": {"seat": 1, "hand": 1, "legal": ["hit", "stand"]},
                "events": deal("1.1 As", "1.1 6s", "??", "7h", "1.1 5d"),
            }
        ],
        "piles": None,
    }


def test_a_tie_of_pot():
    assert play_script("pot", "Ts 8s | Th 8c", "1:stand", stakes="7") == {
        "rules": "pot",
        "rounds": [
            {
                "finished": True,
                "seats": [a_seat(1, a_hand("Ts 8s", 18, outcome="lose", stake=700))],
                "dealer": {"cards": "Th 8c", "total": 18, "soft": False},
                "turn": None,
                "events": [
                    *deal("1.1 Ts", "1.1 8s", "Th", "??"),
                    {"type": "hand_stood", "seat": 1, "hand": 1},
                    {"type": "hole_card_revealed", "card": "8c"},
                    settled(1, 1, "lose", 700, 0),
                ],
            }
        ],
        "piles": None,
    }


def test_a_split_and_a_double_of_casino():
    shoe = "8s 7h | 8d Tc | 3c Ac | Kc"
    assert play_script("casino", shoe, "1:split 1.1:double 1.2:stand", stakes="15") == {
        "rules": "casino",
        "rounds": [
            {
                "finished": True,
                "seats": [
                    a_seat(
                        1,
                        a_hand("8s 3c Kc", 21, outcome="win", stake=3000, payout=6000),
                        a_hand(
                            "8d Ac", 19, hand=2, soft=True, outcome="win", stake=1500, payout=3000
                        ),
                    )
                ],
                "dealer": {"cards": "7h Tc", "total": 17, "soft": False},
                "turn": None,
                "events": [
                    *deal("1.1 8s", "7h", "1.1 8d", "??"),
                    {"type": "hand_split", "seat": 1, "hand": 1, "stake": 1500},
                    *deal("1.1 3c", "1.2 Ac"),
                    {"type": "hand_doubled", "seat": 1, "hand": 1, "stake": 1500},
                    *deal("1.1 Kc"),
                    {"type": "hand_stood", "seat": 1, "hand": 2},
                    {"type": "hole_card_revealed", "card": "Tc"},
                    settled(1, 1, "win", 3000, 6000),
                    settled(1, 2, "win", 1500, 3000),
                ],
            }
        ],
        "piles": None,
    }


def test_a_blackjack_of_casino_beside_a_hand_that_waits():
    """How a hand ended is told when its round has ended."""
    played = play_script("casino", "As 9s Kh | Kd 8s 7c", seats=2, stakes="15,10")
    assert played["rounds"] == [
        {
            "finished": False,
            "seats": [
                a_seat(1, a_hand("As Kd", 21, soft=True, stake=1500)),
                a_seat(2, a_hand("9s 8s", 17, stake=1000)),
            ],
            "dealer": {"cards": "Kh ??", "total": 10, "soft": False},
            "turn": {"seat": 2, "hand": 1, "legal": ["hit", "stand", "double"]},
            "events": [
                *deal("1.1 As", "2.1 9s", "Kh", "1.1 Kd", "2.1 8s", "??"),
                {"type": "hole_card_peeked"},
                settled(1, 1, "blackjack", 1500, 3750),
            ],
        }
    ]


def test_insurance_and_even_money_of_vegas():
    played = play_script(
        "vegas", "As 9s Ah | Kd 8s Qc", "1:insure 2:decline", seats=2, stakes="10,5"
    )
    assert played["rounds"] == [
        {
            "finished": True,
            "seats": [
                a_seat(
                    1,
                    a_hand("As Kd", 21, soft=True, outcome="push", stake=1000, payout=1000),
                    insurance=(500, 1500),
                ),
                a_seat(2, a_hand("9s 8s", 17, outcome="lose", stake=500)),
            ],
            "dealer": {"cards": "Ah Qc", "total": 21, "soft": True},
            "turn": None,
            "events": [
                *deal("1.1 As", "2.1 9s", "Ah", "1.1 Kd", "2.1 8s", "??"),
                {"type": "insurance_taken", "seat": 1, "stake": 500},
                {"type": "insurance_declined", "seat": 2},
                {"type": "hole_card_revealed", "card": "Qc"},
                {"type": "insurance_settled", "seat": 1, "stake": 500, "payout": 1500},
                settled(1, 1, "push", 1000, 1000),
                settled(2, 1, "lose", 500, 0),
            ],
        }
    ]


def test_the_question_of_insurance_and_a_surrender_of_vegas():
    question = play_script("vegas", "9s Ah | 7s 5c")["rounds"][0]
    assert (question["turn"], question["dealer"]) == (
        {"seat": 1, "hand": 1, "legal": ["insure", "decline"]},
        {"cards": "Ah ??", "total": 11, "soft": True},
    )
    surrender = play_script("vegas", "9s Ah | 7s 5c", "1:insure 1:surrender")["rounds"][0]
    assert surrender["seats"] == [
        a_seat(
            1,
            a_hand("9s 7s", 16, outcome="surrender", stake=500, payout=250),
            insurance=(250, 0),
        )
    ]


def test_a_game_of_piles_to_its_end():
    shoe = "Ts 9s | Th 8c | 5s 6s | 9h 8h | Ks | 2c 3c"
    played = play_script("piles", shoe, "1:stand 1:hit", rounds=9)
    assert played == {
        "rules": "piles",
        "rounds": [
            {
                "finished": True,
                "seats": [a_seat(1, a_hand("Ts 9s", 19, outcome="win"))],
                "dealer": {"cards": "Th 8c", "total": 18, "soft": False},
                "turn": None,
                "events": [
                    *deal("1.1 Ts", "1.1 9s", "Th", "??"),
                    {"type": "hole_card_peeked"},
                    {"type": "hand_stood", "seat": 1, "hand": 1},
                    {"type": "hole_card_revealed", "card": "8c"},
                    settled(1, 1, "win", 0, 0),
                ],
            },
            {
                "finished": True,
                "seats": [a_seat(1, a_hand("5s 6s Ks", 21, outcome="win"))],
                "dealer": {"cards": "9h 8h", "total": 17, "soft": False},
                "turn": None,
                "events": [
                    *deal("1.1 5s", "1.1 6s", "9h", "??", "1.1 Ks"),
                    settled(1, 1, "win", 0, 0),
                    {"type": "hole_card_revealed", "card": "8h"},
                ],
            },
        ],
        "piles": {
            "player": 9,
            "house": 0,
            "discard": 0,
            "deck": 2,
            "game_over": True,
            "winner": "player",
        },
    }
