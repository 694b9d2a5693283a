"""TK319: more tools at once than a provider accepts, or a model can distinguish."""

from toolkit.codes import TOO_MANY_TOOLS
from toolkit.lint.clues.provider_objections import ToolsetRule


class TooManyTools(ToolsetRule):
    """One source offers more tools than a model can distinguish: over 20 is a warning, over 128 an error.

    ## Why

    The definitions of all tools are sent with every request, and a model chooses among all of them each time. With many
    tools it more often chooses the wrong one, and you pay for all of them. OpenAI rejects a request with more than 128.
    The rule counts the tools of one file, one list or one server. Tools that are revealed by category or found by a
    search are not counted.

    ## Example

    ```json
    [
      {"name": "list_rooms", "description": "List rooms for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "list_guests", "description": "List guests for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "list_bookings", "description": "List bookings for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "find_room", "description": "Find room for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "find_guest", "description": "Find guest for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "find_booking", "description": "Find booking for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "book_room", "description": "Book room for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "move_booking", "description": "Move booking for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "confirm_booking", "description": "Confirm booking for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "price_of_room", "description": "Price of room for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "price_of_stay", "description": "Price of stay for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "add_breakfast", "description": "Add breakfast for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "add_parking", "description": "Add parking for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "note_arrival", "description": "Note arrival for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "note_departure", "description": "Note departure for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "write_bill", "description": "Write bill for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "print_bill", "description": "Print bill for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "open_door", "description": "Open door for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "close_door", "description": "Close door for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "wake_guest", "description": "Wake guest for the hotel.", "parameters": {"type": "object", "properties": {}}},
      {"name": "order_taxi", "description": "Order taxi for the hotel.", "parameters": {"type": "object", "properties": {}}}
    ]
    ```

    ## Instead

    ```json
    [
      {"name": "find_booking", "description": "Find the booking of a guest.", "parameters": {"type": "object", "properties": {}}},
      {"name": "write_bill", "description": "Write the bill of a guest.", "parameters": {"type": "object", "properties": {}}}
    ]
    ```

    ## Source

    - OpenAI, [tool search](https://developers.openai.com/api/docs/guides/tools-tool-search): fewer than 20 functions at
      once are recommended (checked 2026-11-22)
    - zed, [issue 42393](https://github.com/zed-industries/zed/issues/42393): more than 128 are refused (checked
      2026-11-22)
    """

    code = TOO_MANY_TOOLS
    advice = "offer them by category or behind a facade, so that a model sees a few at a time"
