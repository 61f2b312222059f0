"""What is answered is recorded once, whatever is lost on the way."""

import collections
import contextlib
import pickle
import shutil
import sqlite3
import threading

import pytest
from served import ARMS, JSON, PROBLEM, Server, client, free_port, name, proxy, scripted, server  # noqa: F401

import longrun


def kinds(study):
    """Return how many events of each kind a study has."""
    return dict(collections.Counter(event["event"] for event in study.events))


def test_a_killed_server_between_decision_and_outcome_loses_nothing(tmp_path):
    server = Server(tmp_path / "data")
    study = longrun.Client(server.url).create("loans", ARMS, 50, noise=0.1)
    decisions = study.decide(3)
    study.observe(decisions[0], 0.5)
    server.kill()
    answered = []
    waiting = threading.Thread(target=lambda: answered.append(study.observe(decisions[1], 0.6)))
    waiting.start()  # tries until the server is back
    server.start()
    waiting.join(timeout=60)
    assert answered == [None]
    assert study.pending == {decisions[2].id: decisions[2].arm}
    assert [event.get("seq", 0) for event in study.events] == [0, 1, 2, 3]
    assert study.audit().state_agrees
    server.stop()


def test_a_copied_folder_is_a_backup(tmp_path):
    server = Server(tmp_path / "data")
    study = longrun.Client(server.url).create("loans", ARMS, 50, noise=0.1)
    decisions = study.decide(3, key="monday")
    study.observe(decisions[0], 0.5)
    server.stop()
    shutil.copytree(tmp_path / "data", tmp_path / "backup")
    server = Server(tmp_path / "backup")
    study = longrun.Client(server.url).study("loans")
    assert [each.id for each in study.decide(3, key="monday")] == [1, 2, 3]  # keys are part of it
    assert study.state.decisions == 3 and list(study.pending) == [2, 3] and study.audit().state_agrees
    server.stop()


OUTCOMES = {
    "tell": lambda study, decision: study.tell(decision, 0.5),
    "observe": lambda study, decision: study.observe(decision, 0.5),
    "lose": lambda study, decision: study.lose(decision),
    "void": lambda study, decision: study.void(decision),
    "tell several": lambda study, decision: study.tell([decision, "east"], [0.5, 0.6]),
    "lose several": lambda study, decision: study.lose([decision]),
    "report": lambda study, decision: study.report([(decision, 0.5)]),
}


def test_after_an_older_backup_an_outcome_is_never_that_of_another_decision_with_the_same_number(tmp_path):
    server = Server(tmp_path / "data")
    study = longrun.Client(server.url).create("loans", ARMS, 50, noise=0.1)
    server.stop()
    shutil.copytree(tmp_path / "data", tmp_path / "backup")
    server.start()
    (decision,) = study.decide(arms=["north"])
    server.stop()
    shutil.rmtree(tmp_path / "data")
    (tmp_path / "backup").rename(tmp_path / "data")
    server.start()
    (other,) = longrun.Client(server.url).study("loans").decide(arms=["south"])
    assert other.id == decision.id
    for tell in OUTCOMES.values():
        with pytest.raises(longrun.RefusedError, match="decision 1 is for arm 'south', not 'north'") as refused:
            tell(study, decision)
        assert refused.value.status == 409
        assert study.last_event == 1
    OUTCOMES["tell"](study, other)
    assert study.last_event == 2
    with pytest.raises(longrun.RefusedError, match="decision 1 is for arm 'south', not 'north'"):
        study.correct(decision, 0.6, reason="typo")
    study.correct(other, 0.6, reason="typo")
    assert study.last_event == 3
    server.stop()


