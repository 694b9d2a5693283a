"""Lint: what is wrong with tools and pipelines, found before anything runs."""
