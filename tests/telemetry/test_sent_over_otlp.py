"""What the program sends over OTLP: a real receiver decodes it."""

import json

import pytest

from tests.telemetry.conftest import program

pytest.importorskip("opentelemetry.sdk")


def test_call_of_a_tool_is_a_span_below_its_run(observed, receiver):
    ended = observed("run", "tools.py:greet", "name=Ada")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "hello Ada\n", "")
    assert receiver.tree() == [("run tools.py:greet", [("execute_tool greet", [])])]
    assert receiver.named("execute_tool greet")["attributes"] == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "greet",
        "gen_ai.tool.type": "function",
    }
    assert receiver.metrics["gen_ai.execute_tool.duration"] == [
        ({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "greet"}, 1)
    ]
    assert receiver.metrics["toolkit.run.duration"] == [({"toolkit.run.target": "tools.py:greet"}, 1)]
    assert receiver.resources[0]["service.name"] == "toolkit"


def test_steps_of_a_pipeline_are_spans_of_its_workflow(observed, receiver):
    assert observed("run", "measure.yaml", "Ada", OTEL_SERVICE_NAME="counting").stdout == "9\n"
    assert receiver.tree() == [
        (
            "run measure.yaml",
            [
                (
                    "execute_tool measure",
                    [
                        (
                            "invoke_workflow measure",
                            [
                                ("step greet", [("execute_tool greet", [])]),
                                ("step count", [("execute_tool count", [])]),
                            ],
                        )
                    ],
                )
            ],
        )
    ]
    assert set(receiver.metrics) == {
        "gen_ai.execute_tool.duration",
        "gen_ai.workflow.duration",
        "toolkit.step.duration",
        "toolkit.run.duration",
    }
    assert receiver.resources[0]["service.name"] == "counting"


@pytest.mark.proof
def test_agent_and_its_requests_are_named_by_the_conventions(observed, receiver):
    ended = observed("agent", "greet Ada", "--tools", "tools.py", "--model", "scripted:turns.yaml", "--quiet")
    assert ended.stdout == "All are greeted.\n"
    assert receiver.tree() == [
        (
            "run agent",
            [
                (
                    "execute_tool agent",
                    [
                        (
                            "invoke_agent agent",
                            [("chat turns.yaml", []), ("execute_tool greet", []), ("chat turns.yaml", [])],
                        )
                    ],
                )
            ],
        )
    ]
    chats = [span for span in receiver.spans if span["name"] == "chat turns.yaml"]
    assert [(span["kind"], span["attributes"]) for span in chats] == [
        (
            "client",
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "scripted",
                "gen_ai.request.model": "turns.yaml",
                "gen_ai.agent.name": "agent",
            },
        )
    ] * 2
    assert {"gen_ai.client.operation.duration", "gen_ai.invoke_agent.duration"} <= set(receiver.metrics)


def test_items_of_a_batch_are_spans_of_one_trace_and_failed_ones_say_how(observed, receiver):
    assert observed("run", "tools.py:greet", "--each", "items.jsonl", "--quiet").returncode == 1
    item = ("item greet", [("execute_tool greet", [])])
    assert receiver.tree() == [("run tools.py:greet", [item, item])]
    run = receiver.named("run tools.py:greet")["attributes"]["toolkit.run.id"]
    first, second = sorted(
        (span for span in receiver.spans if span["name"] == "item greet"),
        key=lambda span: span["attributes"]["toolkit.item.number"],
    )
    known = {"toolkit.run.target": "greet", "toolkit.run.id": run}
    assert (first["attributes"], first["failed"]) == (known | {"toolkit.item.number": 1}, False)
    assert (second["attributes"], second["failed"]) == (
        known | {"toolkit.item.number": 2, "error.type": "error"},
        True,
    )
    assert {span["message"] for span in receiver.spans} == {""}


@pytest.mark.proof
def test_content_is_sent_only_on_request_and_without_secrets(observed, receiver):
    observed("run", "tools.py:sign_in", "password=hunter2-is-secret")
    assert "gen_ai.tool.call.arguments" not in receiver.named("execute_tool sign_in")["attributes"]
    observed(
        "run",
        "tools.py:sign_in",
        "password=hunter2-is-secret",
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="true",
    )
    told = receiver.spans[-2]["attributes"]
    assert set(told) >= {"gen_ai.tool.call.arguments", "gen_ai.tool.call.result"}
    assert list(json.loads(told["gen_ai.tool.call.arguments"])) == ["password"]
    assert "hunter2" not in str(receiver.spans)


