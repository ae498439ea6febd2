"""What every request and every socket goes through before an app has it."""
