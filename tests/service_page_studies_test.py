"""The page of `longrun serve`: the list of studies, and what the page of a study shows and changes.

usage: service_page_studies_test.py LONGRUN_BINARY SCRATCH_FOLDER
"""

import datetime
import re
import urllib.request

from selenium.webdriver.common.by import By

from page_in_browser import main, setUpModule
from service_page_in_browser import MOST_SECONDS, ServicePageTest


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
        table = self.find("#arms .scroll")
        self.assertLessEqual(*(table.get_property(name) for name in ("scrollWidth", "clientWidth")), "at 1280 columns")
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


class ManyStudies(ServicePageTest):
    """A server with more studies than are shown at once."""

    def test_many_studies_are_loaded_and_shown_page_by_page(self):
        for k in range(140):
            self.server.create(f"many-{k:03}", budget=10)
        self.script_before_the_page("""
            const original = window.fetch;
            window.loading = window.mostLoading = 0;
            window.fetch = async (path, options) => {
              window.mostLoading = Math.max(window.mostLoading, ++window.loading);
              try { return await original(path, options); } finally { --window.loading; }
            };""")
        self.open()
        self.wait_for(lambda: len(self.texts("#studies tbody tr")) == 30)
        button = next(text for text in self.texts("#studies button") if text.startswith("Show 100 more of "))
        self.press(button, "#studies")
        self.wait_for(lambda: len(self.texts("#studies tbody tr")) == 130)
        self.assertLessEqual(self.browser.execute_script("return window.mostLoading"), 21)
        self.assertRegex(self.texts("#studies button")[0], "^Show [0-9]+ more of [0-9]+ studies$")


