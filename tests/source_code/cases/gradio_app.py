"""Tools of a Gradio app that is launched as an MCP server."""

import gradio as gr
from gradio import Interface


def count_letters(word: str, letter: str) -> int:
    """Count how often a word has a letter."""
    return word.count(letter)


def answer(message: str, history: list[dict[str, str]]) -> str:
    """Answer a question about the shop."""
    return message


def find_order(number: int, request: gr.Request) -> str:
    """Find an order by its number."""
    return str(number)


def show_panel(name: str) -> str:
    return name


counter = Interface(fn=count_letters, inputs=["textbox", "textbox"], outputs="number", api_name="predict")
hidden = gr.Interface(show_panel, "textbox", "textbox", api_visibility="private")

with gr.Blocks() as panels:
    number = gr.Number()
    found = gr.Textbox()
    button = gr.Button("Find")
    button.click(find_order, inputs=number, outputs=found, api_description="Find an order of a customer.")
    button.click(fn=None, inputs=number, js="close()")
    found.change(show_panel, found, found, api_name=False)
    found.submit(show_panel, found, found, show_api=False)
    gr.ChatInterface(answer)
    gr.api(count_letters, api_name="count")

app = gr.TabbedInterface([counter, hidden, panels], ["count", "hidden", "find"])

if __name__ == "__main__":
    app.launch(mcp_server=True)
