"""A served study is a Study: same methods, same decisions. What is answered is recorded once, whatever is lost on the way."""

import collections
import datetime
import json
import pickle
import random
import threading

import numpy as np
import pytest
from served import Proxy, ScriptedServer, Server, free_port, wait_until

import longrun

ARMS = ["north", "south", "east"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("service") / "data")
    yield server
    server.stop()


@pytest.fixture
def client(server):
    with longrun.Client(server.url) as client:
        yield client


@pytest.fixture
def name(request):
    """Return a name of a study that no other test has."""
    name = "".join(c if c.isalnum() else "-" for c in request.node.name)[-60:].strip("-")
    return name


@pytest.fixture
def proxy(server):
    proxy = Proxy(server.port)
    yield proxy
    proxy.close()


def scripted(*answers):
    return ScriptedServer(*[(status, {"Content-Type": kind, **more}, body) for status, kind, more, body in answers])


def kinds(study):
    """Return how many events of each kind a study has."""
    return dict(collections.Counter(event["event"] for event in study.events()))


# ---- the same as a Study


def play_for_months(study, correct):
    """Use all that studies have. Return what was seen."""
    chance = random.Random(5)
    seen = []
    for step in range(30):
        decisions = study.decide(2, arms=["north", "east"]) if step % 7 == 3 else study.decide()
        seen += decisions
        for decision in decisions:
            if step == 11:
                study.lose(decision)
            elif step == 12:
                study.void(decision.id)
            else:
                study.observe(decision, 0.2 + 0.2 * decision.index + chance.gauss(0, 0.05))
        if step == 15:
            study.add_arm("west")
            study.extend_budget(20)
        if step == 20:
            study.set_unavailable(["south", 3])
            correct(study)
            study.record("west", 0.9)
    seen.append(study.decide()[0])
    return seen, study.arms, study.budget, study.spent, study.done, study.pulls, study.pending, study.unavailable


@pytest.mark.parametrize("policy", ["foresight", "ucb", "exp3"])
def test_a_served_study_decides_as_a_study_in_memory(client, name, policy):
    options = {"noise": 0.05, "policy": policy, "scale": (0, 1), "seed": 7}
    here = play_for_months(longrun.Study(ARMS, 300, **options), lambda study: study.correct(5, 0.25))
    there = play_for_months(client.create(name, ARMS, 300, **options), lambda study: study.correct(5, 0.25, reason="typo"))
    assert there == here
    assert client.study(name).state.last_event == client.study(name).audit().events
    assert client.study(name).audit() == longrun.Audit(client.study(name).state.last_event, True, [])


CONSTRAINTS = {
    "by name": dict(units_per_round=4, minimum_share={"tea, black": 0.2, 'the "best": 1': 0.1}),
    "by number": dict(units_per_round=4, minimum_pulls={0: 3, 2: 5}, unavailable={1: [(2, 5), (8, 9)]}, unspent="lapse"),
    "one per arm": dict(units_per_round=6, costs=[1, 2, 3]),
    "one for all": dict(minimum_share=0.1),
    "none": dict(),
}


@pytest.mark.parametrize("constraints", CONSTRAINTS.values(), ids=CONSTRAINTS)
def test_constraints_of_a_served_study_are_those_of_a_study(client, name, constraints):
    arms = ["tea, black", "coffee", 'the "best": 1']
    options = {"noise": 0.1, "constraints": longrun.Constraints(**constraints)}
    studies = [longrun.Study(arms, 60, **options), client.create(name, arms, 60, **options)]
    rounds = []
    for study in studies:
        rounds.append([])
        while not study.done:
            decisions = study.decide()
            for decision in decisions:
                study.observe(decision, 0.1 * decision.index + 0.001 * decision.id)
            rounds[-1].append([(each.arm, each.cause) for each in decisions])
    assert rounds[1] == rounds[0]
    assert client.create(name, arms, 60, **options).name == name  # the same study, not a conflict


