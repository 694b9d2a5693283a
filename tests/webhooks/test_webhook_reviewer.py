"""A webhook is asked over HTTP, and nothing but a signed answer to this very question approves."""

import json
import threading
import time
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
from hypothesis import given, settings, strategies as st
from jsonschema import Draft202012Validator

from tests.http_servers import http_server
from tests.volumes import examples
from toolkit import Tool, ToolContext
from toolkit.approvals import Gate, Risk, load_policy
from toolkit.approvals.decisions import Continue, Edit, ReviewRequest  # private
from toolkit.errors import ConfigurationError, ExitEarlyError
from toolkit.webhooks import WebhookReviewer, answer_schema, fault_of, review_schema, signed
from toolkit.webhooks.webhook_messages import NoAnswerError, read_answer  # private

SECRET = "a secret of many letters"  # noqa: S105 - it is for a test
OTHER = "another secret of letters"
PATH = {"type": "object", "properties": {"path": {"type": "string"}, "password": {"type": "string", "format": "password"}}, "required": ["path"]}  # fmt: skip


@contextmanager
def webhook(post, get=None):
    """Run a webhook on the loopback; `post` and `get` return a status, a body and headers."""
    seen: list = []

    def tell(asked):
        is_post = asked.method == "POST"
        body = asked.body if is_post else asked.path.encode()
        seen.append((asked.method, asked.headers, body))
        status, told, more = (post if is_post else get)(asked.headers, body)
        return status, more, told

    with http_server(tell) as url:
        yield SimpleNamespace(place=url.removeprefix("http://"), url=f"{url}/review", seen=seen)


def answering(decision="approve", secret=SECRET, now=None, kind="answer", **more):
    """Return what answers a question at once."""

    def answer(_, body):
        told = body_for(json.loads(body), decision, **more)
        return 200, told, signed(secret, kind, told, now)

    return answer


def body_for(question, decision="approve", **more):
    return json.dumps({"id": question["id"], "call": question["call"], "decision": decision, **more}).encode()


def delete_under(server, timeout=20.0, policy=None, **options):
    """Call a destructive tool that the webhook is asked about, and return what came of it, and what it did."""
    done = []

    def delete(path, password=""):
        done.append(path)
        return f"deleted {path}"

    tool = Tool.create("delete", "Deletes a file.", PATH, delete, destructive=True)
    reviewer = WebhookReviewer(server.url, SECRET, poll=0.01, **{"private_hosts": [server.place], **options})
    context = ToolContext(gate=Gate(reviewer, policy, timeout=timeout))
    return tool.run({"path": "a", "password": "hunter2hunter2"}, context).text, done


def test_a_signed_yes_at_once_lets_the_call_run_and_the_question_is_signed_and_holds_no_secret():
    with webhook(answering()) as server:
        assert delete_under(server) == ("deleted a", ["a"])
    [(_, headers, body)] = server.seen
    assert fault_of(SECRET, "review", headers, body) is None
    assert "hunter2" not in body.decode()
    question = json.loads(body)
    Draft202012Validator(review_schema()).validate(question)
    assert (question["tool"], question["arguments"]["path"], question["risk"]) == ("delete", "a", ["DESTRUCTIVE"])
    assert question["answers"] == ["approve", "edit", "reject", "stop"]


def test_an_edit_is_validated_again_a_rejection_has_its_reason_and_a_stop_ends_the_run():
    with webhook(answering("edit", arguments={"path": "b"})) as server:
        assert delete_under(server) == ("deleted b", ["b"])
    with webhook(answering("edit", arguments={"path": ["x"]})) as server:
        text, done = delete_under(server)
        assert (text.startswith("Error: The reviewer's edit is invalid"), done) == (True, [])
    with webhook(answering("reject", reason="not today")) as server:
        assert delete_under(server) == ("Error: Rejected by reviewer: not today", [])
    with webhook(answering("stop", reason="enough")) as server, pytest.raises(ExitEarlyError, match="enough"):
        delete_under(server)


