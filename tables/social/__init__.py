"""Chat, announcements, invites, reports and reminders."""
