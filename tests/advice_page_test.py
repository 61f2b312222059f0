"""The pages of `longrun recommend`, `plan` and `backtest` in a real browser: what it shows, saves and makes again.

usage: advice_page_test.py LONGRUN_BINARY SCRATCH_FOLDER
"""

import json
import random
import shlex
import subprocess
import time

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from page_in_browser import BINARY, PageTest, main, setUpModule


class AdvicePageTest(PageTest):
    """A page advice.html, made from a log in the same folder."""
    page, log = "advice.html", "log.csv"
    command = "recommend"
    options = []

    @classmethod
    def make_page(cls):
        (cls.folder / cls.log).write_bytes(cls.made_log(random.Random(7)))
        cls.longrun(cls.command, "--history", cls.log, "--report", cls.page, *cls.options, cwd=cls.folder)

    @staticmethod
    def table(rows):
        """Returns a log as bytes. Rows are arms and rewards."""
        return "".join(f"{arm},{reward}\n" for arm, reward in [("arm", "reward"), *rows]).encode()

    def setUp(self):
        self.scheme("light")
        super().setUp()

    def scheme(self, name):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                     {"features": [{"name": "prefers-color-scheme", "value": name}]})

    def texts(self, selector):
        return [node.text for node in self.browser.find_elements(By.CSS_SELECTOR, selector)]

    def facts(self):
        return dict(zip(self.texts("dt"), self.texts("dd"), strict=True))

    def data(self):
        return json.loads(self.browser.execute_script("return document.getElementById('data').textContent"))

    def saved(self, name):
        """Clicks the button that saves a file, and returns the bytes of that."""
        folder = self.folder / "saved"
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        self.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
        button = next(b for b in self.browser.find_elements(By.CSS_SELECTOR, "[data-save]")
                      if b.get_attribute("data-save") == name)
        self.assertEqual(button.text, f"Download {name}")
        self.browser.execute_script("arguments[0].click()", button)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            files = list(folder.iterdir())
            if files and not files[0].name.endswith((".crdownload", ".tmp")) and not files[0].name.startswith("."):
                return files[0].read_bytes()
            time.sleep(0.02)
        raise AssertionError(f"{name} was not saved")

    def settle(self):
        """Waits until charts have followed a change of the window or of the colour scheme."""
        self.browser.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))")

    def expect_no_errors(self):
        self.assertEqual(self.browser.get_log("browser"), [])

    def expect_charts(self, count, following):
        canvases = self.draw_all()
        self.assertEqual(len(canvases), count)
        self.expect_ink(canvases, 0.01)
        self.assertEqual(self.texts(".chart.next strong"), following)
        self.assertEqual(self.texts(".arms tr.highlighted th"), following)

    def expect_the_same_page_from_the_page(self):
        """Saves the history, runs the command of the page in an empty folder and compares."""
        again = self.folder / "again"
        again.mkdir()
        (again / self.log).write_bytes(self.saved(self.log))
        command = self.browser.find_element(By.CSS_SELECTOR, "pre.command").text
        self.assertTrue(command.startswith(f"longrun {self.command} "))
        subprocess.run(command.replace("longrun", shlex.quote(str(BINARY)), 1), shell=True, check=True, cwd=again,
                       stdout=subprocess.DEVNULL)
        self.assertEqual((again / self.page).read_bytes(), (self.folder / self.page).read_bytes())

    def expect_fits(self):
        for scheme in ("light", "dark"):
            self.scheme(scheme)
            for width in (390, 1280):
                self.at_width(width)
                self.settle()
                self.expect_no_horizontal_scrolling()
        self.expect_no_errors()


