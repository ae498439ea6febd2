"""Form fields of the settings of alerts: addresses, kinds, and the URL of a webhook."""

from __future__ import annotations

import ipaddress
from typing import Any, Final
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext_lazy as _

from accounts.models.alerts import AlertKind, parse_kinds

MOST_ADDRESSES: Final = 20
MOST_URL: Final = 500


class AddressesField(forms.CharField):
    """E-mail addresses, one a line; the value is text in the same form, without repetitions."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "autocapitalize": "none"})

    def clean(self, value: Any) -> str:
        typed = str(super().clean(value) or "").replace(",", " ").replace(";", " ").split()
        addresses = list(dict.fromkeys(typed))
        for address in addresses:
            try:
                validate_email(address)
            except ValidationError as error:
                message = _("“%(address)s” is not an e-mail address.")
                raise ValidationError(message, params={"address": address[:100]}) from error
        if len(addresses) > MOST_ADDRESSES:
            raise ValidationError(
                _("At most %(most)s addresses are possible."), params={"most": MOST_ADDRESSES}
            )
        return "\n".join(addresses)


class KindsField(forms.MultipleChoiceField):
    """Kinds of alerts as ticks; the value is stored with commas."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, **options: Any) -> None:
        super().__init__(choices=AlertKind.choices, required=False, **options)

    def prepare_value(self, value: Any) -> Any:
        return [kind.value for kind in parse_kinds(value)] if isinstance(value, str) else value

    def clean(self, value: Any) -> Any:
        return ",".join(super().clean(value))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)


class WebhookField(forms.CharField):
    """The URL of a webhook: https; with ``WEBHOOK_PRIVATE`` also http to this machine."""

    widget = forms.URLInput(attrs={"class": "vURLField", "spellcheck": "false"})

    def clean(self, value: Any) -> str:
        url = str(super().clean(value) or "").strip()
        if url:
            _verify_url(url)
        return url


def _verify_url(url: str) -> None:
    """Raise ``ValidationError`` if nothing can be sent there. Its name is looked up when it is used."""
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ValidationError(_("This is not a URL: write https://name/path.")) from error
    if parts.scheme not in ("https", "http") or not host or not url.isprintable() or " " in url:
        raise ValidationError(_("This is not a URL: write https://name/path."))
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise ValidationError(
            _("The URL has a password or a part after #, which are not sent. Leave them out.")
        )
    if parts.scheme == "http" and not _is_this_machine(host):
        raise ValidationError(
            _(
                "http:// is possible to this machine alone, such as http://localhost:9000/. Use https://."
            )
        )
    if _is_this_machine(host) and not settings.WEBHOOK_PRIVATE:
        raise ValidationError(_("A URL of this machine needs WEBHOOK_PRIVATE=on."))


def shorten_url(url: str) -> str:
    """The scheme and the host of a URL, for the audit log: the rest is as good as a password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}…" if url else ""


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
