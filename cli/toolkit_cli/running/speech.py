"""Speech: a model's words, written to the terminal as they come."""

from toolkit.events import Event, ModelChose, ModelFinished, ModelSaid, ModelStarted
from toolkit.visibility import disarmed
from toolkit_cli.rendering.thinking import Thinking
from toolkit_cli.screen import Screen


class Speech:
    """Writes the words of the outermost agent's model; agents among its tools are heard by their results alone.

    Attributes:
        last: The last reply that was shown whole.
    """

    def __init__(self, screen: Screen) -> None:
        """Hear nothing yet."""
        self.last = ""
        self._screen = screen
        self._agent: str | None = None
        self._call: int | None = None
        self._thinks = False

    def begin(self) -> None:
        """Listen to another agent: the first one to ask its model is the outermost."""
        self.last, self._agent, self._call = "", None, None

    def hear(self, event: Event) -> None:
        match event:
            case ModelStarted() if self._agent in (None, event.run):
                self._agent, self._call = event.run, event.call
                self._screen.show(Thinking(event.model))
                self._thinks = True
            case ModelSaid() if event.call == self._call:
                self._end_thinking()
                self._screen.add(disarmed(event.text))
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
