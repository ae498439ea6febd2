"""The rules of blackjack as plain values and one mutable round. Standard library only.

Nothing here knows Django, a clock, a database or a source of randomness: the shoe, the stakes
and what a player can afford are arguments, and what happened comes back as events.
"""
