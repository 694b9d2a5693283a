"""Runs one call from the command line: approvals, progress, interrupts, journal and result."""
