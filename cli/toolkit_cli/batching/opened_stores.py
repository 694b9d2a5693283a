"""Opens the store that `--store` or the environment names, and hides the secrets in its URL."""

import os
from typing import Final

from toolkit.durable.store_urls import StoreUrl
from toolkit.durable.stores import Store
from toolkit_cli import console

STORE_VARIABLE: Final = "TOOLKIT_STORE"
"""The environment variable with the URL of the store."""


def named_store(typed: str | None) -> str | None:
    """Return the URL of the store from the option or the environment, or `None`.

    The configuration of a project cannot set it, since a batch would send its data to that server.
    """
    return typed or os.environ.get(STORE_VARIABLE) or None


def absolute_store(url: str | None) -> str | None:
    """Return the URL of a store that means the same store in every working directory.

    Raises:
        ConfigurationError: If the URL is invalid.
    """
    return None if url is None else StoreUrl.parse(url).text


def open_store(url: str, *, makes: bool = True) -> Store:
    """Open a store.

    Args:
        url: Its URL.
        makes: Whether to create the store if it does not exist.

    Raises:
        ConfigurationError: If the URL is invalid, the extra is missing, or there is no such store.
        StoreError: If it cannot be reached.
    """
    place = StoreUrl.parse(url)
    console.redactor().learn(*place.secrets)
    return Store(place, makes=makes)


def store_option(store: Store) -> str:
    """Return the `--store` option for a suggested command, or nothing if the environment names the store."""
    return option_of(store.url.shown)


def option_of(shown: str) -> str:
    """Return the `--store` option for a URL without secrets, or nothing if the environment names the store."""
    return "" if os.environ.get(STORE_VARIABLE) else f" --store {shown}"
