"""Functions that a program gives Google's SDKs for Gemini are tools; what else it gives them is none."""

import json

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

ACROSS = '''
def look_up(city: str) -> str:
    """Look up the number of people in a city."""
    return city
'''
AGENT = '''
from google import genai
from google.genai import types

from across import look_up


def talk(session):
    def remember(word: str) -> str:
        """Remember a word for later."""
        return word

    tools_list = [look_up, remember]
    client = genai.Client()
    client.chats.create(model="gemini", config=types.GenerateContentConfig(temperature=0.1, tools=tools_list))
    client.chats.create(
        model="gemini",
        config=types.GenerateContentConfig(tools=[types.Tool(google_search=types.GoogleSearch()), session]),
    )
'''
OLDER = '''
import google.generativeai as genai


class Agent:
    def __init__(self):
        self.model = genai.GenerativeModel("gemini", tools=[self.save])

    def save(self, text: str) -> str:
        """Save a text under a new number."""
        return text
'''


@pytest.fixture
def found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def of(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text, "utf-8")
        rows = json.loads(CliRunner().invoke(application(), ["list", "--static", "--format", "json", "."]).stdout)
        return [f"{one['name']} {one['framework']} {one['path']}:{one['line']}" for one in rows]

    return of


def test_functions_in_a_list_are_tools_where_they_are_defined(found):
    assert found(across=ACROSS, agent=AGENT) == [
        "remember google_genai agent.py:9",
        "look_up google_genai agent.py:13",
    ]


def test_method_given_to_a_model_is_a_tool(found):
    assert found(older=OLDER) == ["save google_genai older.py:9"]


def test_function_that_a_declaration_is_made_of_is_a_tool(found):
    made = "\n\nFIND = types.FunctionDeclaration.from_callable(client=genai.Client(), callable=look_up)\n"
    assert found(across=ACROSS, agent=AGENT.partition("def talk")[0] + made) == ["look_up google_genai agent.py:10"]


def test_nothing_but_functions_is_a_tool_and_nothing_is_said_to_be_missing(found):
    assert found(across=ACROSS, search=AGENT.replace("tools=tools_list", "top_k=1")) == []
    done = CliRunner().invoke(application(), ["lint", "--static", "."])
    assert done.stdout == (
        "All checks passed! (no tools; 1 file imports Google Gen AI SDK: 'search.py'; read, not run; 27 rules need an import)\n"
    )