DAMAGES = {
    "event": "UPDATE entry SET event = '{}' WHERE seq = 2 AND study = (SELECT id FROM study WHERE name = 'damaged')",
    "missing event": "DELETE FROM entry WHERE seq = 2 AND study = (SELECT id FROM study WHERE name = 'damaged')",
    "creation": "UPDATE entry SET event = 'x' WHERE seq = 0 AND study = (SELECT id FROM study WHERE name = 'damaged')",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_study_is_an_error_of_the_service_and_others_are_served(tmp_path, damage):
    server = Server(tmp_path)
    client = longrun.Client(server.url)
    for study in (client.create("damaged", ARMS, 50), client.create("sound", ARMS, 50)):
        study.observe(study.decide(2), [0.5, 0.6])
    server.stop()
    with contextlib.closing(sqlite3.connect(tmp_path / "studies.sqlite", isolation_level=None)) as store:
        store.execute(damage)
    server.start()
    with pytest.raises(longrun.ServiceError, match="^the log of study 'damaged' is damaged: ") as error:
        client.study("damaged")
    assert error.value.status == 500 and not isinstance(error.value, longrun.RefusedError)
    assert client.study("sound").decide() and client.studies() == ["damaged", "sound"]
    server.stop()


FATES = {"drop": ["drop"], "half": ["half"], "refuse": ["refuse"], "several": ["drop", "half", "refuse", "drop"]}


@pytest.mark.parametrize("fates", FATES.values(), ids=FATES)
def test_requests_whose_answer_is_lost_have_one_effect(server, proxy, name, fates, monkeypatch):
    monkeypatch.setattr(longrun._service_http, "FIRST_WAIT", 0.01)
    client = longrun.Client(proxy.url)

    def lossy(call):
        proxy.fates = list(fates)
        before = len(proxy.requests)
        result = call()
        sent = proxy.requests[before : before + len(fates) + 1]
        assert len(set(sent)) == 1, sent  # the same request with the same key
        return result

    study = lossy(lambda: client.create(name, ARMS, 50, noise=0.1))
    first, second, third = lossy(lambda: study.decide(3))
    lossy(lambda: study.observe(first, 0.5))
    lossy(lambda: study.lose(second))
    lossy(lambda: study.correct(second, "void", reason="never made"))
    lossy(lambda: study.record("north", 0.4))
    lossy(lambda: study.record("north", 0.4, id="contract 1"))
    lossy(lambda: study.add_arm("west"))
    lossy(lambda: study.extend_budget(5))
    lossy(lambda: study.set_unavailable("west"))
    assert lossy(lambda: study.report([(third, 0.3)])) == longrun.Reported(1, 0, [])
    assert lossy(lambda: study.state).budget == 55
    lossy(lambda: study.close_study())
    copy = lossy(lambda: client.import_study(study.export().replace(name, name + "-2")))
    assert kinds(copy) == kinds(longrun.Client(server.url).study(name)) == {
        "created": 1, "decided": 1, "settled": 3, "corrected": 1, "observed": 2,
        "arm_added": 1, "budget_extended": 1, "availability_changed": 1, "closed": 1,
    }  # fmt: skip


def test_an_answer_that_does_not_arrive_in_time_is_asked_for_again(proxy, name):
    study = longrun.Client(proxy.url, timeout=5).create(name, ARMS, 50)
    study._connection.timeout = 0.2
    proxy.fates = ["hang", "hang"]
    (decision,) = study.decide()
    assert decision.id == 1 and study.state.decisions == 1


def test_a_key_of_ones_own_makes_a_decision_once_for_all_programs(server, client, name):
    decisions = client.create(name, ARMS, 50).decide(2, key="2026-11-16 morning")
    assert longrun.Client(server.url).study(name).decide(2, key="2026-11-16 morning") == decisions
    with pytest.raises(longrun.RefusedError, match="^key '2026-11-16 morning' was used for another request"):
        client.study(name).decide(3, key="2026-11-16 morning")


def test_without_an_answer_the_error_says_whether_it_may_be_recorded(proxy, name):
    study = longrun.Client(proxy.url, retry_seconds=0.3).create(name, ARMS, 50)
    proxy.fates = ["drop"] * 50
    with pytest.raises(longrun.ServiceError, match="it is not known whether the request was recorded: repeat it with key='[0-9a-f]{32}'$") as lost:
        study.decide()
    assert lost.value.maybe_recorded and lost.value.status is None and not isinstance(lost.value, ValueError)
    proxy.fates = []
    assert [each.id for each in study.decide(key=lost.value.key)] == [1]
    assert study.state.decisions == 1
    proxy.fates = ["drop"] * 50
    with pytest.raises(longrun.ServiceError) as lost:
        study.state
    assert not lost.value.maybe_recorded  # a question changes nothing


def test_threads_share_a_client(client, name):
    study = client.create(name, ARMS, 400, noise=0.1)
    made = []

    def work():
        for _ in range(10):
            decisions = study.decide(2)
            made.extend(decisions)
            study.observe(decisions[0], 0.5)
            study.lose(decisions[1:])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(each.id for each in made) == list(range(1, 161))
    assert study.pending == {} and study.audit().state_agrees


BUSY = (503, PROBLEM, {"Retry-After": "0"}, b'{"status":503,"detail":"too many requests wait; try again"}')


def test_temporary_failures_are_repeated_and_refusals_are_not():
    empty = (200, JSON, {}, b'{"studies":[]}')
    server = scripted(BUSY, (502, "text/html", {}, b""), (504, "text/html", {}, b"no"), empty)
    assert longrun.Client(server.url).studies() == [] and len(server.headers) == 4
    server.close()
    server = scripted(BUSY)
    with pytest.raises(longrun.ServiceError, match=r"too many requests wait; try again \(\d+ attempts in \d s\)$") as busy:
        longrun.Client(server.url, retry_seconds=0.5).studies()
    assert busy.value.status == 503 and 1 < len(server.headers) < 10
    server.close()
    for status in (400, 401, 404, 409, 413, 422, 429, 500):
        server = scripted((status, PROBLEM, {}, b'{"detail":"no"}'))
        with pytest.raises(longrun.ServiceError, match="no") as error:
            longrun.Client(server.url).studies()
        assert error.value.status == status and isinstance(error.value, ValueError) == (status < 500)
        assert len(server.headers) == 1
        server.close()


def test_a_long_pause_that_the_server_asks_for_ends_the_attempts():
    server = scripted((503, PROBLEM, {"Retry-After": "3600"}, b'{"detail":"later"}'))
    with pytest.raises(longrun.ServiceError, match="^http://127.0.0.1:[0-9]+: later$"):
        longrun.Client(server.url).studies()
    server.close()


def test_the_token_is_sent_and_shown_nowhere():
    server = scripted((401, PROBLEM, {}, b'{"detail":"a valid token is needed"}'))
    client = longrun.Client(server.url, token="s3cret")
    with pytest.raises(longrun.RefusedError, match="a valid token is needed; longrun.Client.url, token=.... takes one$") as error:
        client.studies()
    assert server.headers[0]["Authorization"] == "Bearer s3cret"
    assert "s3cret" not in repr(client) + str(error.value) + repr(vars(error.value))
    with pytest.warns(UserWarning, match="^the token is sent to http://example.org unencrypted; use https$"):
        longrun.Client("http://example.org", token="s3cret")
    for token in ("", "two words", "line\nbreak", b"bytes"):
        with pytest.raises(ValueError, match="^token: must be a string of printable ASCII characters without blanks$"):
            longrun.Client(server.url, token=token)
    server.close()


def test_errors_survive_pickle():
    error = longrun.RefusedError("wrong", status=422, detail="wrong", field="/reward", key="k")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is longrun.RefusedError and str(again) == "wrong" and vars(again) == vars(error)


def test_a_proxy_of_the_environment_is_not_asked_for_local_services(client, name, monkeypatch):
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    assert name not in longrun.Client(client._connection.url).studies()
