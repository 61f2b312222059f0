"""The page of `longrun serve`: decisions, their outcomes, pulls without a decision, and corrections.

usage: service_page_outcomes_test.py LONGRUN_BINARY SCRATCH_FOLDER
"""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from page_in_browser import main, setUpModule
from service_page_in_browser import ServicePageTest


class Outcomes(ServicePageTest):
    """Studies that are asked and told by the page."""

    def test_decisions_are_made_and_settled_in_each_way(self):
        self.expected_errors = ("422",)
        self.server.create("ways")
        self.open_study("ways")
        self.fill(self.form("Decide"), Decisions="4")
        self.press("Decide", "#next")
        self.wait_for(lambda: len(self.texts("#next .rows > li")) == 4)
        first = self.form("Decision 1", "#next")
        self.fill(first, Reward="70")
        self.press("Done", first)
        self.assertIn("further outside the scale", self.error_at(first, "Reward"))
        self.fill(first, Reward="0.25")
        self.press("Done", first)
        self.wait_for(lambda: not self.find("#next [data-decision='1']"))
        self.press("Skip", "#next [data-decision='2']")
        self.wait_for(lambda: not self.find("#next [data-decision='2']"))
        arm = self.texts("#next [data-decision='3'] strong")[0]
        self.press("Did something else", "#next [data-decision='3']")
        instead = self.form("Another arm instead of decision 3")
        other = {"tea": "coffee", "coffee": "tea"}[arm]
        self.fill(instead, Pulled_instead=other, Its_reward="0.75")
        self.press("Record", instead)
        self.wait_for(lambda: not self.find("#next [data-decision='3']"))
        self.press("Lost", "#report [data-decision='4']")
        self.wait_for_text("#report", "No outcome is pending.")
        told = [{key: event[key] for key in ("event", "decision", "outcome", "reward", "arm") if key in event}
                for event in self.server.events("ways")[2:]]
        self.assertEqual(told, [
            {"event": "settled", "decision": 1, "outcome": "observed", "reward": 0.25},
            {"event": "settled", "decision": 2, "outcome": "void"},
            {"event": "settled", "decision": 3, "outcome": "void"},
            {"event": "pulled_instead", "decision": 5, "arm": other},
            {"event": "settled", "decision": 5, "outcome": "observed", "reward": 0.75},
            {"event": "settled", "decision": 4, "outcome": "lost"}])
        self.wait_for_text("#log", f"Pulled in place of decision 3: decision 5 {other}.")
        self.wait_for_text("#health", "2 of 4 decisions (50 %) are void")
        self.assertIn("1 pull\n", self.text("#health") + "\n")

    def test_a_table_names_the_arms_of_its_decisions_and_a_slipped_row_is_refused(self):
        self.server.create("slipped", budget=3)
        self.open_study("slipped")
        self.fill(self.form("Decide"), Decisions="5")
        self.press("Decide", "#next")
        self.wait_for(lambda: len(self.texts("#next .rows > li")) == 3)  # the budget has no more
        arms = [each["arm"] for each in self.server.events("slipped")[1]["decisions"]]
        self.unfold("Many outcomes: paste or drop a CSV file")
        form = self.form("Outcomes as a table")
        rows = [f"{number},{arm}" for number, arm in enumerate(arms, 1)]
        wrong = {"tea": "coffee", "coffee": "tea"}[arms[1]]
        self.fill(form, Outcomes=f"decision,arm,reward\n{rows[0]},0.5\n2,{wrong},0.25\n")
        self.press("Check", form)
        self.wait_for_text("#report", f"decision 2 is for arm '{arms[1]}', not '{wrong}'")
        self.fill(form, Outcomes=f"decision,arm,reward\n{rows[0]},0.5\n{rows[1]},0.25\n")
        self.press("Check", form)
        self.wait_for_text("#report", "2 new outcomes: no errors.")

    def test_a_decimal_comma_is_read_as_one_and_never_dropped(self):
        self.server.create("comma", scale=[0, 100])
        self.server.decide("comma", 2)
        self.open_study("comma")
        form = self.form("Decision 1", "#next")
        for typed, said in (("1,234", "'1,234' can mean 1.234 or 1234"),
                            ("1.234,5", "'1.234,5' has a separator of thousands"),
                            ("71,2,", "'71,2,' is not a number"), ("many", "'many' is not a number"), ("", "missing")):
            self.fill(form, Reward=typed)
            self.press("Done", form)
            self.assertIn(f"reward: {said}", self.error_at(form, "Reward"))
        self.fill(form, Reward="71,2")
        self.assertEqual(form.find_element(By.CSS_SELECTOR, ".reading").text, "read as 71.2")
        self.press("Done", form)
        self.wait_for(lambda: not self.find("#next [data-decision='1']"))
        form = self.form("Decision 2", "#next")
        self.fill(form, Reward="71.25")
        self.assertEqual(form.find_element(By.CSS_SELECTOR, ".reading").text, "")
        self.press("Done", form)
        self.wait_for(lambda: not self.find("#next [data-decision='2']"))
        self.assertEqual([event["reward"] for event in self.server.events("comma")[2:]], [71.2, 71.25])
        form = self.form("Decide")
        self.fill(form, Decisions="1,5")
        self.press("Decide", form)
        self.assertIn("'1,5' is not a whole number", self.error_at(form, "Decisions"))
        self.fill(form, Decisions="10.000")
        self.press("Decide", form)
        self.assertIn("'10.000' is not a whole number", self.error_at(form, "Decisions"))
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "input[type='number']"), [])

    def test_every_text_is_one_number_or_refused(self):
        self.open()
        texts = {"71.2": 71.2, " 71,2 ": 71.2, "0,125": 0.125, "-0,5": -0.5, ",5": 0.5, ".5": 0.5, "5.": 5, "1234,567": 1234.567,
                 "12,3456": 12.3456, "1.234": 1.234, "1e3": 1000, "2,5e-1": 0.25, "\u22123": -3, "007": 7, "1000000": 1e6,
                 "1,234": None, "-1,234": None, "12,345": None, "1.234,5": None, "1,234.5": None, "1 234": None,
                 "1'234": None, "1.234.567": None, "1,2,3": None, "1,": None, ",": None, ".": None, "0x10": None,
                 "Infinity": None, "1e999": None, "NaN": None, "1_000": None, "7 1": None, "": None}
        found = self.browser.execute_async_script("""
            const [texts, done] = arguments;
            import('/number.js').then(({readNumber}) => done(texts.map(text => readNumber(text).value ?? null)));""",
                                                  list(texts))
        self.assertEqual(dict(zip(texts, found, strict=True)), texts)
        readings = {"10.000": "read as 10", " -1.234": "read as -1.234", "71,2": "read as 71.2", "71.2": "", "0.125": "",
                    "1234.567": "", "10000": "", "1,234": ""}
        said = self.browser.execute_async_script("""
            const [texts, done] = arguments;
            import('/number.js').then(({readingOf}) => done(texts.map(text => readingOf(text))));""", list(readings))
        self.assertEqual(dict(zip(readings, said, strict=True)), readings)

    def test_what_is_said_of_a_number_is_what_is_read(self):
        self.server.create("said", budget=5000)
        self.open_study("said")
        for label, name, button, text, said in (
                ("Extend the budget", "More budget", "Extend the budget", "1.000", "budget: '1.000' can mean 1 or 1000"),
                ("Decide", "Decisions", "Decide", "1.000", "count: '1.000' is not a whole number")):
            form = self.form(label)
            self.fill(form, **{name.replace(" ", "_"): text})
            self.assertEqual(form.find_element(By.CSS_SELECTOR, ".reading").text, "")
            self.press(button, form)
            self.assertIn(said, self.error_at(form, name))
        form = self.form("Extend the budget")
        self.fill(form, More_budget="1.250")
        self.assertEqual(form.find_element(By.CSS_SELECTOR, ".reading").text, "read as 1.25")
        self.assertEqual(len(self.server.events("said")), 1)

    def test_what_was_refused_stays_although_the_decision_is_settled_by_others(self):
        self.expected_errors = ("422",)
        self.server.create("kept")
        self.server.decide("kept", 2)
        self.open_study("kept")
        form = self.form("Decision 1", "#next")
        self.fill(form, Reward="70")
        self.press("Done", form)
        self.assertIn("further outside the scale", self.error_at(form, "Reward"))
        self.server.settle("kept", {1: 0.5, 2: 0.25})
        self.wait_for(lambda: not self.find("#next [data-decision='2']"))
        self.assertEqual(self.control(form, "Reward").get_attribute("value"), "70")
        self.press("Dismiss", "#next [data-decision='1']")
        self.assertIsNone(self.find("#next [data-decision='1']"))

    def test_something_else_is_recorded_with_the_void_decision_or_not_at_all(self):
        self.expected_errors = ("422", "409")
        self.server.create("else", arms=["tea", "coffee", "water"])
        [decision] = self.server.decide("else")
        self.open_study("else")
        self.press("Did something else", "#next [data-decision='1']")
        form = self.form("Another arm instead of decision 1")
        other = next(arm for arm in ("tea", "coffee", "water") if arm != decision["arm"])
        self.fill(form, Pulled_instead=other, Its_reward="70")
        self.press("Record", form)
        self.assertIn("further outside the scale", self.error_at(form, "Its reward"))
        self.assertEqual(len(self.server.events("else")), 2)
        self.server.settle("else", {1: 0.25})  # by someone else
        self.wait_for_text("#report", "No outcome is pending.")
        self.fill(form, Its_reward="0.5")
        self.press("Record", form)
        self.wait_for_text("#next .rows", "decision 1 has another outcome already")
        self.assertEqual(self.control(form, "Its reward").get_attribute("value"), "0.5")
        self.assertEqual(len(self.server.events("else")), 3, "no pull is recorded beside the outcome")

    def test_something_else_is_recorded_when_the_budget_is_spent(self):
        self.server.create("spent", budget=1)
        self.server.decide("spent")
        self.open_study("spent")
        self.wait_for(lambda: self.find("#next [data-decision='1']"))
        self.press("Did something else", "#next [data-decision='1']")
        instead = self.form("Another arm instead of decision 1")
        self.fill(instead, Its_reward="0.5")
        self.press("Record", instead)
        self.wait_for(lambda: [event["event"] for event in self.server.events("spent")] ==
                      ["created", "decided", "settled", "pulled_instead", "settled"])
        self.wait_for_text(".summary", "budget spent")

    def test_the_keyboard_alone_is_enough_to_decide_and_report(self):
        self.server.create("keys")
        self.open_study("keys")
        self.control(self.form("Decide"), "Decisions").send_keys(Keys.ENTER)
        self.wait_for(lambda: self.find("#next [data-decision='1']"))
        keys = ActionChains(self.browser)
        keys.send_keys(Keys.TAB).perform()  # from the field to the button
        self.wait_for(lambda: self.browser.switch_to.active_element.text == "Decide")
        for _ in range(2):  # the link of the decision, then its reward
            keys.send_keys(Keys.TAB).perform()
        outline = self.browser.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
        self.assertEqual(outline, "solid")
        keys.send_keys("0.5", Keys.ENTER).perform()
        self.wait_for(lambda: self.server.ask("GET", "/keys")["pending"] == 0)
        self.assertEqual(self.server.events("keys")[-1]["reward"], 0.5)

    def test_a_table_is_checked_first_and_recorded_as_a_whole(self):
        self.expected_errors = ("400",)
        self.server.create("table")
        self.server.decide("table", 5)
        self.open_study("table")
        self.unfold("Many outcomes: paste or drop a CSV file")
        form = self.form("Outcomes as a table")
        self.fill(form, Outcomes="decision,reward\n1,0.5\n2,50\n99,0.1\n")
        self.press("Check", form)
        self.wait_for_text("#report", "2 lines have errors; nothing is recorded.")
        self.assertEqual(self.texts("#report tbody th"), ["3", "4"])
        self.assertIn("there is no decision 99", self.text("#report tbody"))
        self.assertNotIn("Record all", self.text("#report"))
        self.fill(form, Outcomes="decision,reward\n1,half\n2,0.5\nx,0.5\n99,0.5\n3,0.5,late\n")
        self.press("Check", form)
        self.wait_for_text("#report", "4 lines have errors; nothing is recorded.")
        self.assertEqual(self.texts("#report tbody th"), ["2", "4", "5", "6"])
        self.assertIn("column 2 (reward)", self.text("#report tbody"))
        self.fill(form, Outcomes="decision,reward,kind\n1,0.5,\n2,,lost\n3,0.25,observed\n")
        self.press("Check", form)
        self.wait_for_text("#report", "3 new outcomes: no errors. Nothing is recorded yet.")
        self.assertNotIn("column id", self.text("#report form"))  # a decision has one outcome
        self.assertEqual(self.server.ask("GET", "/table")["pending"], 5)
        self.press("Record all", form)
        self.wait_for_text("#report", "3 outcomes recorded.")
        self.assertEqual(self.server.ask("GET", "/table")["pending"], 2)
        self.wait_for_text("#report", "2 decisions are pending")

    def test_a_table_of_pulls_without_a_decision_is_recorded_once(self):
        self.server.create("pulls")
        self.server.ask("POST", "/pulls/observations", {"arm": "tea", "reward": 0.5, "id": "a"})
        self.open_study("pulls")
        self.unfold("Many pulls without a decision: paste or drop a CSV file")
        form = self.form("Pulls without a decision as a table")
        self.fill(form, Pulls="arm,reward,id\ntea,0.5,a\nmilk,0.5,b\n")
        self.press("Check", form)
        self.wait_for_text("#report", "1 line has an error; nothing is recorded.")
        self.fill(form, Pulls="arm,reward,id\ntea,0.5,a\ncoffee,0.75,b\n")
        self.press("Check", form)
        self.wait_for_text("#report", "1 new pull, 1 known already: no errors. Nothing is recorded yet.")
        self.press("Record all", form)
        self.wait_for_text("#report", "1 pull recorded, 1 known already.")
        self.fill(form, Pulls="arm,reward\ncoffee,0.75\ncoffee,0.75\n")  # without ids: a key
        self.press("Check", form)
        self.wait_for_text("#report", "2 new pulls: no errors. Nothing is recorded yet. The table has no column id: "
                           "recorded again, its pulls count again.")
        self.press("Record all", form)
        self.wait_for_text("#report", "2 pulls recorded.")
        self.assertEqual(self.server.ask("GET", "/pulls")["spent"], 4)
        self.wait_for_text("#arms tbody", "coffee")
        self.assertIn("of last", self.text("#arms thead"))
        for arm in self.server.ask("GET", "/pulls/recommendation")["arms"]:
            self.assertIn(str(arm["reward_now"]["pulls"]), self.text("#arms tbody"))

    def test_a_budget_that_is_overspent_is_pointed_out(self):
        self.server.create("over", budget=2)
        self.server.decide("over")
        self.server.ask("PUT", "/over/decisions/1/outcome", {"kind": "void"})
        self.server.decide("over", 2)
        self.server.settle("over", {2: 0.5, 3: 0.5})
        self.server.ask("POST", "/over/corrections", {"decision": 1, "reward": 0.5, "reason": "made after all"}, "c")
        self.open_study("over")
        self.wait_for_text("body", "3 of 2, overspent by 1")
        self.wait_for_text("#next", "The budget of 2 units is overspent by 1")
        self.open()
        self.wait_for_text("#studies", "budget overspent")

    def test_a_file_is_checked_when_it_is_chosen(self):
        self.server.create("file")
        self.server.decide("file", 2)
        file = self.folder / "outcomes.csv"
        file.write_text("decision;reward\n1;0.5\n2;0.75\n")
        self.open_study("file")
        self.unfold("Many outcomes: paste or drop a CSV file")
        form = self.form("Outcomes as a table")
        self.control(form, "Or a file").send_keys(str(file))
        self.wait_for_text("#report", "2 new outcomes: no errors.")
        self.press("Record all", form)
        self.wait_for_text("#report", "2 outcomes recorded.")

    def test_an_outcome_is_corrected_with_a_reason_and_the_log_tells_all_of_it(self):
        self.expected_errors = ("409",)
        self.server.create("wrong")
        self.server.decide("wrong", 2)
        self.server.settle("wrong", {1: 0.9})
        self.open_study("wrong")
        self.wait_for_text("#log", "decision 1: reward 0.9.")
        self.find("#log [data-seq='2'] a").click()
        self.wait_for_text("#log", "Events of decision 1.")
        self.assertEqual(self.browser.execute_script("return location.hash"), "#/study/wrong/decision/1")
        self.unfold("Correct an outcome")
        form = self.form("Correct an outcome")
        self.assertEqual(self.control(form, "Decision").get_attribute("value"), "1")
        self.fill(form, Reward="0.19")
        self.press("Correct", form)
        self.assertIn("missing", self.error_at(form, "Reason"))
        self.fill(form, Reason="comma in the <b>wrong</b> place")
        self.press("Correct", form)
        self.wait_for_text("#log .log", "decision 1 corrected: reward 0.19.")
        self.assertEqual(len(self.texts("#log .log li")), 3)
        self.assertIn("Reason: comma in the <b>wrong</b> place", self.text("#log .log"))
        self.fill(form, Decision="2", Reward="0.5", Reason="too early")
        self.press("Correct", form)
        self.assertIn("pending", self.error_at(form, "Decision"))
        next(link for link in self.browser.find_elements(By.CSS_SELECTOR, "#log a") if link.text == "All events").click()
        self.wait_for_text("#log", "of 4 events, newest first.")
        Select(self.control(form, "Outcome")).select_by_value("void")
        self.find("#log [data-seq='2'] a").click()
        self.wait_for_text("#log", "Events of decision 1.")
        self.assertEqual(self.control(form, "Outcome").get_attribute("value"), "observed", "another decision is no void")

    def test_a_file_that_is_not_utf8_is_refused_as_it_is(self):
        self.server.create("latin")
        file = self.folder / "pulls.csv"
        file.write_bytes("arm,reward,id\ntea,0.5,J\xf6rg\ntea,0.25,J\xe4rg\n".encode("latin-1"))
        self.open_study("latin")
        self.unfold("Many pulls without a decision: paste or drop a CSV file")
        form = self.form("Pulls without a decision as a table")
        self.fill(form, Pulls="arm,reward,id\ntea,0.5,a\n")
        self.control(form, "Or a file").send_keys(str(file))
        self.wait_for_text("#report", "pulls.csv is not UTF-8; save the file as UTF-8. Nothing is recorded.")
        self.assertEqual(self.control(form, "Pulls as CSV").get_attribute("value"), "", "nothing that is half read")
        self.assertNotIn("Record all", self.text("#report"))
        file.write_text("arm,reward,id\ntea,0.5,J\xf6rg\ntea,0.25,J\xe4rg\n", "utf-8")
        self.control(form, "Or a file").send_keys(str(file))
        self.wait_for_text("#report", "2 new pulls: no errors.")
        self.press("Record all", form)
        self.wait_for_text("#report", "2 pulls recorded.")
        self.assertEqual(self.server.ask("GET", "/latin")["spent"], 2)

    def test_a_correction_names_the_arm_that_the_decision_had_when_it_was_named(self):
        self.server.create("named")
        arm = self.server.decide("named", 1)[0]["arm"]
        self.server.settle("named", {1: 0.9})
        self.open_study("named")
        self.unfold("Correct an outcome")
        form = self.form("Correct an outcome")
        self.fill(form, Decision="1", Reward="0.19", Reason="typo")
        self.press("Correct", form)
        self.wait_for_text("#log", f"Decision 1, {arm}, is corrected.")

    def test_a_correction_names_the_arm_that_was_pulled_in_truth(self):
        self.server.create("mixed")
        arm = self.server.decide("mixed", 1)[0]["arm"]
        other = next(each["arm"] for each in self.server.ask("GET", "/mixed")["arms"] if each["arm"] != arm)
        self.server.settle("mixed", {1: 0.9})
        self.server.ask("POST", "/mixed/changes", {"add_arms": ["new"]}, "another arm")
        self.open_study("mixed")
        self.unfold("Correct an outcome")
        form = self.form("Correct an outcome")
        self.assertFalse(self.control(form, "Pulled instead").is_displayed())
        self.assertFalse(self.control(form, "Its reward").is_displayed())
        self.fill(form, Decision="1", Reason="mixed up")
        outcome = Select(self.control(form, "Outcome"))
        outcome.select_by_value("instead")
        pulled = Select(self.control(form, "Pulled instead"))
        self.server.ask("POST", "/mixed/changes", {"add_arms": ["newer"]}, "one more arm")
        self.wait_for(lambda: [option.get_attribute("value") for option in pulled.options] == ["", other, "new", "newer"])
        self.press("Correct", form)
        self.wait_for_text("#log", "choose the arm that was pulled")
        pulled.select_by_value(other)
        self.press("Correct", form)
        self.wait_for_text("#log", f"Decision 1, {arm}, is corrected. {other}, which was pulled instead, is decision 2.")
        pulls = {each["arm"]: each["pulls"] for each in self.server.ask("GET", "/mixed")["arms"]}
        self.assertEqual((pulls[arm], pulls[other]), (0, 1))
        self.fill(form, Decision="1", Reward="0.9", Reason="it was right")
        self.press("Correct", form)
        self.wait_for_text("#log", "Decision 2, which was pulled instead, is void.")
        outcome.select_by_value("void")
        self.fill(form, Decision="1", Reason="no, it was not")
        self.press("Correct", form)
        self.wait_for_text("#log", "Decision 2, which was pulled instead, stays void.")

    def test_a_pull_without_a_decision_is_corrected_from_the_log(self):
        self.server.create("typed-wrong")
        self.server.ask("POST", "/typed-wrong/observations", {"arm": "tea", "reward": 0.9, "id": "17"})
        self.open_study("typed-wrong")
        self.wait_for_text("#log", "Pulled without a decision: tea, reward 0.9, id 17.")
        self.press("Correct", "#log [data-seq='1']")
        form = self.form("Correct an outcome")
        self.assertEqual(self.control(form, "Entry").get_attribute("value"), "1")
        self.fill(form, Decision="1", Reward="0,19", Reason="comma forgotten")
        self.press("Correct", form)
        self.assertEqual(self.error_at(form, "Entry"), "give a decision or an entry, not both")
        self.fill(form, Decision="")
        self.press("Correct", form)
        self.wait_for_text("#log", "Pull of entry 1 corrected: reward 0.19.")
        self.wait_for_text("#log", "Entry 1 is corrected.")
        series = self.server.ask("GET", "/typed-wrong/series?points=5")
        self.assertEqual(series["total"][0][3], 0.19)
        self.press("Correct", "#log [data-seq='1']")
        Select(self.control(form, "Outcome")).select_by_value("void")
        self.fill(form, Reason="never done")
        self.press("Correct", form)
        self.wait_for_text("#log", "Pull of entry 1 corrected: void.")
        self.press("Correct", "#log [data-seq='1']")
        self.assertEqual(self.control(form, "Outcome").get_attribute("value"), "observed", "the next one is no void")
        self.assertTrue(self.control(form, "Reward").is_displayed())

    def test_a_closed_study_takes_the_outcomes_of_its_decisions(self):
        self.server.create("closing")
        self.server.decide("closing", 2)
        self.open_study("closing")
        self.wait_for(lambda: self.find("#next [data-decision='1']"))
        self.server.ask("POST", "/closing/close", {}, "the end")
        self.wait_for_text("#next .lead", "The study is closed.")
        self.press("Did something else", "#next [data-decision='2']")  # it was done, whatever came later
        instead = self.form("Another arm instead of decision 2")
        self.press("Record", instead)
        self.wait_for(lambda: self.find("#report [data-decision='3']"))
        self.assertIn("closed, waits for outcomes", self.text(".summary"))
        form = self.form("Decision 1", "#next")
        self.fill(form, Reward="0.5")
        self.press("Done", form)
        self.wait_for_text(".summary", "1 pending")
        self.assertEqual(self.server.events("closing")[-1]["reward"], 0.5)

    def test_a_pull_in_place_of_a_decision_gets_its_reward_later(self):
        self.server.create("later")
        [decision] = self.server.decide("later")
        other = {"tea": "coffee", "coffee": "tea"}[decision["arm"]]
        self.open_study("later")
        self.wait_for(lambda: self.find("#report [data-decision='1']"))
        self.press("Something else", "#report [data-decision='1']")
        self.press("Record", self.form("Another arm instead of decision 1", "#report"))
        form = self.form("Decision 2", "#report")
        self.assertIn(other, self.text("#report [data-decision='2']"))
        self.assertNotIn("Something else", self.text("#report [data-decision='2']"))
        self.fill(form, Reward="0.5")
        self.press("Report", form)
        self.wait_for_text("#report", "No outcome is pending.")
        arms = {each["arm"]: each["pulls"] for each in self.server.ask("GET", "/later")["arms"]}
        self.assertEqual(arms, {decision["arm"]: 0, other: 1})

    def test_a_shadow_only_watches(self):
        self.server.create("shadow", mode="shadow")
        self.open_study("shadow")
        self.assertFalse(self.find("#next form").is_displayed())
        self.unfold("A pull without a decision")
        form = self.form("A pull without a decision")
        self.fill(form, Arm="coffee", Reward="0.5")
        self.press("Record the pull", form)
        self.wait_for_text("#next", "0 of 1 pull were those that it advised")
        self.wait_for_text("#arms", "coffee")
        self.unfold("Let the study decide")
        self.press("Yes, go live", "#change")
        self.wait_for_text("#log", "The study is live from now on.")
        self.press("Decide", "#next")
        self.wait_for(lambda: self.find("#next [data-decision='1']"))

    def test_a_number_of_decisions_is_asked_for_unless_they_are_made_by_rounds(self):
        self.expected_errors = ("422",)
        for name, constraints in (("by-share", {"minimum_share": "tea:0.3"}), ("by-pulls", {"minimum_pulls": "3"})):
            self.server.create(name, constraints=constraints)
            self.open_study(name)
            self.fill(self.form("Decide"), Decisions="4")
            self.press("Decide", "#next")
            self.wait_for(lambda: len(self.texts("#next .rows > li")) == 4)
            self.assertIn("Decided last: what was done?", self.text("#next"))

    def test_rounds_are_decided_as_a_whole(self):
        self.server.create("rounds", constraints={"units_per_round": "5"})
        self.open_study("rounds")
        self.assertFalse(self.control(self.form("Decide"), "Decisions").is_displayed())
        self.press("Decide the next round", "#next")
        self.wait_for_text("#next", "Decided in round 1: what was done?")
        self.assertEqual(self.server.ask("GET", "/rounds")["pending"], 5)


if __name__ == "__main__":
    main()