@pytest.mark.proof(everyday=10)
def test_an_edit_is_judged_again_by_the_rules(tmp_path):
    (tmp_path / "rules.yaml").write_text("deny: [{tool: delete, where: {path: b}}]\n", "utf-8")
    with webhook(answering("edit", arguments={"path": "b"})) as server:
        text, done = delete_under(server, policy=load_policy(tmp_path / "rules.yaml"))
    assert (text.startswith("Error: The reviewer's edit is denied by deny rule"), done) == (True, [])


def test_an_edit_keeps_all_digits_of_its_numbers():
    request = ReviewRequest("Pay?", Risk("pay"), {"euros": 1})
    edit = '{"euros": 0.10000000000000000001}'
    body = f'{{"id": "7", "call": "{request.fingerprint}", "decision": "edit", "arguments": {edit}}}'.encode()
    headers = {name.lower(): value for name, value in signed(SECRET, "answer", body).items()}
    decision = read_answer(SECRET, headers, body, "7", request)
    assert isinstance(decision, Edit)
    assert isinstance(decision.arguments, dict)
    assert str(decision.arguments["euros"]) == "0.10000000000000000001"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (answering(secret=OTHER), "its signature is wrong"),
        (answering(kind="review"), "its signature is wrong"),
        (answering(now=time.time() - 3600), "it was signed more than 300 seconds ago"),
        (answering(now=time.time() + 3600), "it was signed more than 300 seconds ago"),
        (answering("yes"), "its decision is not one of"),
        (answering("edit"), "it lacks the arguments"),
        (answering(reason=1), "its reason is not a string"),
        (lambda _, body: (200, body_for(json.loads(body)), {}), "it is not signed"),
        (lambda headers, body: (200, body, {key: headers[key] for key in headers if "toolkit" in key}), "its signature is wrong"),
        (lambda *_: (200, b"[]", signed(SECRET, "answer", b"[]")), "it is not a JSON object"),
        (lambda *_: (200, b"{", signed(SECRET, "answer", b"{")), "it is not JSON"),
        (lambda *_: (500, b"", {}), "it has the status 500"),
        (lambda *_: (302, b"", {"Location": "/other"}), "it has the status 302"),
        (lambda *_: (202, b"", {}), "it does not name a URL to poll"),
        (lambda *_: (202, b'{"poll": "https://evil.example/"}', {}), "its URL to poll is on another server"),
        (lambda *_: (200, b"x" * 2_000_000, {}), "it is too long"),
    ],
)  # fmt: skip
def test_what_is_not_a_signed_answer_to_this_question_approves_nothing(answer, why):
    with webhook(answer) as server:
        text, done = delete_under(server)
    assert (text.startswith("Error: Rejected by reviewer: the webhook's answer is not valid: "), done) == (True, [])  # fmt: skip
    assert why in text


def test_an_answer_is_replayed_in_vain():
    kept: list = []

    def replaying(_, body):
        told = kept[0] if kept else body_for(json.loads(body))
        kept.append(told)
        return 200, told, signed(SECRET, "answer", told)

    with webhook(replaying) as server:
        assert delete_under(server)[1] == ["a"]
        text, done = delete_under(server)
    assert ("it belongs to another question" in text, done) == (True, [])


def test_an_answer_that_comes_later_is_fetched():
    questions: list = []
    polls: list = []

    def later(_, body):
        questions.append(json.loads(body))
        return 202, b'{"poll": "/answers/7"}', {}

    def poll(headers, _):
        polls.append(fault_of(SECRET, "poll", headers, questions[0]["id"].encode()))
        if len(polls) < 3:
            return (202, b"", {}) if len(polls) < 2 else (503, b"", {})
        told = body_for(questions[0])
        return 200, told, signed(SECRET, "answer", told)

    with webhook(later, poll) as server:
        assert delete_under(server) == ("deleted a", ["a"])
    assert polls == [None, None, None]
    with webhook(later, lambda *_: (404, b"", {})) as server:
        assert "it has the status 404" in delete_under(server)[0]