def test_the_state_is_that_of_the_study(client, name):
    study = client.create(name, ARMS, 50, noise=longrun.Bernoulli(), policy="ucb", seed=3, title="Loans, \u00fc")
    first, second = study.decide(2)
    study.observe(first, True)
    state = study.state
    assert (state.name, state.title, state.mode, state.closed) == (name, "Loans, \u00fc", "live", False)
    assert (state.budget, state.spent, state.left, state.decisions, state.pending) == (50, 2, 48, 2, 1)
    assert (state.scale, state.seed, state.noise, state.agreement) == ((0, 1), 3, longrun.Bernoulli(), None)
    assert state.policy.startswith("ucb") and state.constraints == {} and state.last_event == 2
    assert state.oldest_pending.decision == 2
    assert state.created_at <= state.oldest_pending.at <= state.changed_at <= datetime.datetime.now(datetime.timezone.utc)
    assert state.arms[second.index] == longrun.ArmState(second.arm, 1, 1, True)
    assert study.pending == {2: second.arm} and study.scale == (0, 1) and study.noise == longrun.Bernoulli()
    assert study.policy == state.policy and study.seed == 3
    assert name in client.studies()
    assert repr(study) == f"<longrun.ServedStudy {name!r} at {client._connection.url}>"


def test_a_recommendation_is_the_next_decision_and_a_plan_compares(client, name):
    study = client.create(name, ARMS, 100, noise=0.05)
    for step in range(12):
        (decision,) = study.decide()
        study.observe(decision, 0.2 + 0.02 * step)
    advice = study.recommendation()
    assert isinstance(advice, longrun.Recommendation) and advice.remaining == 88 and len(advice.arms) == 3
    assert f"'{advice.arm}'" in advice.what_to_do and advice.next[0].arm == advice.arm and str(advice)
    assert sum(each.pulls for each in advice.arms) == 12 and advice.noise_sd == 0.05
    assert study.decide()[0].arm == advice.arm
    plan = study.plan("minimum_share 0.3", futures=100)
    assert plan["futures"] == 100 and plan["courses"][-1]["kind"] == "constrained"


def test_the_first_arm_of_a_round_is_that_of_its_first_decision(client, name):
    study = client.create(name, ARMS, 60, noise=0.1, constraints=longrun.Constraints(units_per_round=5, minimum_share=0.1))
    for _ in range(4):
        advice = study.recommendation()
        decisions = study.decide()
        assert advice.arm == decisions[0].arm
        assert {each.arm: each.pulls for each in advice.next} == collections.Counter(each.arm for each in decisions)
        study.observe(decisions, [0.2 + 0.2 * each.index for each in decisions])


def test_a_shadow_study_counts_agreement(client, name):
    study = client.create(name, ARMS, 30, mode="shadow")
    for place in range(6):
        study.record("north", 0.5, id=f"contract {place}")
    study.record("north", 0.5, id="contract 0")  # again
    assert study.state.agreement.observations == 6 and study.state.agreement.agreed < 6
    with pytest.raises(longrun.RefusedError, match="^this study is a shadow: it makes no decisions"):
        study.decide()


def test_events_and_pending_decisions_are_read_in_pages(client, name):
    study = client.create(name, 2, 5000, policy="ucb")
    decisions = study.decide(2500)
    assert study.pending == {each.id: each.arm for each in decisions}
    study.observe(decisions[:2200], [0.5] * 2200)
    numbers = [event.get("seq", 0) for event in study.events()]
    assert numbers == list(range(2202))
    assert [event["seq"] for event in study.events(after=2199)] == [2200, 2201]
    assert list(study.events(after=2201)) == []
    assert len(study.export().splitlines()) == 2202


def test_an_export_is_imported_under_another_name_and_goes_on_the_same_way(client, name, tmp_path):
    study = client.create(name, ARMS, 50, noise=0.1)
    study.observe(study.decide(3), [0.1, 0.2, 0.3])
    text = study.export()
    client.check_import(text, name=name + "-2")
    assert name + "-2" not in client.studies()
    copy = client.import_study(text, name=name + "-2")
    assert copy.name == name + "-2" and copy.spent == 3
    assert client.import_study(text).name == name  # it is here already
    assert [each.arm for each in copy.decide(5)] == [each.arm for each in study.decide(5)]
    with pytest.raises(longrun.RefusedError, match="^there is a study"):
        client.check_import(text)
    with pytest.raises(longrun.RefusedError, match="^there is another study"):
        client.import_study(text.replace("0.1", "0.4"), name=name)
    with pytest.raises(longrun.RefusedError, match="^line 1: not a JSON object"):
        client.import_study("nonsense")


def test_several_outcomes_are_all_recorded_or_none(client, name):
    study = client.create(name, ARMS, 50, noise=0.1)
    first, second, third, fourth = study.decide(4)
    dry = study.report({first: 0.5, second: 70, 9: "lost"}, dry_run=True)
    assert [each.row for each in dry.problems] == [1, 2] and "further outside the scale" in dry.problems[0].detail
    with pytest.raises(longrun.RefusedError, match="^row 2: .*nothing is recorded$"):
        study.report([(first, 0.5), (second, 70)])
    assert len(study.pending) == 4
    assert study.report([(first, 0.5), (second, "lost")]) == longrun.Reported(2, 0, [])
    assert study.report([(first, 0.5), (third, "void")]) == longrun.Reported(1, 1, [])
    study.lose([fourth, 2])
    study.void([third])
    study.observe([], [])
    assert study.pending == {} and study.spent == 3


