"""The keys of every format are read alike: all mistakes at once, each with its line and column, and the nearest key or word."""

import json
import re

import pytest

CONFIGURATION = """\
sourcs = ["a.py"]
secrets = 3
[defaults]
timout = "3s"
timeout = 5
[mcp.t]
command = "x"
arg = ["a"]
protocol = "handshak"
[builtin.web_search]
providr = "brave"
provider = "brav"
[builtin.process]
timeout = 5
[webhook]
url = 3
[policy]
defaut = "ask"
default = "aks"
[[policy.deny]]
tol = "a"
tool = "x"
risk = ["read_only", "destructve"]
because = 3
"""
POLICY = """\
toolkit: 2
dny: []
default: aks
flows: [{tool: a}]
deny:
  - {tool: a, rsk: x, risk: [read_onl], because: 3, ci: null}
  - {tool: a, tool: b}
"""
PIPELINE = """\
toolkit: 2
nme: a
description: 3
error_strategy: fail_fst
steps:
  - {use: calculator, timout: 3s, timeout: 5, retry: {attempts: null, errors: [time_out]}}
  - {set: 1, id: a, id: b}
on_failure: 3
"""
AGENT = """\
toolkit: 2
agent: smple
nme: a
model: 3
limits: {reslt: 3, result: x}
references: [{nots: x}]
last_answer: null
max_turns: 5
max_turns: 3
"""
INPUTS = """\
inputs:
  a: {type: [string, nul], tpye: x, format: emial, minimum: low, enum: [], items: {type: 3}}
  b: {properties: {c: {required: x}}, pattern: "["}
  d-e: 3
tools: {a: b}
defaults: {max_paralel: 3, retry: {on: [timeout], factor: x}}
steps:
  - {parallel: [a], adpt: 1}
  - {approve: {mesage: x, edit: maybe}, with: {a: 1}}
  - {use: calculator, approve: false, on_error: {valu: 1}, for_each: abc, on_item_error: skp, pipe: [x]}
  - calculator: 3
"""
FLOWS = """\
agent: state_machine
states: {a: 3, b: {calculator: [x]}, c: [1]}
locks: {calculator: x}
base_url: http://x
instructions: {fil: a}
budget: true
chaining: {a: b}
capture_nested_artifacts: yes
inputs: 3
"""
SCRIPT = """\
turn: 3
turns:
  - say: [x]
    calls: [{tol: x, arguments: {}}, 3]
    usage: {input_tokens: many, cost: [1], tokens: 3}
  - [x]
  - {calls: {}}
"""
CASES = """\
toolkit: 2
cases:
  - {name: a, run: calculator, wth: {}, stub: [x], answers: [{mail: aprove}, {ask: answer}, mail]}
  - name: b
    run: calculator
    snapshot: false
    files: {../x: a}
    expect:
      outptu: 1
      that: len(result)
      matches: (
      schema: {type: nonsense}
      events: [step_finishd]
      exit: 300
      within: {time: 3, tokns: 1}
      not: 3
  - {name: c}
"""
EXPECTED = {
    "toolkit.toml": [
        "1:1 unknown key 'sourcs' (did you mean 'sources'?)",
        "2:1 'secrets' must be a list of strings (write secrets = ['tools.py'])",
        "4:1 unknown key 'defaults.timout' (did you mean 'timeout' or 'model_timeout'?)",
        "5:1 'defaults.timeout' must be a duration (write '5s' for seconds)",
        "8:1 unknown key 'mcp.t.arg' (did you mean 'args'?)",
        "9:1 'mcp.t.protocol' must be 'auto', 'handshake' or 'stateless' (did you mean 'handshake'?)",
        "11:1 unknown option 'builtin.web_search.providr' (did you mean 'provider'?)",
        "12:1 'builtin.web_search.provider' must be 'tavily', 'serpapi', 'brave' or 'searxng' (did you mean 'brave'?)",
        "13:2 the option 'builtin.process.command' is missing (write command = ['…']: the program and its arguments as a list)",
        "14:1 'builtin.process.timeout' must be a duration (write '5s' for seconds)",
        "15:2 a project's file cannot decide who answers questions (move it to your own config.toml)",
        "18:1 unknown key 'policy.defaut' (did you mean 'default'?)",
        "19:1 'policy.default' must be 'by_risk', 'ask', 'deny' or 'allow' (did you mean 'ask'?)",
        "21:1 unknown key 'policy.deny.0.tol' (did you mean 'tool'?)",
        "23:22 an item of 'policy.deny.0.risk' must be 'destructive', … (did you mean 'destructive'?)",
        "24:1 'policy.deny.0.because' must be a string (put quotes around it)",
    ],
    "toolkit.policy.yaml": [
        "1:1 unknown format version; 'toolkit' must be 1",
        "2:1 unknown key 'dny' (did you mean 'deny'?)",
        "3:1 'default' must be 'by_risk', 'ask', 'deny' or 'allow' (did you mean 'ask'?)",
        "4:9 the key 'flows.0.flow' is missing (write flow: reads_untrusted: what the tools do with data; an empty list for nothing)",
        "6:15 unknown key 'deny.0.rsk' (did you mean 'risk'?)",
        "6:30 an item of 'deny.0.risk' must be 'destructive', … (did you mean 'read_only'?)",
        "6:41 'deny.0.because' must be a string (put quotes around it)",
        "6:53 'deny.0.ci' must be true or false (write ci: true)",
        "7:15 duplicate key 'tool' (remove one of the two)",
    ],
    "pipeline.yaml": [
        "1:10 unknown format version; 'toolkit' must be 1",
        "2:1 unknown key 'nme' in a pipeline (did you mean 'name'?)",
        "3:14 'description' must be text, not 3 (put quotes around it)",
        "4:17 'error_strategy' must be 'fail_fast' or 'continue_on_failure', not the text 'fail_fst' (did you mean 'fail_fast'?)",
        "6:23 unknown key 'timout' in a step (did you mean 'timeout'?)",
        "6:44 'timeout' must be a duration (write 5s for seconds)",
        "6:65 'attempts' must be a whole number from 1 to 100, not nothing",
        "6:80 an item of 'errors' must be 'timeout', 'rate_limit', 'network' or 'error', not the text 'time_out' (did you mean 'timeout'?)",
        "7:21 duplicate key 'id' (remove one of the two)",
        "8:13 'on_failure' must be a list, not 3",
    ],
    "inputs.yaml": [
        "2:22 an item of 'type' must be 'string', 'integer', 'number', 'boolean', 'array', 'object' or 'null', not the text 'nul' (did you mean 'null'?)",
        "2:28 unknown key 'tpye' in the input 'a' (did you mean 'type'?)",
        "2:45 'format' must be 'date', 'date-time', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'regex', 'uri' or 'uuid', not the text 'emial' (did you mean 'email'?)",
        "2:61 'minimum' must be a number, not the text 'low'",
        "2:72 'enum' must be a list with at least one value, not an empty list",
        "2:90 'type' must be 'string', 'integer', 'number', 'boolean', 'array', 'object' or 'null', or a list of them, not 3",
        "3:34 'required' must be a list of different names, not the text 'x'",
        "3:48 'pattern' is not a valid regular expression: unterminated character set at position 0 (write a backslash before a literal character)",
        "4:3 'd-e' cannot be the name of an input (use letters, digits and underscores, so that expressions can use inputs.name)",
        "4:8 the input 'd-e' must be a mapping, not 3 (write {type: string})",
        "5:8 'tools' must be a list, not a mapping",
        "6:12 unknown key 'max_paralel' in 'defaults' (did you mean 'max_parallel'?)",
        "6:36 unknown key 'on' in 'retry' (did you mean 'errors'?)",
        "6:59 'factor' must be a number from 1 to 100, not the text 'x'",
        "8:16 'parallel' must be a mapping, not a list (write a name for each branch and its steps below it)",
        "8:21 unknown key 'adpt' in a step (did you mean 'adapt'?)",
        "9:16 unknown key 'mesage' in 'approve' (did you mean 'message'?)",
        "9:33 'edit' must be true or false, not the text 'maybe' (write edit: true)",
        "9:41 'with' cannot be combined with 'approve' (remove it; 'approve' can be combined with id, on_error, when)",
        "10:32 'approve' must be true, a message, or {message, show, when, edit}, not false (a tool's own approval requirement cannot be lifted; remove the key)",
        "10:50 unknown key 'valu' in 'on_error' (did you mean 'value'?)",
        "10:70 'for_each' must be a list, or a single expression that returns a list, not the text 'abc' (write ${{ abc }})",
        "10:90 'on_item_error' must be 'fail' or 'skip', not the text 'skp' (did you mean 'skip'?)",
        "10:101 'pipe' must be text, not a list",
        "11:17 the arguments of 'calculator' must be a mapping, not 3 (write calculator: {name: value})",
    ],
    "agent.yaml": [
        "1:10 unknown format version; 'toolkit' must be 1",
        "2:8 'agent' must be 'simple', 'playbook' or 'state_machine', not the text 'smple' (did you mean 'simple'?)",
        "3:1 unknown key 'nme' in an agent (did you mean 'name'?)",
        "4:8 'model' must be text, not 3 (put quotes around it)",
        "5:10 unknown key 'reslt' in 'limits' (did you mean 'result'?)",
        "5:28 'result' must be a whole number from 1 to 10,000,000, not the text 'x'",
        "6:14 a reference needs 'name'",
        "6:15 unknown key 'nots' in a reference (did you mean 'notes'?)",
        "7:14 'last_answer' must be true or false, not nothing (write last_answer: true)",
        "9:1 duplicate key 'max_turns' (remove one of the two)",
    ],
    "a.cases.yaml": [
        "1:10 unknown format version; 'toolkit' must be 1",
        "3:32 unknown key 'wth' in a case (did you mean 'with'?)",
        "3:47 'stub' must be a mapping, not a list (write stub: {mail: sent})",
        "3:69 the answer to 'mail' must be one of approve, edit, answer, reject, stop (did you mean 'approve'?)",
        "3:84 the answer to 'ask' lacks its text (write {answer: …})",
        "3:93 an answer must be a mapping with one key, not the text 'mail' (write {refund: approve})",
        "6:15 'snapshot' must be true, not false",
        "7:13 the file '../x' is not inside the folder of the case (write a relative path)",
        "9:7 unknown key 'outptu' in 'expect' (did you mean 'output'?)",
        "10:13 'that' must be an expression in ${{ }}, or true or false, or a list of them, not the text 'len(result)' (write ${{ len(result) }})",
        "11:16 'matches' is not a regular expression: missing ), unterminated subpattern at position 0",
        """12:15 'schema' is not a JSON Schema: it has "nonsense" as its 'type', which must be one of string, integer, number, boolean, array, object, null, or a list of different ones""",
        "13:16 there is no event 'step_finishd' (did you mean 'step_finished' or 'item_finished' or 'tool_finished'?)",
        "14:13 'exit' must be a whole number from 0 to 255, not 300",
        "15:22 'time' must be a duration (write 3s for seconds)",
        "15:25 unknown key 'tokns' in 'within' (did you mean 'tokens'?)",
        "16:12 'not' must be a list, not 3",
        "17:5 a case needs 'run' (write {name: …, run: …} or {name: …, ask: …, tools: […]})",
    ],
    "flows.yaml": [
        "2:13 the state 'a' must be a list of tools, or a mapping of them with the states that they lead to, not 3",
        "2:16 no tool leads to the state 'b' (make a tool of another state lead to it, or remove it)",
        "2:20 'calculator' is not one of the agent's tools (list its tools under 'tools')",
        "2:32 the state that 'calculator' leads to must be text, not a list",
        "2:38 no tool leads to the state 'c' (make a tool of another state lead to it, or remove it)",
        "2:42 a tool of the state 'c' must be text, not 1 (put quotes around it)",
        "3:1 'locks' is for another kind of agent (write 'agent: playbook')",
        "4:1 'base_url' cannot be set in a file, because API keys are sent to it (set it with --base-url or TOOLKIT_MODEL_URL)",
        "5:15 'instructions' must be text, or {file: path}, not a mapping",
        "5:16 unknown key 'fil' in 'instructions' (did you mean 'file'?)",
        "6:9 'budget' must be text, not true (put quotes around it)",
        "7:11 a class under 'chaining' must be text, not a mapping",
        "8:27 'yes' is text here, but true in YAML 1.1 (write true, or put quotes around it)",
        "8:27 'capture_nested_artifacts' must be true or false, not the text 'yes' (write capture_nested_artifacts: true)",
        "9:9 'inputs' must be a mapping, not 3 (write inputs: {name: {type: string}})",
    ],
    "script.yaml": [
        "1:1 unknown key 'turn' in a script (did you mean 'turns'?)",
        "3:10 'say' must be text, not a list",
        "4:13 a call needs 'tool'",
        "4:14 unknown key 'tol' in a call (did you mean 'tool'?)",
        "4:38 a call must be a mapping, not 3 (write {tool: name, arguments: {}})",
        "5:27 'input_tokens' must be a whole number, zero or more, not the text 'many'",
        "5:39 'cost' must be a number, not a list",
        "5:44 unknown key 'tokens' in 'usage' (did you mean 'input_tokens' or 'output_tokens'?)",
        "6:5 a turn must be text or a mapping, not a list (write {say: text} or {calls: [{tool: name}]})",
        "7:13 'calls' must be a list, not an empty mapping",
    ],
}


