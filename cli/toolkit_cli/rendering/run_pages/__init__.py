"""Run pages: one run as a page of HTML that needs nothing else: no server, no network and no other file."""