def test_the_time_of_an_observation_is_kept(client, name):
    study = client.create(name, ARMS, 50)
    zone = datetime.timezone(datetime.timedelta(hours=2))
    study.observe(study.decide()[0], 0.5, observed_at=datetime.datetime(2026, 11, 16, 9, 30, tzinfo=zone))
    assert list(study.events())[-1]["details"] == {"observed_at": "2026-11-16T07:30:00.000Z"}
    with pytest.raises(ValueError, match="^observed_at .*: must be a datetime with a time zone$"):
        study.observe(1, 0.5, observed_at=datetime.datetime(2026, 11, 16))


def test_rewards_and_numbers_of_numpy_are_numbers(client, name):
    study = client.create(name, np.int64(3), np.float64(50))
    decisions = study.decide(np.int32(8))
    study.observe(decisions[0], np.float32(0.5))
    study.observe(np.int64(2), np.bool_(True))
    study.observe(decisions[2], True)
    study.observe(decisions[3], np.array(0.25))
    study.observe(np.array([5, 6]), np.array([0.1, 0.2]))
    assert [event["reward"] for event in study.events() if event["event"] == "settled"] == [0.5, 1, 1, 0.25, 0.1, 0.2]


def test_an_arm_that_another_client_has_added_is_known(server, client, name):
    study = client.create(name, ARMS, 50)
    longrun.Client(server.url).study(name).add_arm("west")
    assert study.decide(arms="west")[0] == longrun.Decision(1, "west", 3, 1, "choice")


# ---- what is lost on the way


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
    assert [event.get("seq", 0) for event in study.events()] == [0, 1, 2, 3]
    assert study.audit().state_agrees
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


PROBLEM, JSON = "application/problem+json", "application/json"
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


# ---- mistakes

URLS = {
    "no scheme": ("127.0.0.1:8042", "^url '127.0.0.1:8042': does not begin with http:// or https://; did you mean 'http://127.0.0.1:8042'[?]$"),
    "host only": ("localhost", "^url 'localhost': does not begin with http:// or https://; give one such as 'http://127.0.0.1:8042'$"),
    "another scheme": ("ftp://localhost", "^url 'ftp://localhost': does not begin with"),
    "no text": (8042, "^url 8042: must be a string$"),
    "path of the interface": ("http://localhost:8042/v1/studies", "leave out the path from /v1 on"),
    "no host": ("http://", "must have a host"),
    "port": ("http://localhost:80420", "is not valid .Port out of range 0-65535."),
    "port as text": ("http://localhost:port", "is not valid"),
    "parameters": ("http://localhost/?a=b", "must have a host and no user, parameters or blanks"),
    "user": ("http://me:secret@localhost/", "must have a host and no user"),
}


@pytest.mark.parametrize("url, message", URLS.values(), ids=URLS)
def test_wrong_urls_are_refused(url, message):
    with pytest.raises(ValueError, match=message):
        longrun.Client(url)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), "fast", True, None])
def test_timeouts_must_be_seconds(seconds):
    with pytest.raises(ValueError, match="^timeout "):
        longrun.Client("http://localhost:8042", timeout=seconds)


def test_without_a_server_the_error_says_how_to_start_it():
    with pytest.raises(longrun.ServiceError, match="no server answers there .connection refused.; start it with `longrun serve`") as error:
        longrun.Client(f"http://127.0.0.1:{free_port()}", retry_seconds=0.3).create("s", 2, 10)
    assert not error.value.maybe_recorded and "recorded" not in str(error.value)
    with pytest.raises(longrun.ServiceError, match="there is no machine 'no-such-machine.invalid'|no server answers|connection was lost"):
        longrun.Client("http://no-such-machine.invalid", retry_seconds=0.3).studies()


def test_another_server_is_not_a_service():
    server = scripted((200, "text/html", {}, b"<html>"), (404, "text/html", {}, b"<html>"), (404, JSON, {}, b"{}"))
    for _ in range(3):
        with pytest.raises(longrun.ServiceError, match="is not a longrun service: it answered with status (200|404) and"):
            longrun.Client(server.url).studies()
    server.close()
    server = scripted((301, "text/html", {"Location": "https://other/"}, b""))
    with pytest.raises(longrun.ServiceError, match="it redirects to https://other/; give the URL of the service itself$"):
        longrun.Client(server.url).create("s", 2, 10)
    server.close()


