"""A real browser for tests: Chromium without a screen, spoken to over two pipes in the DevTools protocol.

https://chromedevtools.github.io/devtools-protocol/
"""

import base64
import json
import os
import shutil
import subprocess
from collections import deque
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
)  # fmt: skip
_ASK_FD, _ANSWER_FD = 3, 4
_COLOURS = """(async () => {
  const picture = new Image();
  picture.src = 'data:image/png;base64,%s';
  await picture.decode();
  const canvas = Object.assign(document.createElement('canvas'), {width: picture.width, height: picture.height});
  const drawing = canvas.getContext('2d');
  drawing.drawImage(picture, 0, 0);
  const data = drawing.getImageData(0, 0, picture.width, picture.height).data;
  const colours = {};
  for (let at = 0; at < data.length; at += 4) {
    const colour = `${data[at]},${data[at + 1]},${data[at + 2]}`;
    colours[colour] = (colours[colour] || 0) + 1;
  }
  return {width: picture.width, height: picture.height, colours};
})()"""


class Browser:
    """A browser with one page."""

    def __init__(self, profile: Path) -> None:
        """Start it, with nothing kept from before in the folder of its profile."""
        assert CHROMIUM is not None, "Chromium is not installed"
        asked, self._ask = os.pipe()
        self._answers, answered = os.pipe()
        # Bash gives the pipes the numbers at which the browser expects them, whatever they are here.
        command = f'exec "$@" {_ASK_FD}<&{asked} {_ANSWER_FD}>&{answered}'
        arguments = ["bash", "-c", command, "bash", CHROMIUM, *_FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(
            arguments, pass_fds=(asked, answered), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(asked)
        os.close(answered)
        self._unread, self._known, self._number = b"", deque[dict[str, Any]](), 0
        self._session = None
        target = self._do("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._do("Page.enable")

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        os.close(self._ask)
        os.close(self._answers)

    def show(self, page: Path | str, width: int, height: int = 900, *, is_dark: bool = False) -> None:
        """Open a file or an address in a window of this many pixels, and wait until it has been loaded."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self._do("Emulation.setEmulatedMedia", features=[scheme])
        self._do(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self._open(page.as_uri() if isinstance(page, Path) else page)

    def write(self, text: str) -> None:
        """Write a text into what has the focus, as a person does."""
        self._do("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """Press a key, such as `Enter`, and release it."""
        text = {"Enter": "\r"}.get(key)
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            code = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40}[key]
            self._do("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)

    def value(self, script: str) -> Any:
        """Return what a script comes to in the page; a promise is waited for."""
        answer = self._do("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def picture(self) -> bytes:
        """Return what the window shows, as PNG."""
        return base64.b64decode(self._do("Page.captureScreenshot", format="png")["data"])

    def colours(self, picture: bytes) -> tuple[tuple[int, int], dict[str, int]]:
        """Return the width and height of a picture, and how many pixels have each colour, as `red,green,blue`."""
        self._open("about:blank")
        read = self.value(_COLOURS % base64.b64encode(picture).decode())
        return (read["width"], read["height"]), read["colours"]

    def _open(self, address: str) -> None:
        self._known.clear()
        self._do("Page.navigate", url=address)
        while all(one.get("method") != "Page.loadEventFired" for one in self._known):
            self._known.append(self._next())

    def _do(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        question = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            question["sessionId"] = self._session
        os.write(self._ask, json.dumps(question).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self._known.append(answer)
        assert "error" not in answer, answer["error"]
        result: dict[str, Any] = answer["result"]
        return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            read = os.read(self._answers, 1 << 20)
            assert read, "the browser has ended"
            self._unread += read
        line, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message
