"""The page of `longrun serve` in a real browser: everything is done as a person would, and checked in the interface.

usage: service_page_test.py LONGRUN_BINARY SCRATCH_FOLDER
"""

import json
import signal
import subprocess
import time
import urllib.error
import urllib.request

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from page_in_browser import BINARY, PageTest, main, setUpModule

MOST_SECONDS = 30  # that anything may take


class Server:
    """A running `longrun serve`, and requests to it."""

    def __init__(self, folder, port=0):
        self.folder = folder
        self.process = subprocess.Popen([BINARY, "serve", "--data", folder, "--port", str(port)],
                                        stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.url = self.process.stdout.readline().split()[1]
        self.port = int(self.url.rstrip("/").rsplit(":", 1)[1])

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(MOST_SECONDS)
        self.process.stdout.close()

    def ask(self, method, path, body=None, key=None):
        headers = {"content-type": "application/json"}
        if key:
            headers["idempotency-key"] = key
        request = urllib.request.Request(self.url + "v1/studies" + path, method=method, headers=headers,
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=MOST_SECONDS) as response:
            text = response.read().decode()
        return [json.loads(line) for line in text.splitlines()] if "/events" in path else json.loads(text)

    def create(self, name, arms=("tea", "coffee"), budget=100, **more):
        self.ask("POST", "", {"name": name, "arms": list(arms), "budget": budget, **more})

    def decide(self, name, count=1):
        key = f"test {time.monotonic_ns()}"
        return self.ask("POST", f"/{name}/decisions", {"count": count}, key)["decisions"]

    def settle(self, name, rewards):
        outcomes = [{"decision": decision, "reward": reward} for decision, reward in rewards.items()]
        self.ask("POST", f"/{name}/outcomes", {"outcomes": outcomes})

    def events(self, name):
        return self.ask("GET", f"/{name}/events")


class ServicePageTest(PageTest):
    """A server with its own folder, and its page in the browser. No test may cause an error in the console."""
    server = None

    @classmethod
    def make_page(cls):
        cls.server = Server(cls.folder / "data")
        cls.addClassCleanup(lambda: cls.server.end())

    def setUp(self):
        self.scheme("light")
        self.browser.set_window_size(1280, 1000)
        self.browser.get("about:blank")
        self.browser.get_log("browser")
        self.expected_errors = ()

    def tearDown(self):
        messages = [entry["message"] for entry in self.browser.get_log("browser")]
        unexpected = [text for text in messages if not any(part in text for part in self.expected_errors)]
        self.assertEqual(unexpected, [])

    def scheme(self, name):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                     {"features": [{"name": "prefers-color-scheme", "value": name}]})

    def open(self, place=""):
        self.browser.get("about:blank")  # an address that differs only after # would not be loaded again
        self.browser.get(self.server.url + place)

    def open_study(self, name):
        self.open(f"#/study/{name}")
        self.wait_for(lambda: self.find("#next .lead"))

    # ---- what is on the page

    def wait_for(self, condition, message="the page did not change"):
        end = time.monotonic() + MOST_SECONDS
        while time.monotonic() < end:
            try:
                if found := condition():
                    return found
            except StaleElementReferenceException:
                pass
            time.sleep(0.02)
        self.fail(f"{message}: {self.browser.find_element(By.TAG_NAME, 'body').text[:1500]}")

    def wait_for_text(self, selector, text):
        self.wait_for(lambda: text in self.text(selector), f"'{text}' is not in {selector}")

    def find(self, selector):
        return next(iter(self.browser.find_elements(By.CSS_SELECTOR, selector)), None)

    def text(self, selector):
        return self.browser.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map(node => node.innerText).join('\\n')", selector)

    def texts(self, selector):
        return self.browser.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map(node => node.innerText)", selector)

    # ---- what a person does

    def form(self, label, within="main"):
        return self.wait_for(lambda: next((form for form in self.browser.find_elements(By.CSS_SELECTOR, f"{within} form")
                                           if form.get_attribute("aria-label") == label), None), f"no form '{label}'")

    def control(self, form, label):
        name = next(node for node in form.find_elements(By.TAG_NAME, "label")
                    if node.get_attribute("textContent").startswith(label))
        return form.find_element(By.ID, name.get_attribute("for"))

    def fill(self, form, **values):
        for label, value in values.items():
            control = self.control(form, label.replace("_", " "))
            if control.tag_name == "select":
                Select(control).select_by_visible_text(value)
            else:
                control.clear()
                control.send_keys(value)

    def press(self, text, within):
        """Presses a button in an element or in what a selector finds."""
        holder = self.find(within) if isinstance(within, str) else within
        button = next(node for node in holder.find_elements(By.TAG_NAME, "button") if node.text == text)
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()

    def unfold(self, text):
        summary = next(node for node in self.browser.find_elements(By.TAG_NAME, "summary") if node.text == text)
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", summary)
        summary.click()

    def error_at(self, form, label):
        """Waits for an error at a field, and returns it."""
        control = self.control(form, label)
        self.wait_for(lambda: control.get_attribute("aria-invalid") == "true", f"no error at {label}")
        error = control.get_attribute("aria-describedby").split()[-1]
        return self.find(f"#{error}").text

    def expect_only_own_requests(self):
        names = self.browser.execute_script("return performance.getEntriesByType('resource').map(entry => entry.name)")
        self.assertGreater(len(names), 10)
        self.assertEqual([name for name in names if not name.startswith(self.server.url)], [])

    def expect_every_control_has_a_name(self):
        self.assertEqual(self.browser.execute_script("""
            return [...document.querySelectorAll('input, select, textarea')].filter(node =>
                !node.labels.length || !node.labels[0].textContent.trim()).map(node => node.outerHTML)"""), [])