def test_https_to_a_server_of_http_is_an_error_at_once(server):
    with pytest.raises(longrun.ServiceError, match="it does not serve HTTPS; give a URL that begins with http://$"):
        longrun.Client(server.url.replace("http", "https")).studies()


def test_a_closed_client_sends_nothing(server):
    with longrun.Client(server.url) as client:
        client.studies()
    with pytest.raises(ValueError, match="^the client is closed$"):
        client.studies()


@pytest.fixture(scope="module")
def started(server):
    """Return a study with the decisions 1 (observed), 2 (lost) and 3 (pending), and these."""
    study = longrun.Client(server.url).create("mistakes", ARMS, 300, noise=0.1, scale=(0, 1))
    decisions = study.decide(3)
    study.observe(1, 0.5)
    study.lose(2)
    return study, decisions


def of_another_study():
    return longrun.Study(ARMS, 9).decide()[0]


MISTAKES = {
    "decision told twice": (lambda s, d: s.observe(1, 0.6), "^decision 1 has another outcome already: observed 0.5; correct it if that is wrong$"),
    "lost and then observed": (lambda s, d: s.observe(d[1], 0.6), "^decision 2 has another outcome already: lost"),
    "unknown decision": (lambda s, d: s.observe(4, 0.5), "^there is no decision 4; the last one is 3$"),
    "decision 0": (lambda s, d: s.lose(0), "^there is no decision '?0'?"),
    "decision as text": (lambda s, d: s.observe("3", 0.5), "^decision '3': must be a Decision or its number$"),
    "decision of a study in memory": (lambda s, d: s.observe(of_another_study(), 0.5), "^decision 1: was made by another study"),
    "arm as decision": (lambda s, d: s.observe("east", 0.5), "^decision 'east': is an arm; record.. takes pulls"),
    "reward off the scale": (lambda s, d: s.observe(3, 61), "^reward 61 of arm 'east' is further outside the scale 0 to 1 than noise explains"),
    "reward nan": (lambda s, d: s.observe(3, float("nan")), "^reward nan: is not a finite number; lose.. reports"),
    "reward None": (lambda s, d: s.observe(3, None), "^reward None: is not a finite number; lose.. reports"),
    "reward as text": (lambda s, d: s.observe(3, "0.5"), "^reward '0.5': must be a number$"),
    "one reward for several": (lambda s, d: s.observe(d, 0.5), "^reward 0.5: must be a list, as the decisions are$"),
    "too few rewards": (lambda s, d: s.observe(d, [0.5]), "^reward: there are 3 decisions and 1 rewards$"),
    "nan among rewards": (lambda s, d: s.observe([3, 3], [0.5, np.nan]), "^row 1: reward nan: is not a finite number"),
    "text among rewards": (lambda s, d: s.observe([3], ["lost"]), "^row 0: reward 'lost': must be a number$"),
    "report of a number": (lambda s, d: s.report(3), "^outcomes 3: must be a dictionary or pairs"),
    "report without outcomes": (lambda s, d: s.report([3]), "^row 0: 3 must be a decision and its outcome$"),
    "unknown outcome": (lambda s, d: s.report({3: "failed"}), "^row 0: outcome 'failed': must be a reward, 'lost' or 'void'$"),
    "correction of a pending decision": (lambda s, d: s.correct(3, 0.5, reason="x"), "^decision 3 is pending; report its outcome$"),
    "correction without change": (lambda s, d: s.correct(1, 0.5, reason="x"), "^decision 1 has this outcome already: observed 0.5$"),
    "correction with another reason": (lambda s, d: s.correct(1, 0.4, reason=7), "^reason 7: must be a string$"),
    "wrong arm": (lambda s, d: s.record("nort", 0.5), "^arm 'nort': is not an arm; did you mean 'north'[?]$"),
    "arm by number": (lambda s, d: s.record(1, 0.5), "^arm 1: must be the name of an arm, such as 'north'; observe.. takes decisions$"),
    "record of a decision": (lambda s, d: s.record(d[0], 0.5), "^arm: decision 1 was made by a study"),
    "record off the scale": (lambda s, d: s.record("north", -50), "^reward -50 of arm 'north' is further outside the scale"),
    "id as number": (lambda s, d: s.record("north", 0.5, id=7), "^id 7: must be a string$"),
    "key too long": (lambda s, d: s.decide(key="k" * 201), "^key 'kkk.*: must have 1 to 200 printable ASCII characters$"),
    "key with a line break": (lambda s, d: s.decide(key="a\r\nb: c"), "^key .*: must have 1 to 200 printable"),
    "count 0": (lambda s, d: s.decide(0), "^count 0: must be a whole number from 1$"),
    "count of a thousand thousands": (lambda s, d: s.decide(10**6), "^count: 1000000 is not in 1..100000$"),
    "no arms": (lambda s, d: s.decide(arms=[]), "^arms: none is given"),
    "unknown arm to choose from": (lambda s, d: s.decide(arms=["west"]), "^arm 'west': is not an arm; did you mean 'east'[?]$"),
    "arm number": (lambda s, d: s.set_unavailable([3]), "^arm 3: is not one of 0..2$"),
    "arm that exists": (lambda s, d: s.add_arm("north"), "north"),
    "budget": (lambda s, d: s.extend_budget(-5), "^units -5: must be a whole number from 1$"),
    "unknown constraint": (lambda s, d: s.plan("luck 1"), "^parameter compare: "),
    "too many futures": (lambda s, d: s.plan(futures=10**9), "^parameter futures: '1000000000' is not a whole number from"),
    "events": (lambda s, d: s.events(after=-2), "^after -2: must be a whole number from -1$"),
}


