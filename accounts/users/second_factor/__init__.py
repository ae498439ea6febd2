"""The second factor: authenticator app, recovery codes, passkeys. The parts are of allauth.mfa."""
