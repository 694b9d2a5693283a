"""What holds for every test."""

import signal

# A runner that was started in the background has these ignored, and hands that on to the programs that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
for name in ("SIGHUP", "SIGTERM"):
    if hasattr(signal, name):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