class FirstVisit(ServicePageTest):
    """A server without studies."""

    def test_a_demo_is_made_in_one_click_and_every_section_shows_it(self):
        self.expected_errors = ("willReadFrequently",)  # the test itself reads the charts
        self.open()
        self.wait_for(lambda: self.find("#demo button"))
        self.assertFalse(self.find("#studies").is_displayed())
        self.press("Make a demo study", "#demo")
        self.wait_for_text("h1", "Demo: lending to four groups")
        self.wait_for(lambda: self.find("#curves canvas[data-drawn]"))
        state = self.server.ask("GET", "/demo-lending")
        self.assertEqual(state["decisions"], 180)
        self.assertGreater(state["pending"], 5)
        self.assertIn(f"{state['pending']} pending", self.text(".summary"))
        advice = self.server.ask("GET", "/demo-lending/recommendation")
        self.wait_for_text("#next .lead", advice["what_to_do"])
        self.assertEqual(self.text("#next .why"), " ".join(advice["why"]))
        for sentence in advice["what_would_change"]:
            self.assertIn(sentence, self.text("#next"))
        self.assertEqual(sorted(self.texts("#arms tbody th")), sorted(arm["name"] for arm in advice["arms"]))
        self.assertEqual(self.texts("#arms tr.highlighted th"), [arm["name"] for arm in advice["next"]])
        self.assertEqual(len(self.texts("#arms .bar")), 4)
        pictures = set()
        for view in ("rewards", "allocation", "total"):
            self.find(f"[data-view='{view}']").click()
            self.wait_for(lambda: self.find(f"#curves canvas[data-view='{view}']"))
            canvas = self.find("#curves canvas")
            self.expect_ink([canvas], 0.01)
            pictures.add(self.picture(canvas))
        self.assertEqual(len(pictures), 3)
        self.expect_the_totals(state)
        self.expect_every_control_has_a_name()
        self.expect_only_own_requests()
        # Known and made: the list has it, and the demo is no longer offered.
        self.open()
        self.wait_for_text("#studies", "Demo: lending to four groups")
        self.assertFalse(self.find("#demo").is_displayed())
        self.assertIn("180 of 600", self.text("#studies"))

    def expect_the_totals(self, state):
        """The last chart ends at the sum of the rewards and at an equal split of the same number of pulls."""
        lines = self.browser.execute_script(
            "return Chart.getChart(arguments[0]).data.datasets.map(d => [d.label, d.data.at(-1).x, d.data.at(-1).y])",
            self.find("#curves canvas"))
        rewards = [event["reward"] for event in self.server.events("demo-lending") if event["event"] == "settled"]
        (total, at, value), (split, split_at, even) = lines
        self.assertEqual((total, split), ("total so far", "equal split, estimated"))
        self.assertEqual((at, split_at), (len(rewards), len(rewards)))
        self.assertEqual(at, state["decisions"] - state["pending"])
        self.assertAlmostEqual(value, sum(rewards), places=6)
        # The truth of the demo: what 155 / 4 pulls of each group bring without noise.
        self.assertAlmostEqual(even, self.equal_split_of_the_demo(len(rewards)), delta=4)

    def equal_split_of_the_demo(self, pulls):
        """Returns what the curves of the demo pay if all groups are chosen equally often, without noise."""
        self.browser.set_script_timeout(MOST_SECONDS)
        return self.browser.execute_async_script("""
            const [pulls, done] = arguments;
            import('/demo.js').then(({GROUPS}) => {
              let sum = 0;
              const curves = Object.values(GROUPS);
              for (let k = 0; k < pulls; ++k) sum += curves[k % curves.length](1 + Math.floor(k / curves.length));
              done(sum);
            });""", pulls)


