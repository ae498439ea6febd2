"""The rules of blackjack as plain values and one mutable round. Standard library only.

It does not depend on Django, a clock, a database or a source of randomness: the shoe, the stakes
and the players' funds are arguments, and the results are events.
"""
