"""The page of `longrun serve`: changes by others, lost connections, tokens, and what it needs from the interface.

usage: service_page_connection_test.py LONGRUN_BINARY SCRATCH_FOLDER
"""

import shutil
import signal
import time
import urllib.error

from selenium.webdriver.common.by import By

from page_in_browser import main, setUpModule
from service_page_in_browser import Server, ServicePageTest


LOST = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "ERR_HTTP")


class Connected(ServicePageTest):
    """Changes by others, lost connections and lost answers."""

    def test_a_change_in_one_window_shows_in_the_other(self):
        self.server.create("both")
        self.open_study("both")
        first = self.browser.current_window_handle
        self.browser.switch_to.new_window("window")
        second = self.browser.current_window_handle
        try:
            self.open_study("both")
            self.press("Decide", "#next")
            self.wait_for(lambda: self.find("#next [data-decision='1']"))
            self.browser.switch_to.window(first)
            self.wait_for(lambda: self.find("#next [data-decision='1']"))
            form = self.form("Decision 1", "#next")
            self.fill(form, Reward="0.5")
            self.browser.switch_to.window(second)
            self.press("Skip", "#next [data-decision='1']")
            self.wait_for_text("#report", "No outcome is pending.")
            self.browser.switch_to.window(first)
            self.wait_for_text("#next [data-decision='1']", "Changed elsewhere.")
            self.assertEqual(self.control(form, "Reward").get_attribute("value"), "0.5", "what is typed stays")
            self.press("Dismiss", "#next [data-decision='1']")
            self.wait_for(lambda: not self.find("#next [data-decision='1']"))
            self.wait_for_text("#log", "decision 1: void.")
        finally:
            self.browser.switch_to.window(second)
            self.browser.close()
            self.browser.switch_to.window(first)

    def test_what_is_typed_stays_when_others_change_the_study(self):
        self.server.create("typed")
        self.server.decide("typed", 2)
        self.open_study("typed")
        form = self.form("Decision 2", "#next")
        self.fill(form, Reward="0.375")
        self.server.settle("typed", {1: 0.5})
        self.wait_for(lambda: not self.find("#next [data-decision='1']"))
        self.assertEqual(self.control(form, "Reward").get_attribute("value"), "0.375")
        self.press("Done", form)
        self.wait_for(lambda: self.server.ask("GET", "/typed")["pending"] == 0)
        self.assertEqual(self.server.events("typed")[-1]["reward"], 0.375)

    def test_what_is_typed_stays_when_others_decide_the_next_round_or_settle_the_decision(self):
        self.server.create("drafts")
        self.server.decide("drafts")
        self.open_study("drafts")
        form = self.form("Decision 1", "#next")
        self.fill(form, Reward="0.375")
        self.server.decide("drafts")
        self.wait_for(lambda: self.find("#next [data-decision='2']"))
        self.assertEqual(self.control(form, "Reward").get_attribute("value"), "0.375")
        self.server.settle("drafts", {2: 0.5})
        self.wait_for(lambda: not self.find("#next [data-decision='2']"))
        self.assertEqual(self.control(form, "Reward").get_attribute("value"), "0.375")
        self.press("Done", form)
        self.wait_for(lambda: not self.find("#next [data-decision='1']"))
        self.assertEqual(self.server.events("drafts")[-1]["reward"], 0.375)

    def test_a_killed_server_is_waited_for_and_nothing_is_lost(self):
        self.expected_errors = LOST
        self.server.create("killed")
        self.server.decide("killed", 3)
        self.open_study("killed")
        form = self.form("Decision 2", "#next")
        old = self.server
        old.end(signal.SIGKILL)
        self.wait_for_text("#banner", "The server cannot be reached.")
        self.fill(form, Reward="0.625")
        self.press("Done", form)  # while there is no server
        type(self).server = Server(old.folder, old.port)
        self.wait_for(lambda: not self.find("#next [data-decision='2']"))
        self.wait_for(lambda: not self.find("#banner").is_displayed())
        settled = [event for event in self.server.events("killed") if event["event"] == "settled"]
        self.assertEqual([(event["decision"], event["reward"]) for event in settled], [(2, 0.625)])
        self.server.settle("killed", {3: 0.5})  # changes are followed again
        self.wait_for(lambda: not self.find("#next [data-decision='3']"))

    def test_a_request_whose_answer_is_lost_is_repeated_with_its_key(self):
        self.script_before_the_page("""
            const original = window.fetch;
            window.lostAnswers = 0;
            window.fetch = async (path, options) => {
              const response = await original(path, options);
              if (options?.method !== 'POST' || window.lostAnswers >= 2) return response;
              if (++window.lostAnswers === 1) throw new TypeError('Failed to fetch');
              return new Response('{"detail": "busy"}', {status: 503, headers: {'retry-after': '0.01'}});
            };""")
        self.server.create("once")
        self.open_study("once")
        self.press("Decide", "#next")
        self.wait_for_text("#next", "1 decision made.")
        self.assertEqual(self.browser.execute_script("return window.lostAnswers"), 2)
        self.assertEqual(len(self.server.events("once")), 2)

    def test_a_token_is_asked_for_and_sent(self):
        self.script_before_the_page("""
            const original = window.fetch;
            window.fetch = async (path, options) => {
              const sent = new Headers(options?.headers).get('authorization');
              if (!path.includes('/v1/') || sent === 'Bearer right') return original(path, options);
              return new Response('{"detail": "this service needs a token"}', {status: 401});
            };""")
        self.server.create("guarded")
        self.open("#/study/guarded")
        form = self.form("Token", "body")
        self.fill(form, Token="“right”")
        self.press("Use this token", form)
        self.wait_for_text("#token", "token: has a character that no token has")
        for token in ("wrong", "right"):
            form = self.form("Token", "body")
            self.assertIn("this service needs a token", form.text)
            self.fill(form, Token=token)
            self.press("Use this token", form)
            self.wait_for(lambda form=form: form not in self.browser.find_elements(By.CSS_SELECTOR, "#token form"))
        self.wait_for_text("#next .lead", "Pull arm")
        self.press("Decide", "#next")
        self.wait_for(lambda: self.find("#next [data-decision='1']"))
        self.server.settle("guarded", {1: 0.5})  # the stream has the token, too
        self.wait_for_text("#report", "No outcome is pending.")
        self.assertIn("at once, by server-sent events", self.text("#health"))
        self.open("#/study/guarded")  # the window remembers the token
        self.wait_for_text("#next .lead", "Pull arm")
        self.assertIsNone(self.find("#token"))
        self.browser.execute_script("sessionStorage.clear()")

    def test_a_token_for_one_study_leads_to_it(self):
        self.script_before_the_page("""
            const original = window.fetch;
            const refused = JSON.stringify({detail: "the token is only for the study 'mine'"});
            window.fetch = async (path, options) =>
              path === '/v1/studies' ? new Response(refused, {status: 403}) : original(path, options);""")
        self.server.create("mine")
        self.open()
        self.wait_for_text("#studies", "The token is for one study:")
        for hidden in ("#new", "#demo"):
            self.assertFalse(self.find(hidden).is_displayed())
        self.find("#studies a").click()
        self.wait_for_text("#next .lead", "Pull arm")

    def test_without_a_stream_the_study_is_polled(self):
        self.script_before_the_page("""
            const original = window.fetch;
            window.fetch = async (path, options) => {
              if (options?.headers?.accept === 'text/event-stream') throw new TypeError('Failed to fetch');
              return original(path, options);
            };""")
        self.server.create("polled")
        self.open_study("polled")
        self.wait_for_text("#next .lead", "Pull arm")
        self.server.decide("polled")
        self.wait_for(lambda: self.find("#next [data-decision='1']"))
        self.server.settle("polled", {1: 0.5})
        self.wait_for(lambda: not self.find("#next [data-decision='1']"))
        self.wait_for_text("#health", "every 3 seconds")

    def test_a_study_is_polled_if_a_proxy_holds_back_the_stream(self):
        self.script_before_the_page("""
            const [wait, original] = [window.setTimeout, window.fetch];
            window.setTimeout = (act, milliseconds, ...rest) => wait(act, (milliseconds ?? 0) / 20, ...rest);
            window.fetch = async (path, options) => {
              if (options?.headers?.accept !== 'text/event-stream') return original(path, options);
              return new Response(new ReadableStream({start: (stream) =>
                options.signal.addEventListener('abort', () => stream.error(options.signal.reason))}));
            };""")
        self.server.create("withheld")
        self.open_study("withheld")
        self.wait_for_text("#health", "at once")

        def polls():
            self.server.decide("withheld")  # the page says it with the next change
            time.sleep(0.5)
            return "every 3 seconds" in self.text("#health")
        self.wait_for(polls)

    def test_a_server_that_hangs_is_noticed_and_waited_for(self):
        self.expected_errors = LOST
        self.script_before_the_page("""
            const [wait, limit] = [window.setTimeout, AbortSignal.timeout];  // an hour of the page takes three minutes
            window.setTimeout = (act, milliseconds, ...rest) => wait(act, (milliseconds ?? 0) / 20, ...rest);
            AbortSignal.timeout = (milliseconds) => limit.call(AbortSignal, milliseconds / 20);""")
        self.server.create("hung")
        self.open_study("hung")
        self.wait_for_text("#health", "at once")
        self.server.process.send_signal(signal.SIGSTOP)
        try:
            self.wait_for_text("#banner", "The server cannot be reached.")
        finally:
            self.server.process.send_signal(signal.SIGCONT)
        self.wait_for(lambda: not self.find("#banner").is_displayed())
        self.server.decide("hung")
        self.wait_for(lambda: self.find("#next [data-decision='1']"))

    def test_after_an_older_backup_an_outcome_is_never_that_of_another_decision(self):
        self.expected_errors = (*LOST, "409")
        self.server.create("restored")
        port, folder = self.server.port, self.server.folder
        backup = folder.with_name("backup")
        self.server.end()
        shutil.copytree(folder, backup)
        type(self).server = Server(folder, port)
        self.server.decide("restored", among=["tea"])
        self.open_study("restored")
        form = self.form("Decision 1", "#next")
        self.server.end(signal.SIGKILL)
        self.wait_for_text("#banner", "The server cannot be reached.")
        self.fill(form, Reward="0.5")
        self.press("Done", form)  # while there is no server
        shutil.rmtree(folder)
        backup.rename(folder)
        type(self).server = Server(folder)  # where the page does not see it
        self.server.decide("restored", among=["coffee"])
        self.server.end()
        type(self).server = Server(folder, port)
        self.wait_for_text("#next .rows", "decision 1 is for arm 'coffee', not 'tea'")
        self.assertEqual([event["event"] for event in self.server.events("restored")], ["created", "decided"])
        self.assertEqual(self.control(form, "Reward").get_attribute("value"), "0.5", "what was typed is kept")
        self.wait_for(lambda: self.texts("#next .rows strong") == ["tea", "coffee"])
        self.wait_for(lambda: self.texts("#report .rows strong") == ["coffee"])
        self.press("Dismiss", "#next .rows")
        self.assertEqual(self.texts("#next .rows strong"), ["coffee"])
        other = self.form("Decision 1", "#next")
        self.fill(other, Reward="0.75")
        self.press("Done", other)
        self.wait_for_text("#report", "No outcome is pending.")
        self.assertEqual(self.server.events("restored")[-1]["reward"], 0.75)