class Studies(ServicePageTest):
    """Studies that are made, looked at and changed."""

    def test_a_study_is_created_by_the_form(self):
        self.expected_errors = ("422",)
        self.open()
        form = self.form("New study")
        self.fill(form, Name="my study", Arms="north\nsouth\n", Budget="40", Largest_reward="10")
        self.press("Create the study", form)
        self.assertIn("letters", self.error_at(form, "Name"))
        self.fill(form, Name="my-study", Title="Where to build")
        self.unfold("Noise, mode, constraints and more")
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

    def test_units_seeds_and_unavailable_rounds_are_given_by_the_form(self):
        self.expected_errors = ("422",)
        self.open()
        form = self.form("New study")
        self.fill(form, Name="exact", Arms="north\nsouth", Budget="100,5")
        self.press("Create the study", form)
        self.error_at(form, "Budget")
        self.unfold("Noise, mode, constraints and more")
        self.fill(form, Decimals_of_units="9")
        self.press("Create the study", form)
        self.assertIn("unit_decimals: 9 is not in 0..6", self.error_at(form, "Decimals of units"))
        self.fill(form, Decimals_of_units="1", Seed="2,5")
        self.press("Create the study", form)
        self.assertIn("seed: '2,5' is not a whole number", self.error_at(form, "Seed"))
        self.fill(form, Seed="25", Unavailable_rounds="south:1-3")
        self.press("Create the study", form)
        self.wait_for_text("#arms", "south (unavailable)")
        state = self.server.ask("GET", "/exact")
        self.assertEqual((state["budget"], state["unit_decimals"], state["seed"]), (100.5, 1, 25))
        self.assertEqual(state["constraints"], {"unavailable": "south:1-3"})

    def test_what_needs_attention_is_shown_with_a_way_to_it(self):
        self.server.create("attention", noise="gaussian:0.1")
        self.server.decide("attention", 3)
        self.open_study("attention")
        self.wait_for_text("#health", "Overdue\nnone is pending for more than ")
        self.server.settle("attention", {1: 1.05})
        self.wait_for_text("#health", "1 reward is outside the scale from 0 to 1")
        self.wait_for(lambda: self.find("#health a[href$='/curves']").click() or True)  # it is drawn again
        # The same decisions, 60 days old.
        old = (datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=60)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        with urllib.request.urlopen(f"{self.server.url}v1/studies/attention/export", timeout=MOST_SECONDS) as response:
            lines = re.sub(r'"at":"[^"]*"', f'"at":"{old}"', response.read().decode())
        self.server.import_lines("overdue", lines)
        self.open()
        self.wait_for_text("#studies", "outcomes overdue")
        self.open_study("overdue")
        self.wait_for_text("#health", "2 decisions pending for more than 30 days")
        self.assertIn("outcomes overdue", self.text(".summary"))
        self.find("#health a[href$='/report']").click()
        self.wait_for(lambda: self.browser.switch_to.active_element.text == "Report")

    def test_outcomes_become_overdue_on_an_open_page(self):
        self.script_before_the_page("""
            const [repeat, original, now] = [window.setInterval, window.fetch, Date.now];
            window.setInterval = (act, milliseconds, ...rest) => repeat(act, milliseconds / 3600, ...rest);
            Date.now = () => now() + (window.isLater ? 3600001 : 0);
            window.fetch = async (path, options) => {
              const response = await original(path, options);
              if (!window.isLater || path !== '/v1/studies/waiting') return response;
              const state = await response.json();
              state.health.overdue = 1;
              return Response.json(state);
            };""")
        self.server.create("waiting")
        self.server.decide("waiting")
        self.open()
        self.wait_for_text("#studies", "waiting")
        self.assertNotIn("overdue", self.text("#studies"))
        self.browser.execute_script("window.isLater = true")
        self.wait_for_text("#studies", "outcomes overdue")
        self.open_study("waiting")
        self.assertNotIn("overdue", self.text(".summary"))
        self.browser.execute_script("window.isLater = true")
        self.wait_for_text(".summary", "outcomes overdue")
        self.wait_for_text("#health", "1 decision pending for more than 30 days")

    def test_the_list_is_looked_at_again_after_an_answer_that_is_no_list(self):
        self.expected_errors = ("SyntaxError",)
        self.script_before_the_page("""
            const original = window.fetch;
            window.fetch = async (path, options) => {
              if (!window.isBroken || path !== '/v1/studies') return original(path, options);
              window.isBroken = false;
              return new Response('<html>');
            };""")
        self.server.create("earlier")
        self.open()
        self.wait_for_text("#studies", "earlier")
        self.browser.execute_script("window.isBroken = true")
        self.wait_for(lambda: not self.browser.execute_script("return window.isBroken"))
        self.server.create("later")
        self.wait_for_text("#studies", "later")

    def test_an_invalid_address_is_reported(self):
        self.expected_errors = ("404",)
        self.open("#/study/%E0%A4%A")
        self.wait_for_text("main", "there is no study '%E0%A4%A'")

    def test_names_keep_their_direction_of_writing_to_themselves(self):
        self.server.create("directions", arms=["שלום (1)", "tea"], title="مرحبا (2)")
        self.server.decide("directions", 2)
        self.open_study("directions")
        self.wait_for(lambda: self.find("#arms tbody th"))
        for place in ("#title", "#arms tbody th", "#next strong", "#report strong", "#log .what", "#change .boxes label"):
            names = self.texts(f"{place} bdi")
            self.assertTrue(names and set(names) <= {"שלום (1)", "tea", "مرحبا (2)"}, (place, names))
        self.open()
        self.wait_for(lambda: "مرحبا (2)" in self.texts("#studies bdi"))

    def test_every_pull_in_the_log_leads_to_its_entry(self):
        self.server.create("linked")
        self.server.ask("POST", "/linked/observations", {"arm": "tea", "reward": 0.9, "id": "contract 17"})
        for k in range(60):
            self.server.ask("POST", "/linked/observations", {"arm": "tea", "reward": 0.5}, f"key {k}")
        self.server.ask("POST", "/linked/corrections", {"observation": 1, "reward": 0.19, "reason": "typo"}, "c")
        self.open_study("linked")
        self.wait_for_text("#log", "Pull of entry 1 corrected: reward 0.19.")
        next(link for link in self.browser.find_elements(By.CSS_SELECTOR, "#log a") if link.text == "entry 1").click()
        self.wait_for_text("#log .marked", "Pulled without a decision: tea, reward 0.9, id contract 17.")
        self.assertEqual(self.texts("#log .marked a"), ["contract 17"])
        self.open("#/study/linked/entry/1")  # the address alone is enough
        self.wait_for_text("#log .marked", "id contract 17")
        self.server.decide("linked")  # what is shown stays
        self.wait_for_text("#log", "of 64 events")
        self.assertIn("id contract 17", self.text("#log .marked"))

    def test_the_log_shows_all_events_again_after_those_of_a_decision(self):
        self.server.create("filtered")
        self.server.decide("filtered", 2)
        self.server.settle("filtered", {1: 0.5})
        self.open("#/study/filtered/decision/2")
        self.wait_for_text("#log", "Events of decision 2.")
        self.find("#contents a[href$='/health']").click()
        self.wait_for_text("#log", "of 3 events")
        self.server.settle("filtered", {2: 0.5})
        self.wait_for_text("#log", "of 4 events")
        self.open("#/study/filtered/entry/1")
        self.wait_for(lambda: self.find("#log .marked"))
        self.find("#contents a[href$='/log']").click()
        self.wait_for_text("#log", "Events 3 to 0 of 4 events")

    def test_times_are_renewed_while_nothing_happens(self):
        self.server.create("quiet")
        self.server.decide("quiet")
        self.script_before_the_page("const now = Date.now; window.ahead = 0; Date.now = () => now() + window.ahead;")
        self.open_study("quiet")
        self.wait_for_text("#report", "decided just now")
        self.browser.execute_script("window.ahead = 180000")
        self.wait_for_text("#report", "decided 3 minutes ago")

    def test_words_in_the_head_of_a_table_are_not_broken(self):
        self.server.create("narrow", arms=["farms", "shops, old town", "homes with a long name"])
        self.server.decide("narrow", 6)
        self.server.settle("narrow", {k: 0.5 for k in range(1, 7)})
        self.at_width(390)
        self.open_study("narrow")
        self.wait_for(lambda: self.find("#arms table"))
        lines = self.browser.execute_script("""
            return [...document.querySelectorAll('#arms thead th')].map(node => {
                const range = document.createRange();
                range.selectNodeContents(node);
                const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
                return [node.innerText, tops.size];
            })""")
        self.assertEqual([text for text, count in lines if count > len(text.split())], [])

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


if __name__ == "__main__":
    main()