@pytest.mark.proof
def test_words_of_a_failure_are_content(observed, receiver):
    observed("run", "tools.py:greet", "name=nobody")
    assert (receiver.named("execute_tool greet")["failed"], receiver.named("execute_tool greet")["message"]) == (
        True,
        "",
    )
    receiver.spans.clear()
    observed("run", "tools.py:greet", "name=nobody", OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="span_only")
    assert receiver.named("execute_tool greet")["message"] == "nobody is no name"


def test_run_belongs_to_the_trace_of_the_process_that_started_it(observed, receiver):
    trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    observed("run", "tools.py:greet", "name=Ada", TRACEPARENT=f"00-{trace}-{span}-01")
    assert receiver.traces() == {trace}
    assert receiver.named("run tools.py:greet")["parent"] == span


def test_child_process_is_given_the_trace(observed, project, receiver):
    (project / "toolkit.toml").write_text(
        '[builtin.process]\ncommand = ["/bin/sh", "-c", "echo $TRACEPARENT"]\n', "utf-8"
    )
    ended = observed("run", "process", "--input", "", "--yes", "--consent", "builtin.process")
    called = receiver.named("execute_tool process")
    assert ended.stdout.split("-")[:3] == ["00", called["trace"], called["id"]]


@pytest.mark.proof
def test_unreachable_collector_ends_nothing_and_is_reported_once(project):
    ended = program(project, "run", "tools.py:greet", "name=Ada", OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")
    assert (ended.returncode, ended.stdout) == (0, "hello Ada\n")
    assert ended.stderr.startswith("warning: not all telemetry was sent: ")
    assert ended.stderr.count("\n") == 1


def test_flag_turns_it_off_and_so_does_the_standard_variable(observed, receiver):
    observed("run", "tools.py:greet", "name=Ada", "--no-otel")
    observed("run", "tools.py:greet", "name=Ada", OTEL_SDK_DISABLED="true")
    observed("run", "tools.py:greet", "name=Ada", "--otel", OTEL_SDK_DISABLED="true")
    assert receiver.spans == []


def test_spans_can_go_to_the_console_instead_which_is_stderr(project):
    ended = program(
        project,
        "run", "tools.py:greet", "name=Ada",
        OTEL_TRACES_EXPORTER="console", OTEL_METRICS_EXPORTER="none",
    )  # fmt: skip
    assert ended.stdout == "hello Ada\n"
    assert '"name": "execute_tool greet"' in ended.stderr


@pytest.mark.proof
def test_exporter_that_is_not_installed_is_named(project):
    ended = program(project, "run", "tools.py:greet", "name=Ada", "--otel", OTEL_TRACES_EXPORTER="jager")
    assert ended.returncode == 2
    assert ended.stderr.startswith(
        "error: --otel: the OTEL_… variables name the exporter 'jager', which is not installed; installed exporters: "
    )
    ended = program(project, "run", "tools.py:greet", "name=Ada", OTEL_TRACES_EXPORTER="jager")
    assert (ended.returncode, ended.stdout) == (0, "hello Ada\n")
    assert ended.stderr.startswith("warning: telemetry is not sent: ")


CARELESS = '''
import os

from opentelemetry import trace

from toolkit import tool


@tool(read_only=True)
def careless(password: str) -> str:
    """Make a span of its own, as instrumented libraries do."""
    with trace.get_tracer("library").start_as_current_span(f"GET {password}") as span:
        span.set_attribute("url.full", f"https://shop.example/?key={password}")
        span.set_attribute("all", [password, os.environ["SHOP_TOKEN"]])
        span.add_event("sent", {"body": password})
        span.record_exception(ValueError(password))
        span.set_status(trace.StatusCode.ERROR, f"no {password}")
    return "done"
'''


def test_spans_of_libraries_have_no_secrets_either(project, receiver):
    (project / "careless.py").write_text(CARELESS, "utf-8")
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url, "SHOP_TOKEN": "battery-staple-7"}
    ended = program(project, "run", "careless.py:careless", "password=correct-horse-9", **variables)
    assert (ended.returncode, ended.stdout) == (0, "done\n")
    span = receiver.named("GET **********")
    assert span["attributes"]["url.full"] == "https://shop.example/?key=**********"
    assert not [one for one in receiver.spans if "correct-horse-9" in str(one) or "battery-staple-7" in str(one)]