class Working(ServicePageTest):
    """Studies that are made, asked and told by the page."""

    def test_a_study_is_created_by_the_form(self):
        self.expected_errors = ("422",)
        self.open()
        form = self.form("New study")
        self.fill(form, Name="my study", Arms="north\nsouth\n", Budget="40", Largest_reward="10")
        self.press("Create the study", form)
        self.assertIn("letters", self.error_at(form, "Name"))
        self.fill(form, Name="my-study", Title="Where to build")
        self.unfold("Noise, mode and constraints")
        self.fill(form, Minimum_share="west:0.2")
        self.press("Create the study", form)
        self.assertIn("'west' is not an arm", self.error_at(form, "Minimum share"))
        self.assertFalse(self.control(form, "Name").get_attribute("aria-invalid"))
        self.fill(form, Minimum_share="south:0.2")
        self.press("Create the study", form)
        self.wait_for_text("h1", "Where to build")
        state = self.server.ask("GET", "/my-study")
        self.assertEqual([arm["arm"] for arm in state["arms"]], ["north", "south"])
        self.assertEqual((state["budget"], state["scale"], state["mode"]), (40, [0, 10], "live"))
        self.assertEqual(state["constraints"], {"minimum_share": "south:0.2"})
        self.wait_for_text("#next .lead", "Pull arm")
        self.wait_for_text("#curves", "No pulls have been made yet.")
        self.wait_for_text("#report", "No outcome is pending.")

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
            {"event": "observed", "arm": other, "reward": 0.75},
            {"event": "settled", "decision": 3, "outcome": "void"},
            {"event": "settled", "decision": 4, "outcome": "lost"}])
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
            import('/number.js').then(({readingOf}) => done(texts.map(readingOf)));""", list(readings))
        self.assertEqual(dict(zip(readings, said, strict=True)), readings)

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
                      ["created", "decided", "settled", "observed"])
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
        self.fill(form, Outcomes="decision,reward\n1,half\n2,0.5\nx,0.5\n99,0.5\n3,0.5,\n")
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

    def test_the_log_is_paged_and_downloaded(self):
        self.server.create("long")
        self.server.decide("long", 45)
        self.server.settle("long", {k: 0.5 for k in range(1, 45)})
        self.open_study("long")
        self.wait_for_text("#log", "Events 45 to 26 of 46 events")
        for place, first in (("Events 25 to 6 of 46", "25"), ("Events 5 to 0 of 46", "5")):
            self.press("Older", "#log")
            self.wait_for_text("#log", place)
            self.wait_for(lambda first=first: self.texts("#log .seq")[0] == first)
        self.assertIn("Created with 2 arms and a budget of 100.", self.text("#log"))
        self.assertEqual(len(self.texts("#log .seq")), 6)
        self.press("Newer", "#log")
        self.wait_for_text("#log", "Events 25 to 6 of 46")
        link = self.find("#log a[download]")
        self.assertEqual(link.get_attribute("download"), "long.jsonl")
        with urllib.request.urlopen(link.get_attribute("href"), timeout=MOST_SECONDS) as response:
            self.assertEqual(len(response.read().splitlines()), 46)

    def test_a_plan_states_the_price_of_a_constraint(self):
        self.expected_errors = ("422",)
        self.server.create("planned", arms=["a, b", "plain"], budget=60)
        self.server.decide("planned", 12)
        self.server.settle("planned", {k: 0.8 if k % 2 else 0.3 for k in range(1, 13)})
        self.open_study("planned")
        form = self.form("Plan")
        self.fill(form, Value="2")
        self.press("Compute the plan", form)
        self.assertIn("minimum-share 2", self.error_at(form, "Value"))
        self.fill(form, Arm="a, b", Value="0.3")
        self.press("Add to the comparison", form)
        self.wait_for_text("#plan .chips", 'minimum-share "a, b":0.3')
        self.fill(form, Arm="plain", Value="0.4")
        self.press("Compute the plan", form)
        self.wait_for(lambda: self.find("#plan table"))
        plan = self.server.ask("GET", "/planned/plan?compare=minimum-share+%22a,+b%22:0.3&compare=minimum-share+plain:0.4")
        self.assertEqual(len(plan["what_constraints_cost"]), 2)
        for sentence in plan["what_constraints_cost"] + plan["what_is_earned"]:
            self.assertIn(sentence, self.text("#plan"))
        self.assertEqual(self.texts("#plan [aria-label='Courses'] tbody th"), [course["name"] for course in plan["courses"]])
        self.server.decide("planned")
        self.wait_for_text("#plan", "The study has changed since this plan was computed.")

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

    def test_ticks_stay_when_others_change_what_is_available(self):
        self.server.create("ticked", arms=["tea", "coffee", "water"])
        self.open_study("ticked")
        self.wait_for(lambda: self.find("#change input[value='tea']")).click()
        self.server.ask("POST", "/ticked/changes", {"unavailable": ["water"]}, "u")
        self.wait_for_text("#health", "Unavailable\nwater")
        boxes = {name: self.find(f"#change input[value='{name}']").is_selected() for name in ("tea", "coffee", "water")}
        self.assertEqual(boxes, {"tea": False, "coffee": True, "water": False})
        self.press("Set what is available", "#change")
        self.wait_for(lambda: self.server.ask("GET", "/ticked")["unavailable"] == ["tea", "water"])
        self.server.ask("POST", "/ticked/changes", {"unavailable": []}, "v")
        self.wait_for(lambda: self.find("#change input[value='tea']").is_selected(), "nothing is ticked by hand now")

    def test_a_new_study_with_doubtful_texts_is_refused(self):
        self.open()
        form = self.form("New study")
        self.fill(form, Name="doubtful", Arms="x, y, z", Budget="100")
        self.press("Create the study", form)
        self.assertEqual(self.error_at(form, "Arms"),
                         "arms: 'x, y, z' is one name; write each name on a line of its own")
        self.fill(form, Arms="x\ny", Budget="1.000")
        self.press("Create the study", form)
        self.assertEqual(self.error_at(form, "Budget"), "budget: '1.000' can mean 1 or 1000; write one of these")
        self.fill(form, Budget="1000")
        self.press("Create the study", form)
        self.wait_for_text(".summary", "0 of 1,000")
        self.wait_for_text("#health", "to be estimated from the rewards; none is known yet")

    def test_arms_budget_and_availability_are_changed_and_the_study_is_closed(self):
        self.expected_errors = ("422",)
        self.server.create("changed")
        self.open_study("changed")
        form = self.form("Add an arm")
        self.fill(form, New_arm="tea")
        self.press("Add the arm", form)
        self.assertIn("tea", self.error_at(form, "New arm"))
        self.fill(form, New_arm="water")
        self.press("Add the arm", form)
        self.wait_for_text("#change", "water")
        form = self.form("Extend the budget")
        self.fill(form, More_budget="50")
        self.press("Extend the budget", form)
        self.wait_for_text(".summary", "0 of 150")
        self.wait_for(lambda: self.find("#change input[value='tea']")).click()
        self.press("Set what is available", "#change")
        self.wait_for_text("#health", "Unavailable\ntea")
        self.wait_for_text("#arms", "tea (unavailable)")
        self.wait_for(lambda: "'tea'" not in self.text("#next .lead"))
        self.unfold("Close the study")
        self.press("Yes, close it", "#change")
        self.wait_for_text("#next", "The study is closed.")
        self.assertFalse(self.find("#next form").is_displayed())
        self.assertTrue(self.server.ask("GET", "/changed")["closed"])
        self.wait_for_text("#log", "Closed.")

    def test_noise_and_constraints_are_changed_by_their_forms(self):
        self.expected_errors = ("422",)
        self.server.create("rules", noise="gaussian:0.1", constraints={"minimum_pulls": "3"})
        self.open_study("rules")
        form = self.form("Change the constraints")
        self.wait_for(lambda: self.control(form, "Minimum pulls").get_attribute("value") == "3")
        self.fill(form, Minimum_share="milk:0.2")
        self.press("Change the constraints", form)
        self.assertIn("'milk' is not an arm", self.error_at(form, "Minimum share"))
        self.fill(form, Minimum_share="coffee:0.2", Minimum_pulls="")
        self.press("Change the constraints", form)
        self.wait_for_text("#log", "Constraints from now on: minimum share coffee:0.2.")
        self.assertEqual(self.server.ask("GET", "/rules")["constraints"], {"minimum_share": "coffee:0.2"})
        self.unfold("Correct the noise")
        form = self.form("Correct the noise")
        self.wait_for_text("#change", "Now: gaussian:0.1.")
        self.fill(form, Noise="normal, with this standard deviation", Standard_deviation="0,2")
        self.press("Correct the noise", form)
        self.wait_for_text("#log", "Noise: gaussian:0.2. What was decided stands.")
        self.fill(form, Noise="estimated from the rewards")
        self.press("Correct the noise", form)
        self.wait_for_text("#change", "Now: estimated from the rewards.")
        self.assertEqual(self.server.ask("GET", "/rules")["noise"], "estimate")

    def test_a_pull_without_a_decision_is_corrected_from_the_log(self):
        self.server.create("typed-wrong")
        self.server.ask("POST", "/typed-wrong/observations", {"arm": "tea", "reward": 0.9, "id": "17"})
        self.open_study("typed-wrong")
        self.wait_for_text("#log", "Pulled without a decision: tea, reward 0.9.")
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

    def test_units_and_unavailable_rounds_are_shown_as_they_were_given(self):
        self.server.create("parts", budget=30.5, constraints={"costs": "tea:1.5,coffee:1", "unavailable": "tea:1-3"})
        self.open_study("parts")
        self.wait_for_text(".summary", "0 of 30.5")
        self.wait_for_text("#log", "Created with 2 arms and a budget of 30.5.")
        self.wait_for_text("#arms", "tea (unavailable)")
        self.assertTrue(self.wait_for(lambda: self.find("#change input[value='tea']")).is_selected())
        form = self.form("Extend the budget")
        self.fill(form, More_budget="2,5")
        self.press("Extend the budget", form)
        self.wait_for_text(".summary", "0 of 33")
        self.wait_for_text("#log", "Budget extended by 2.5 units.")

    def test_studies_of_one_title_are_told_apart(self):
        for name in ("spring-1", "spring-2"):
            self.server.create(name, title="Loans, spring")
        self.open()
        self.wait_for_text("#studies", "spring-2, created ")
        self.assertIn(f"spring-1, created {self.server.ask('GET', '/spring-1')['created_at'][:10]}", self.text("#studies"))

    def test_a_closed_study_takes_the_outcomes_of_its_decisions(self):
        self.server.create("closing")
        self.server.decide("closing", 2)
        self.open_study("closing")
        self.wait_for(lambda: self.find("#next [data-decision='1']"))
        self.server.ask("POST", "/closing/close", {}, "the end")
        self.wait_for_text("#next .lead", "The study is closed.")
        self.wait_for(lambda: "Did something else" not in self.text("#next"))
        self.assertIn("closed, waits for outcomes", self.text(".summary"))
        form = self.form("Decision 1", "#next")
        self.fill(form, Reward="0.5")
        self.press("Done", form)
        self.wait_for_text(".summary", "1 pending")
        self.assertEqual(self.server.events("closing")[-1]["reward"], 0.5)

    def test_names_are_text_and_never_run(self):
        arms = ["<script>window.ran = 1</script>", "<img src=x onerror='window.ran = 1'>", "\"'>&amp;", "ähnlich 中文"]
        self.server.create("html", arms=arms, title="<b onclick='ran = 1'>bold</b>")
        self.server.decide("html", 12)
        self.server.settle("html", {k: 0.5 for k in range(1, 9)})
        self.open_study("html")
        self.wait_for_text("h1", "<b onclick='ran = 1'>bold</b>")
        self.wait_for(lambda: self.find("#curves canvas[data-drawn]"))
        self.assertEqual(sorted(self.texts("#arms tbody th")), sorted(arms))
        for arm in arms:
            self.assertIn(arm, self.text("#log"))
        form = self.form("Plan")
        self.fill(form, Arm=arms[2], Value="0.3")
        self.press("Compute the plan", form)
        self.wait_for_text("#plan .price", "costs")
        self.open()
        self.wait_for_text("#studies", "<b onclick='ran = 1'>bold</b>")
        self.assertIsNone(self.browser.execute_script("return window.ran"))

    def test_many_arms_are_cut_where_they_are_shown(self):
        self.server.create("many", arms=[f"arm {k}" for k in range(1000)], budget=20000)
        self.server.decide("many", 100)
        self.open_study("many")
        self.wait_for(lambda: len(self.texts("#arms tbody tr")) == 20)
        self.wait_for_text("#curves", "992 other arms are not")
        self.press("Show all 1,000 arms", "#arms")
        self.wait_for(lambda: len(self.texts("#arms tbody tr")) == 1000)

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

    def test_rounds_are_decided_as_a_whole(self):
        self.server.create("rounds", constraints={"units_per_round": "5"})
        self.open_study("rounds")
        self.assertFalse(self.control(self.form("Decide"), "Decisions").is_displayed())
        self.press("Decide the next round", "#next")
        self.wait_for_text("#next", "Decided in round 1: what was done?")
        self.assertEqual(self.server.ask("GET", "/rounds")["pending"], 5)

    def test_a_study_that_does_not_exist_is_reported(self):
        self.expected_errors = ("404",)
        self.open("#/study/none")
        self.wait_for_text("main", "there is no study 'none'")

    def test_the_replay_check_agrees(self):
        self.server.create("replayed")
        self.server.decide("replayed", 3)
        self.open_study("replayed")
        self.press("Replay the log and compare", "#health")
        self.wait_for_text("#health", "1 event replayed: the state is the same.")

    def test_nothing_is_cut_off(self):
        self.server.create("wide", arms=["a" * 120, ("long name " * 12).strip()], title="T" * 150)
        self.server.decide("wide", 20)
        self.server.settle("wide", {k: 0.5 for k in range(1, 15)})
        for scheme in ("light", "dark"):
            self.scheme(scheme)
            for width in (390, 1280):
                self.at_width(width)
                self.open()
                self.wait_for_text("#studies", "T" * 150)
                self.expect_no_horizontal_scrolling()
                self.open_study("wide")
                self.wait_for(lambda: self.find("#curves canvas[data-drawn]"))
                self.press("Did something else", "#next [data-decision='15']")
                for summary in self.browser.find_elements(By.TAG_NAME, "summary"):
                    self.browser.execute_script("arguments[0].parentNode.open = true", summary)
                self.press("Compute the plan", "#plan")
                self.wait_for(lambda: self.find("#plan table"))
                self.expect_no_horizontal_scrolling()
        self.expect_every_control_has_a_name()
        self.expect_only_own_requests()


class Connected(ServicePageTest):
    """Changes by others, lost connections and lost answers."""

    def script_before_the_page(self, script):
        added = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)

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

    def test_a_killed_server_is_waited_for_and_nothing_is_lost(self):
        self.expected_errors = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "ERR_EMPTY_RESPONSE",
                                "ERR_CONNECTION_RESET", "ERR_HTTP")
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
            };
            window.EventSource = class { constructor() { throw new Error('sends no token'); } };""")
        self.server.create("guarded")
        self.open("#/study/guarded")
        for token in ("wrong", "right"):
            form = self.form("Token", "body")
            self.assertIn("this service needs a token", form.text)
            self.fill(form, Token=token)
            self.press("Use this token", form)
            self.wait_for(lambda form=form: form not in self.browser.find_elements(By.CSS_SELECTOR, "#token form"))
        self.wait_for_text("#next .lead", "Pull arm")
        self.press("Decide", "#next")
        self.wait_for(lambda: self.find("#next [data-decision='1']"))
        self.server.settle("guarded", {1: 0.5})  # noticed although no stream can be opened
        self.wait_for_text("#report", "No outcome is pending.")
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
            window.EventSource = class extends EventTarget {
              constructor() { super(); setTimeout(() => this.dispatchEvent(new Event('error'))); }
              close() {}
            };""")
        self.server.create("polled")
        self.open_study("polled")
        self.wait_for_text("#next .lead", "Pull arm")
        self.server.decide("polled")
        self.wait_for(lambda: self.find("#next [data-decision='1']"))
        self.server.settle("polled", {1: 0.5})
        self.wait_for(lambda: not self.find("#next [data-decision='1']"))


class Interface(ServicePageTest):
    """What the page needs from the interface, beside what clients need."""

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