class ClicksPage(AdvicePageTest):
    """Yes/no rewards with rates of about 2 %."""
    options = ["--horizon", "9000", "--noise", "bernoulli"]

    @classmethod
    def made_log(cls, rng):
        return cls.table((name, int(rng.random() < rate))
                         for _ in range(1500) for name, rate in (("blue", 0.015), ("green", 0.03)))

    def test_the_page_shows_the_advice_and_a_chart_per_arm(self):
        answer = self.data()["answer"]
        self.assertEqual(self.texts(".lead"), [answer["what_to_do"]])
        self.assertIn(" ".join(answer["why"]), self.texts(".advice p"))
        self.expect_charts(2, [arm["name"] for arm in answer["next"]])
        self.assertEqual(self.texts(".arms tbody th"), ["blue", "green"])
        self.expect_no_errors()

    def test_axes_leave_rates_of_2_percent_readable(self):
        top = self.browser.execute_script("return Chart.getChart(arguments[0]).scales.y.max", self.draw_all()[0])
        self.assertLess(top, 0.5)

    def test_the_history_is_saved_as_it_was(self):
        self.assertEqual(self.saved(self.log), (self.folder / self.log).read_bytes())

    def test_the_answer_is_saved_as_json(self):
        self.assertEqual(json.loads(self.saved("answer.json")), self.data()["answer"])

    def test_the_page_makes_itself_again(self):
        self.expect_the_same_page_from_the_page()

    def test_a_long_history_is_cut_where_it_is_shown(self):
        text = self.browser.execute_script("return document.querySelector('details pre').textContent").split("\n")
        self.assertEqual(len(text), 201)
        self.assertEqual(text[0], "arm,reward")
        self.assertEqual(text[-1], "… 2,802 more lines")

    def test_dark_mode_changes_the_page_and_its_charts(self):
        def look():
            self.settle()
            return self.browser.execute_script(
                "const style = getComputedStyle(document.body);"
                "return [style.backgroundColor, style.color, arguments[0].toDataURL()]", chart)
        chart = self.draw_all()[0]
        light = look()
        self.scheme("dark")
        self.assertEqual([a == b for a, b in zip(look(), light)], [False, False, False])
        self.scheme("light")
        self.assertEqual([a == b for a, b in zip(look(), light)], [True, True, True])

    def test_nothing_is_cut_off(self):
        self.expect_fits()

    def test_pointing_at_a_chart_shows_the_pull_and_its_values(self):
        chart = self.draw_all()[0]
        ActionChains(self.browser).move_to_element_with_offset(chart, 90, 0).perform()
        title, lines = self.browser.execute_script(
            "const t = Chart.getChart(arguments[0]).tooltip; return [t.title[0], t.body.flatMap(b => b.lines)]", chart)
        self.assertRegex(title, r"^pull [\d,]+$")
        self.assertTrue(any(line.startswith(" expected rewards: ") for line in lines), lines)


class MoneyPage(AdvicePageTest):
    """Large rewards, a mistake in the log, pending rewards, and a name that is no ASCII."""
    options = ["--horizon", "600", "--scale", "0:1000000"]

    @classmethod
    def made_log(cls, rng):
        cities = ["Berlin", "Lagos", "São Paulo"]
        rows = [[city, round(1e6 * (0.3 + 0.2 * k) * (1 - 2 ** (-pull / 20 - 0.2)) + rng.gauss(0, 20000), 2)]
                for pull in range(60) for k, city in enumerate(cities)]
        rows[90][1] = 990000
        rows[-1][1] = ""
        return cls.table(rows)

    def test_cautions_and_pending_rewards_are_stated(self):
        self.assertIn("The reward 990000 of arm 'Berlin' (line 92)", self.texts(".caution p")[0])
        facts = self.facts()
        self.assertTrue(facts["Pending rewards"].startswith("1 of 180 pulls is pending"), facts)
        self.assertTrue(facts["Outliers"].startswith("1 reward looks like a mistake"), facts)
        self.assertEqual(facts["Rewards"], "Mean rewards lie between 0 and 1000000.")
        self.expect_charts(3, [arm["name"] for arm in self.data()["answer"]["next"]])
        self.expect_no_errors()

    def test_nothing_is_cut_off(self):
        self.expect_fits()


class GroupsPage(AdvicePageTest):
    """Four groups with constraints, and several arms to pull next."""
    options = ["--horizon", "400", "--units-per-round", "8", "--minimum-share", "north:0.1,south:0.2", "--costs", "west:2",
               "--unavailable", "east:20-30"]

    @classmethod
    def made_log(cls, rng):
        return cls.table((group, round(0.3 + 0.1 * k + 0.01 * pull + rng.gauss(0, 0.03), 3))
                         for pull in range(30) for k, group in enumerate(["north", "south", "east", "west"]))

    def test_constraints_are_stated_in_words(self):
        self.assertEqual(self.facts()["Constraints"].split("\n"), [
            "Every round has 8 units; its pulls are decided together.",
            "Cost of a pull: 2 units for arm 'west'; 1 unit for every other arm.",
            "Smallest share of the spent units, at all times: 10 % for arm 'north'; 20 % for arm 'south'.",
            "Not available in rounds 20 to 30: arm 'east'."])
        answer = self.data()["answer"]
        names = [arm["name"] for arm in answer["arms"]]
        self.expect_charts(4, sorted((arm["name"] for arm in answer["next"]), key=names.index))
        self.expect_no_errors()

    def test_the_page_makes_itself_again(self):
        self.expect_the_same_page_from_the_page()

    def test_nothing_is_cut_off(self):
        self.expect_fits()


