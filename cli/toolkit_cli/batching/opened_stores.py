"""Opened stores: the store that the command line or the environment names, with nothing secret of its URL shown."""

import os
from typing import Final

from toolkit.durable.store_urls import StoreUrl
from toolkit.durable.stores import Store
from toolkit_cli import console

STORE_VARIABLE: Final = "TOOLKIT_STORE"
"""The environment variable that names the store."""


def named_store(typed: str | None) -> str | None:
    """Return the URL of the store that an option or the environment names, if one does.

    A project's file cannot name one: a batch's data would be sent to whatever server it names.
    """
    return typed or os.environ.get(STORE_VARIABLE) or None


def open_store(url: str, *, makes: bool = True) -> Store:
    """Return a store, open.

    Args:
        url: Where it is.
        makes: Whether it is made if it is not there.

    Raises:
        ConfigurationError: If the URL is invalid, the extra is missing, or there is no such store.
        StoreError: If it cannot be reached.
    """
    place = StoreUrl.parse(url)
    console.redactor().learn(*place.secrets)
    return Store(place, makes=makes)


def store_option(store: Store) -> str:
    """Return the option that names a store in a command to continue, if the environment does not set it."""
    return option_of(store.url.shown)


def option_of(shown: str) -> str:
    """Return the option that names a store, by its URL as it may be shown."""
    return "" if os.environ.get(STORE_VARIABLE) else f" --store {shown}"
