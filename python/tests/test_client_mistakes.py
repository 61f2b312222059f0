"""Every mistake in the use of a service is an error of one line that says what is accepted, and records nothing."""

import numpy as np
import pytest
from served import ARMS, JSON, PROBLEM, client, free_port, name, scripted, server  # noqa: F401

import longrun

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


def test_an_answer_that_is_not_json_is_an_error_of_the_service():
    server = scripted((200, JSON, {}, b"{"), (422, PROBLEM, {}, b"<html>"))
    for status in (200, 422):
        with pytest.raises(longrun.ServiceError, match="^the answer is not valid JSON$") as error:
            longrun.Client(server.url).studies()
        assert error.value.status == status
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
    "one reward for several": (lambda s, d: s.observe(d, 0.5), "^reward: 1 reward for 3 decisions$"),
    "too few rewards": (lambda s, d: s.observe(d, [0.5]), "^reward: 1 reward for 3 decisions$"),
    "nan among rewards": (lambda s, d: s.observe([3, 3], [0.5, np.nan]), "^row 1: reward nan: is not a finite number"),
    "text among rewards": (lambda s, d: s.observe([3], ["lost"]), "^row 0: reward 'lost': must be a number$"),
    "report of a number": (lambda s, d: s.report(3), "^outcomes 3: must be a dictionary or pairs"),
    "report without outcomes": (lambda s, d: s.report([3]), "^row 0: 3 must be a decision and its outcome$"),
    "unknown outcome": (lambda s, d: s.report({3: "failed"}), "^row 0: outcome 'failed': must be a reward, 'lost' or 'void'$"),
    "correction of a pending decision": (lambda s, d: s.correct(3, 0.5, reason="x"), "^decision 3 is pending; report its outcome$"),
    "correction without change": (lambda s, d: s.correct(1, 0.5, reason="x"), "^decision 1 has this outcome already: observed 0.5$"),
    "correction with another reason": (lambda s, d: s.correct(1, 0.4, reason=7), "^reason 7: must be a string$"),
    "correction without a reason": (lambda s, d: s.correct(1, 0.4, reason=""), "^reason: missing; say why the first outcome was wrong$"),
    "correction of a pull without a reason": (lambda s, d: s.correct_record(1, 0.4, reason=" "), "^reason: missing; say why"),
    "wrong arm": (lambda s, d: s.record("nort", 0.5), "^arm 'nort': is not an arm; did you mean 'north'[?]$"),
    "arm by number": (lambda s, d: s.record(1, 0.5), "^arm 1: must be the name of an arm, such as 'north'; observe.. takes decisions$"),
    "record of a decision": (lambda s, d: s.record(d[0], 0.5), "^arm: decision 1 was made by a study"),
    "record off the scale": (lambda s, d: s.record("north", -50), "^reward -50 of arm 'north' is further outside the scale"),
    "id as number": (lambda s, d: s.record("north", 0.5, id=7), "^id 7: must be a string$"),
    "key too long": (lambda s, d: s.decide(key="k" * 201), "^key 'kkk.*: must have 1 to 200 printable ASCII characters, without blanks around them$"),
    "key with a line break": (lambda s, d: s.decide(key="a\r\nb: c"), "^key .*: must have 1 to 200 printable"),
    "count 0": (lambda s, d: s.decide(0), "^count 0: must be a whole number from 1$"),
    "count of a thousand thousands": (lambda s, d: s.decide(10**6), "^count: 1000000 is not in 1..100000$"),
    "no arms": (lambda s, d: s.decide(arms=[]), "^arms: none is given"),
    "unknown arm to choose from": (lambda s, d: s.decide(arms=["west"]), "^arm 'west': is not an arm; did you mean 'east'[?]$"),
    "arm number": (lambda s, d: s.set_unavailable([3]), "^arm 3: is not one of 0..2$"),
    "arm that exists": (lambda s, d: s.add_arm("north"), "north"),
    "budget": (lambda s, d: s.extend_budget(-5), "^units -5: must be a number above 0$"),
    "same noise": (lambda s, d: s.change_noise(s.noise), "^noise: .* is the noise already$"),
    "noise of another kind": (lambda s, d: s.change_noise("gausian:0.1"), "^unknown noise 'gausian:0.1': "),
    "comparison as constraints": (lambda s, d: s.plan(longrun.Constraints(minimum_share=0.1)), "^compare: a service takes the texts of single constraints, such as 'minimum-share 0.1'$"),
    "no constraint": (lambda s, d: s.change_constraints(), "^nothing is changed; give minimum_pulls, minimum_share or unavailable$"),
    "same constraints": (lambda s, d: s.change_constraints(minimum_pulls=0), "^constraints: they are the constraints already$"),
    "constraint of an unknown arm": (lambda s, d: s.change_constraints(minimum_share={"nort": 0.1}), "^minimum_share: arm 'nort'"),
    "shares above 1": (lambda s, d: s.change_constraints(minimum_share=0.4), "^minimum_share: the shares of all 3 arms add up to 1.2, more than 1$"),
    "minima above the budget": (lambda s, d: s.change_constraints(minimum_pulls=10**6), "^minimum_pulls: at least .* units are needed, but only .* are left$"),
    "unknown constraint": (lambda s, d: s.plan("luck 1"), "^parameter compare: "),
    "too many futures": (lambda s, d: s.plan(futures=10**9), "^parameter futures: '1000000000' is not a whole number from"),
    "lines": (lambda s, d: s.to_json_lines(-2), "^start -2: must be a whole number from 0$"),
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
    "budget": (dict(budget=0), "^budget 0: must be a number above 0$"),
    "noise": (dict(noise="loud"), "^unknown noise 'loud': use "),
    "noise on another scale": (dict(noise=2.5, scale=(0, 40)), "^noise 2.5: a number is accepted on the scale 0 to 1 only"),
    "policy": (dict(policy="luck"), "luck"),
    "scale": (dict(scale=(1, 0)), "scale"),
    "mode": (dict(mode="test"), "^mode: 'test' is not 'live' or 'shadow'$"),
    "constraints": (dict(constraints={"minimum_share": 0.1}), "^constraints .*: must be longrun.Constraints"),
    "unknown arm": (dict(constraints=longrun.Constraints(costs={"c": 2})), "^costs: arm 'c': is not an arm"),
    "too many values": (dict(constraints=longrun.Constraints(costs=[1, 2, 3])), "^costs: has 3 numbers for 2 arms; give one per arm$"),
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