@pytest.mark.parametrize("mistake, message", MISTAKES.values(), ids=MISTAKES)
def test_mistakes_raise_value_errors_of_one_line_and_record_nothing(started, mistake, message):
    study, decisions = started
    before = study.state.last_event
    with pytest.raises(ValueError, match=message) as error:
        mistake(study, decisions)
    assert "\n" not in str(error.value)
    assert study.state.last_event == before


CREATIONS = {
    "name": (dict(name="two words"), "^name: 'two words' is not 1 to 64 letters"),
    "name as path": (dict(name="../s"), "^name: '../s' is not"),
    "arms as text": (dict(arms="north"), "^arms 'north': must be a list of names, or their number$"),
    "duplicate arms": (dict(arms=["a", "a"]), "^arms: 'a' is given twice; names must differ$"),
    "budget": (dict(budget=0), "^budget 0: must be a whole number from 1$"),
    "noise": (dict(noise="loud"), "^noise: "),
    "noise on another scale": (dict(noise=2.5, scale=(0, 40)), "^noise 2.5: a number is accepted on the scale 0 to 1 only"),
    "policy": (dict(policy="luck"), "luck"),
    "scale": (dict(scale=(1, 0)), "scale"),
    "mode": (dict(mode="test"), "^mode: 'test' is not 'live' or 'shadow'$"),
    "constraints": (dict(constraints={"minimum_share": 0.1}), "^constraints .*: must be longrun.Constraints"),
    "unknown arm": (dict(constraints=longrun.Constraints(costs={"c": 2})), "^costs: arm 'c': is not an arm"),
    "too many values": (dict(constraints=longrun.Constraints(costs=[1, 2, 3])), "^costs: has 3 numbers for 2 arms$"),
    "impossible": (dict(constraints=longrun.Constraints(minimum_share=0.9)), "share"),
    "taken": (dict(name="mistakes"), "^there is another study 'mistakes' already; choose another name$"),
}


@pytest.mark.parametrize("options, message", CREATIONS.values(), ids=CREATIONS)
def test_studies_that_cannot_be_created_are_refused(started, client, options, message):
    before = client.studies()
    with pytest.raises(ValueError, match=message) as error:
        client.create(**{"name": "new", "arms": ["a", "b"], "budget": 9, **options})
    assert "\n" not in str(error.value)
    assert client.studies() == before


def test_a_study_that_does_not_exist_is_named_with_the_nearest_one(started, client):
    with pytest.raises(longrun.RefusedError, match="^there is no study 'mistake'; did you mean 'mistakes'[?]$"):
        client.study("mistake")
    for wrong in ("", "mistakes/decisions", "two words"):
        with pytest.raises(ValueError, match=f"^name '{wrong}': must be the name of a study"):
            client.study(wrong)


def test_a_closed_study_takes_outcomes_only(client, name):
    study = client.create(name, ARMS, 50)
    first, second = study.decide(2)
    study.close_study()
    study.observe(first, 0.5)
    for call in (study.decide, lambda: study.extend_budget(5), lambda: study.add_arm("west"), study.close_study):
        with pytest.raises(longrun.RefusedError, match="closed"):
            call()
    assert study.state.closed and study.pending == {second.id: second.arm}