class ManyArmsPage(AdvicePageTest):
    options = ["--horizon", "3000"]

    @classmethod
    def made_log(cls, rng):
        return cls.table((f"product {arm + 1}", round(0.2 + 0.02 * arm + rng.gauss(0, 0.05), 3))
                         for _ in range(20) for arm in range(30))

    def test_24_arms_have_a_chart_and_all_a_row(self):
        self.expect_charts(24, [arm["name"] for arm in self.data()["answer"]["next"]])
        self.assertEqual(len(self.texts(".arms tbody tr")), 30)
        self.expect_no_errors()

    def test_nothing_is_cut_off(self):
        self.expect_fits()


class HostilePage(AdvicePageTest):
    """Labels and a file name that would be HTML, and bytes that are no UTF-8."""
    log = "<b>bold<\\b> {{data}} &amp; 'it''s'.csv"
    options = ["--horizon", "50"]
    labels = ["</script><script>document.title = 'run'</script>", "<b>bold</b><img src=x onerror=alert(1)>"]

    @classmethod
    def made_log(cls, rng):
        rows = "".join(f'"{label}",{rng.random():.3f},caf\xe9\r\n' for _ in range(8) for label in cls.labels)
        return f"arm,reward,note\r\n{rows}".encode("latin-1")

    def test_labels_are_shown_as_they_are(self):
        self.assertEqual(self.browser.title, f"Advice for {self.log}")
        self.assertEqual(self.texts("h1"), [f"Advice for {self.log}"])
        self.assertEqual(self.texts(".chart strong"), self.labels)
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "b, img")), 0)
        self.draw_all()
        self.expect_no_errors()

    def test_every_byte_of_the_history_is_saved(self):
        self.assertEqual(self.saved(self.log), (self.folder / self.log).read_bytes())

    def test_the_page_makes_itself_again(self):
        self.expect_the_same_page_from_the_page()

    def test_nothing_is_cut_off(self):
        self.expect_fits()


class PlanPage(AdvicePageTest):
    """The page of `longrun plan`."""
    command = "plan"
    options = ["--horizon", "150", "--futures", "100", "--compare", "minimum-share 0.2", "--compare", "minimum-pulls 30"]
    made_log = GroupsPage.made_log

    def test_courses_and_arms_have_a_chart_each(self):
        answer = self.data()["answer"]
        canvases = self.draw_all()
        self.assertEqual(len(canvases), 2)
        self.expect_ink(canvases, 0.005)
        self.assertEqual(self.texts(".lead"), answer["what_is_earned"][:1])
        self.assertEqual(self.texts(".arms tbody th"),
                         [row["name"] for row in answer["courses"]] + ["north", "south", "east", "west"])
        self.expect_no_errors()

    def test_the_page_makes_itself_again(self):
        self.expect_the_same_page_from_the_page()

    def test_nothing_is_cut_off(self):
        self.expect_fits()


class BacktestPage(AdvicePageTest):
    """The page of `longrun backtest`."""
    command = "backtest"
    options = ["--policies", "spo,ucb", "--replicates", "20", "--resamples", "20", "--quiet"]
    made_log = GroupsPage.made_log

    def test_policies_have_a_chart_and_every_arm_its_curve(self):
        canvases = self.draw_all()
        self.assertEqual(len(canvases), 1 + 4)
        self.expect_ink(canvases, 0.005)
        self.assertEqual(self.texts(".lead"), self.data()["answer"]["conclusions"][:1])
        self.assertEqual(self.texts(".arms tbody th")[:4], ["spo", "ucb", "equal split", "optimum"])
        self.expect_no_errors()

    def test_the_page_makes_itself_again(self):
        self.expect_the_same_page_from_the_page()

    def test_nothing_is_cut_off(self):
        self.expect_fits()


class FirstPullPage(AdvicePageTest):
    """No history yet."""

    @classmethod
    def make_page(cls):
        cls.longrun("recommend", "--horizon", "100", "--arms", "3", "--report", cls.page, cwd=cls.folder)

    def test_there_is_advice_but_nothing_to_draw_or_to_save(self):
        self.assertEqual(self.texts(".lead"), ["Pull arm 0 next."])
        self.assertEqual(self.draw_all(), [])
        self.assertEqual(self.texts("[data-save]"), ["Download answer.json"])
        self.assertEqual(self.texts("pre.command"), ["longrun recommend --horizon 100 --arms 3 --report advice.html"])
        self.expect_no_errors()


del AdvicePageTest, PageTest  # they are no tests by themselves

if __name__ == "__main__":
    main()
