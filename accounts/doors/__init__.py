"""Who may come in: sign-up, invites, approvals, bans, and the first operator."""
