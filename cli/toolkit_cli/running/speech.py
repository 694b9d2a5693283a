"""Shows a model's text on the terminal while it arrives."""

from toolkit.events import Event, ModelChose, ModelFinished, ModelSaid, ModelStarted
from toolkit.visibility import disarm
from toolkit_cli.rendering.thinking import Thinking
from toolkit_cli.screen import Screen


class Speech:
    """Shows the text of the outermost agent's model; of agents among its tools, only results are shown.

    Attributes:
        last: The last reply that was shown completely.
    """

    def __init__(self, screen: Screen) -> None:
        self.last = ""
        self._screen = screen
        self._agent: str | None = None
        self._call: int | None = None
        self._thinks = False

    def begin(self) -> None:
        """Start over for the next task; the first agent that sends a model request is the outermost."""
        self.last, self._agent, self._call = "", None, None

    def handle(self, event: Event) -> None:
        match event:
            case ModelStarted() if self._agent in (None, event.run):
                self._agent, self._call = event.run, event.call
                self._screen.show(Thinking(event.model))
                self._thinks = True
            case ModelSaid() if event.call == self._call:
                self._end_thinking()
                self._screen.add(disarm(event.text))
            case ModelChose() if event.call == self._call:
                self._end_thinking()
            case ModelFinished() if event.call == self._call:
                self._end_thinking()
                self._screen.end_line()
                self.last = event.text if event.outcome == "success" else ""

    def _end_thinking(self) -> None:
        if self._thinks:
            self._thinks = False
            self._screen.show(None)