def shown(problem):
    place = problem["location"]
    message = re.sub(
        r" such as .*| 'requires_approval'.*", lambda found: "" if "such" in found[0] else " …", problem["message"]
    )
    hint = f" ({problem['hint']})" if problem["hint"] else ""
    return f"{place['line']}:{place['column']} {message}{hint}"


@pytest.mark.parametrize(
    ("file", "text", "arguments"),
    [
        ("toolkit.toml", CONFIGURATION, ["list"]),
        ("toolkit.policy.yaml", POLICY, ["policy", "list"]),
        ("pipeline.yaml", PIPELINE, ["schema", "pipeline.yaml"]),
        ("inputs.yaml", INPUTS, ["schema", "inputs.yaml"]),
        ("agent.yaml", AGENT, ["schema", "agent.yaml"]),
        ("flows.yaml", FLOWS, ["schema", "flows.yaml"]),
        ("a.cases.yaml", CASES, ["test", "a.cases.yaml"]),
        ("script.yaml", SCRIPT, ["agent", "Work.", "--model", "scripted:script.yaml"]),
    ],
)
def test_all_mistakes_are_reported_at_once_with_their_place_and_the_nearest_key(
    project, program, file, text, arguments
):
    (project / file).write_text(text, "utf-8")
    done = program(*arguments, "--format", "json")
    found = [(one["location"], shown(one)) for one in json.loads(done.stderr)["problems"]]
    found.sort(key=lambda one: (one[0]["line"], one[0]["column"] or 0))
    assert (done.returncode, [text for _, text in found]) == (2, EXPECTED[file])


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize("version", ["2", "true", "0", "'1'", "[1]", "1.5", ""])
def test_a_wrong_version_is_reported_alike_in_every_document(project, program, version):
    documents = {
        "toolkit.policy.yaml": "default: ask",
        "pipeline.yaml": "steps: [calculator]",
        "agent.yaml": "agent: simple",
        "a.cases.yaml": "cases: []",
    }
    wrong = set()
    for file, rest in documents.items():
        (project / file).write_text(f"toolkit: {version}\n{rest}\n", "utf-8")
        arguments = ["policy", "list"] if "policy" in file else ["test" if "cases" in file else "schema", file]
        problems = json.loads(program(*arguments, "--format", "json").stderr)["problems"]
        wrong |= {
            (file, one["message"]) for one in problems if "version" in one["message"] or "'toolkit'" in one["message"]
        }
        (project / file).unlink()
    assert wrong == {(file, "unknown format version; 'toolkit' must be 1") for file in documents}