class Interface(ServicePageTest):
    """What the page needs from the interface, in addition to what clients need."""

    def test_a_series_has_the_known_rewards_and_counts_what_was_not_followed(self):
        self.server.create("series")
        decisions = self.server.decide("series", 8)
        self.server.settle("series", {1: 0.5, 2: 0.25, 4: 0.125})
        self.server.ask("PUT", "/series/decisions/3/outcome", {"kind": "void"})
        self.server.ask("PUT", "/series/decisions/5/outcome", {"kind": "lost"})
        self.server.ask("POST", "/series/observations", {"arm": "tea", "reward": 1}, "seen")
        series = self.server.ask("GET", "/series/series?points=100")
        self.assertEqual([point[4] for point in series["total"]], [0.5, 0.75, 0.875, 1.875])
        self.assertEqual((series["voided"], series["observations"]), (1, 1))
        pulled = [decision["arm"] for decision in decisions if decision["id"] != 3] + ["tea"]
        self.assertEqual([sum(counts) for counts in series["allocation"]["arms"]],
                         [pulled.count("tea"), pulled.count("coffee")])

    def test_the_events_of_a_decision_are_found(self):
        self.server.create("found")
        self.server.decide("found", 3)
        self.server.decide("found", 2)
        self.server.settle("found", {4: 0.5, 2: 0.25})
        self.server.ask("POST", "/found/corrections", {"decision": 4, "reward": 0.75, "reason": "typo"}, "typo")
        found = self.server.ask("GET", "/found/events?decision=4")
        self.assertEqual([event["event"] for event in found], ["decided", "settled", "corrected"])
        self.assertEqual([event["seq"] for event in found], [2, 3, 5])
        self.assertEqual([event["seq"] for event in self.server.ask("GET", "/found/events?decision=1")], [1])
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.server.ask("GET", "/found/events?decision=6")
        self.assertEqual(refused.exception.code, 404)
        refused.exception.close()

    def test_the_advice_is_what_the_study_decides_next(self):
        """Pending pulls count as made, and unavailable arms are not advised."""
        self.server.create("advised", arms=["a", "b", "c"], budget=90)
        for step in range(40):
            if step == 20:
                self.server.ask("POST", "/advised/changes", {"unavailable": ["b"]}, "without b")
            advice = self.server.ask("GET", "/advised/recommendation")
            state = self.server.ask("GET", "/advised")
            self.assertEqual((advice["pending"], advice["remaining"]), (state["pending"], state["left"]))
            [decision] = self.server.decide("advised")
            self.assertEqual([arm["name"] for arm in advice["next"]], [decision["arm"]], f"step {step}")
            if decision["id"] % 3:
                self.server.settle("advised", {decision["id"]: {"a": 0.3, "b": 0.5, "c": 0.4}[decision["arm"]]
                                               + 0.01 * (decision["id"] % 7)})


if __name__ == "__main__":
    main()