def test_an_answer_that_comes_later_is_received_and_a_forged_one_is_not():
    port = free_port()
    statuses: list = []

    def later(_, body):
        question = json.loads(body)

        def send():
            for secret, place in ((OTHER, question["callback"]), (SECRET, question["callback"] + "0"), (SECRET, question["callback"])):  # fmt: skip
                told = body_for(question)
                asked = urllib.request.Request(place, told, signed(secret, "answer", told), method="POST")  # noqa: S310
                try:
                    with urllib.request.urlopen(asked, timeout=10) as answered:  # noqa: S310
                        statuses.append(answered.status)
                except urllib.error.HTTPError as error:
                    statuses.append(error.code)

        threading.Thread(target=send, daemon=True).start()
        return 202, b"", {}

    with webhook(later) as server:
        options = {"listen": f"127.0.0.1:{port}", "callback": f"http://127.0.0.1:{port}/answers"}
        assert delete_under(server, **options) == ("deleted a", ["a"])
    assert statuses[:2] == [403, 404]


def free_port():
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        return server.server_port


def test_nobody_who_answers_in_time_approves_nothing():
    with webhook(lambda *_: (202, b'{"poll": "/x"}', {}), lambda *_: (202, b"", {})) as server:
        text, done = delete_under(server, timeout=0.2)
    assert (text, done) == ("Error: Rejected by reviewer: nobody answered within 0.2 seconds", [])


def test_an_inside_address_is_refused_unless_its_user_allows_it():
    with webhook(answering()) as server:
        text, done = delete_under(server, private_hosts=[])
    assert (text.startswith("Error: Rejected by reviewer: the webhook cannot be reached: "), done) == (True, [])
    assert server.seen == []


def test_a_weak_secret_and_half_a_callback_are_refused():
    with pytest.raises(ConfigurationError, match="fewer than 16 characters"):
        WebhookReviewer("https://a.example/", "short")
    with pytest.raises(ConfigurationError, match="both 'listen' and 'callback'"):
        WebhookReviewer("https://a.example/", SECRET, listen="127.0.0.1:1")


REQUEST = ReviewRequest("Run it?", Risk("delete"), {"path": "a"})
GOOD = body_for({"id": "7", "call": REQUEST.fingerprint})
Draft202012Validator(answer_schema()).validate(json.loads(GOOD))


@settings(max_examples=examples(3_000), deadline=None)
@given(st.binary(max_size=80) | st.sampled_from([GOOD]), st.sampled_from([SECRET, OTHER, ""]), st.sampled_from(["review", "poll", "answer"]), st.integers(-10_000, 10_000), st.integers(0, 300), st.binary(min_size=0, max_size=2))  # fmt: skip
def test_only_an_answer_that_was_signed_now_with_the_secret_is_one(body, secret, kind, age, index, noise):
    headers = signed(secret, kind, body, time.time() - age)
    sent = body[:index] + noise + body[index + len(noise) :] if noise else body
    is_good = sent == body == GOOD and secret == SECRET and kind == "answer" and abs(age) < 295
    try:
        found = read_answer(SECRET, headers, sent, "7", REQUEST)
    except NoAnswerError:
        assert not is_good
    else:
        assert found == Continue()
        assert sent == body == GOOD
        assert (secret, kind) == (SECRET, "answer")
        assert abs(age) <= 301


@settings(max_examples=examples(1_000), deadline=None)
@given(st.dictionaries(st.sampled_from(["toolkit-timestamp", "toolkit-signature"]), st.text(max_size=80)))
def test_headers_that_are_made_up_are_never_believed(headers):
    assert fault_of(SECRET, "answer", headers, GOOD) is not None
