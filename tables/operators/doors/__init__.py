"""Invites to sign up, accounts that wait for approval, and bans of networks."""
