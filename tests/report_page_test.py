"""The report and the arena in a real browser: every chart is drawn, and every control works.

usage: report_page_test.py LONGRUN_BINARY SCRATCH_FOLDER
"""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from page_in_browser import PageTest, main, setUpModule


class ReportPage(PageTest):
    command, page = "reproduce", "report.html"

    def charts_of(self, figure):
        return self.show(self.browser.find_elements(By.CSS_SELECTOR, f"#{figure} .frame canvas"))

    def button(self, figure, selector):
        return self.browser.find_element(By.CSS_SELECTOR, f"#{figure} button{selector}")

    def click(self, figure, selector):
        self.browser.execute_script("arguments[0].click()", self.button(figure, selector))

    def test_every_chart_is_drawn_without_an_error(self):
        canvases = self.draw_all()
        two_arms = 1 + 4 + 4 + 4 + 4 + 3 * 3  # figure_1, inc_1, inc_2, inc_3, inc_1 with noise, inc_dec
        lending = 1 + 3 + 3
        others = 1 + 3 * 3 + 3  # figure_3b, recommender A to C, const
        self.assertEqual(len(canvases), 3 * two_arms + 4 * lending + 3 * others + 2)
        self.expect_ink(canvases, 0.01)
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_a_policy_can_be_hidden_and_shown_again(self):
        charts = self.charts_of("figure_1")
        before = [self.picture(chart) for chart in charts]
        self.click("figure_1", "[data-policy='greedy']")
        without = [self.picture(chart) for chart in charts]
        self.assertEqual(before[0], without[0])  # reward curves do not depend on policies
        self.assertNotEqual(before[1], without[1])
        self.assertNotEqual(before[2], without[2])
        self.assertEqual(self.button("figure_1", "[data-policy='greedy']").get_attribute("aria-pressed"), "false")
        self.click("figure_1", "[data-policy='greedy']")
        self.assertEqual(before, [self.picture(chart) for chart in charts])

    def test_hiding_a_policy_changes_bars_too(self):
        charts = self.charts_of("figure_3a")
        before = [self.picture(chart) for chart in charts]
        self.click("figure_3a", "[data-policy='exp3']")
        after = [self.picture(chart) for chart in charts]
        self.assertEqual([a != b for a, b in zip(before, after)], [False, True, True, True])

    def test_variants_are_hidden_at_first(self):
        chart = self.charts_of("figure_1")[1]
        button = self.button("figure_1", "[data-policy='spo@released']")
        self.assertEqual(button.get_attribute("aria-pressed"), "false")
        before = self.picture(chart)
        self.click("figure_1", "[data-policy='spo@released']")
        self.assertNotEqual(before, self.picture(chart))

    def test_axes_switch_to_logarithms_and_back(self):
        chart = self.charts_of("figure_1")[1]
        for which in "xy":
            before = self.picture(chart)
            self.click("figure_1", f"[data-log='{which}']")
            kind = self.browser.execute_script(f"return Chart.getChart(arguments[0]).scales.{which}.type", chart)
            self.assertEqual(kind, "logarithmic")
            self.assertNotEqual(before, self.picture(chart))
            self.click("figure_1", f"[data-log='{which}']")
            self.assertEqual(before, self.picture(chart))

    def test_dragging_zooms_and_a_double_click_shows_all(self):
        chart = self.charts_of("figure_1")[1]
        self.show([chart])
        before = self.picture(chart)
        drag = ActionChains(self.browser).move_to_element(chart).click_and_hold().move_by_offset(80, 0).release()
        drag.move_by_offset(0, 400).perform()
        lower, upper = self.browser.execute_script(
            "const x = Chart.getChart(arguments[0]).scales.x; return [x.min, x.max]", chart)
        self.assertGreater(lower, 0)
        self.assertLess(upper, 20000)
        ActionChains(self.browser).double_click(chart).move_by_offset(0, 400).perform()
        self.assertEqual(before, self.picture(chart))

    def test_pointing_at_a_chart_shows_values(self):
        chart = self.charts_of("figure_1")[1]
        ActionChains(self.browser).move_to_element(chart).perform()
        lines = self.browser.execute_script(
            "const t = Chart.getChart(arguments[0]).tooltip; return t.opacity > 0 ? t.body.flatMap(b => b.lines) : []",
            chart)
        self.assertEqual(len(lines), 6)  # one per policy shown, none for the edges of bands
        self.assertTrue(any("spo:" in line for line in lines), lines)

    def test_the_allocation_follows_its_horizon(self):
        chart = self.charts_of("figure_3a")[2]
        before = self.picture(chart)
        self.browser.execute_script(
            "const s = document.querySelector('#figure_3a input[type=range]'); s.value = 1;"
            "s.dispatchEvent(new Event('input'))")
        self.assertNotEqual(before, self.picture(chart))

    def test_nothing_is_cut_off_on_a_phone(self):
        for width in (390, 1400):
            self.at_width(width)
            self.draw_all()
            self.expect_no_horizontal_scrolling()

    def test_the_page_says_which_curves_are_only_approximately_single_peaked(self):
        for figure, said in (("figure_1", False), ("figure_3a", True)):
            heading = self.browser.find_element(By.CSS_SELECTOR, f"#{figure} h4").text
            self.assertEqual("only approximately single-peaked" in heading, said, heading)

    def test_every_link_leads_to_a_file(self):
        self.expect_links_to_files(5 * 17)

    def test_arms_are_numbered_from_0_and_named(self):
        captions = [c.text for c in self.browser.find_elements(By.CSS_SELECTOR, "#figure_1 figcaption")]
        self.assertEqual(captions[2], "pulls of arm 0 (f_1)")
        curves = self.charts_of("figure_3a")[0]
        labels = self.browser.execute_script(
            "return Chart.getChart(arguments[0]).data.datasets.map(d => d.label)", curves)
        self.assertEqual(labels, ["arm 0 (Asian)", "arm 1 (Black)", "arm 2 (Hispanic)", "arm 3 (White)"])


class ConstrainedPage(PageTest):
    """The page of an experiment with constraints, written to another folder than the records."""
    page = "report.html"

    @classmethod
    def make_page(cls):
        config = cls.folder / "constrained.toml"
        config.write_text("bandits = ['inc_dec_3']\npolicies = ['spo', 'greedy']\nhorizons = [50, 100]\n"
                          "[constraints]\nminimum_pulls = 10\ncosts = '0:2'\n")
        records = cls.folder / "records"
        cls.longrun("run", config, "--quiet", "--out", records)
        cls.longrun("report", records, "--out", cls.folder)

    def test_constraints_are_stated(self):
        texts = [p.text for p in self.browser.find_elements(By.CSS_SELECTOR, "#constrained p")]
        self.assertTrue(any(text.lower() == "constraints costs 0:2; minimum_pulls 10" for text in texts), texts)
        self.draw_all()
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_every_link_leads_to_a_file(self):
        self.expect_links_to_files(5)


class TwoArmsWithImpactPage(PageTest):
    """The page of a bandit with two arms and an impact. No built-in bandit is such a bandit, so the page is edited."""
    page = "report.html"

    @classmethod
    def make_page(cls):
        config = cls.folder / "two.toml"
        config.write_text("bandits = ['inc_dec_3']\npolicies = ['spo', 'greedy']\nhorizons = [50, 100]\n")
        cls.longrun("run", config, "--quiet", "--out", cls.folder)
        cls.longrun("report", cls.folder)
        page = cls.folder / cls.page
        text = page.read_text()
        for old, new in (('"impactUnit":""', '"impactUnit":"points"'), ('"pulls":{', '"impact":[1.5,-0.5],"pulls":{')):
            assert old in text, old
            text = text.replace(old, new)
        page.write_text(text)

    def test_the_impact_is_the_fourth_chart(self):
        canvases = self.draw_all()
        captions = [c.text for c in self.browser.find_elements(By.CSS_SELECTOR, "#two figcaption")]
        self.assertEqual(captions[2:], ["pulls of arm 0 (f_1)", "impact on the arms at the longest horizon"])
        values = self.browser.execute_script(
            "return Chart.getChart(arguments[0]).data.datasets.map(d => d.data)", canvases[3])
        self.assertEqual(values, [[1.5, -0.5], [1.5, -0.5]])
        self.expect_ink(canvases[3:], 0.01)
        self.assertEqual(self.browser.get_log("browser"), [])


class ArenaPage(PageTest):
    """The page of an arena of few policies: those of the whole arena would take most of this test's time."""
    page = "arena.html"

    @classmethod
    def make_page(cls):
        cls.longrun("arena", "ucb", "sw-ucb", "raw-ucb", "--only", "--quick", "--quiet", "--out", cls.folder)

    def choose(self, text):
        button = next(b for b in self.browser.find_elements(By.CSS_SELECTOR, ".choice button") if text in b.text)
        self.browser.execute_script("arguments[0].click()", button)
        self.assertEqual(button.get_attribute("aria-pressed"), "true")

    def texts(self, selector):
        return [node.text for node in self.browser.find_elements(By.CSS_SELECTOR, selector)]

    def tip(self):
        return self.browser.find_element(By.CSS_SELECTOR, ".tip").text

    def test_everything_is_drawn_without_an_error(self):
        canvases = self.draw_all()
        self.assertEqual(len(canvases), 2)
        self.expect_ink(canvases, 0.005)
        policies = self.texts(".heat tbody th")
        self.assertIn("spo", policies)
        self.assertEqual(len(self.texts(".heat td")), (1 + 13) * len(policies))
        self.assertEqual(self.texts(".numbers tbody th"), policies)
        for worst in self.texts(".numbers td:last-child"):
            self.assertIn("T = ", worst)
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_policies_are_sorted_best_first(self):
        for view in ("all cells", "longest horizons", "student noise"):
            self.choose(view)
            overall = [float(text) for text in self.texts(".heat td:nth-child(2)")]
            self.assertEqual(overall, sorted(overall))

    def test_the_table_switches_between_scores(self):
        before = self.texts(".heat td")
        self.choose("M:")
        self.assertNotEqual(before, self.texts(".heat td"))
        self.choose("G:")
        self.assertEqual(before, self.texts(".heat td"))

    def test_choosing_cells_changes_charts_and_tables(self):
        def everything():
            return [*map(self.picture, self.draw_all()), self.texts(".numbers td"), self.texts(".heat td")]
        before = everything()
        self.choose("longest horizons")
        self.assertTrue(all(a != b for a, b in zip(before, everything())))
        self.choose("bernoulli noise")
        self.assertEqual(self.texts(".heat thead th"), ["policy", "overall", "peaked", "rising", "falling", "constant"])
        self.choose("all cells")
        self.assertEqual(before, everything())
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_pointing_at_a_cell_shows_its_interval(self):
        cell = self.browser.find_elements(By.CSS_SELECTOR, ".heat td")[3]
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", cell)
        ActionChains(self.browser).move_to_element(cell).perform()
        policy = self.texts(".heat tbody th")[0]
        number = r"\d+(\.\d+)?"
        interval = fr"{number} \({number} to {number}\)"
        self.assertRegex(self.tip(), fr"^{policy}, inc_3: G {interval}, M {interval}$")
        ActionChains(self.browser).move_to_element(self.browser.find_element(By.TAG_NAME, "h1")).perform()
        self.assertEqual(self.tip(), "")

    def test_arrow_keys_move_from_cell_to_cell(self):
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, ".heat [tabindex='0']")), 1)
        self.browser.execute_script("document.querySelector(\".heat [tabindex='0']\").focus()")
        policies = self.texts(".heat tbody th")
        self.assertTrue(self.tip().startswith(f"{policies[0]}, overall: "), self.tip())
        for key, place in ((Keys.ARROW_RIGHT, "inc_1"), (Keys.ARROW_RIGHT, "inc_2"), (Keys.ARROW_UP, "inc_2")):
            ActionChains(self.browser).send_keys(key).perform()
            self.assertTrue(self.tip().startswith(f"{policies[0]}, {place}: "), self.tip())
        ActionChains(self.browser).send_keys(Keys.ARROW_DOWN).perform()
        self.assertTrue(self.tip().startswith(f"{policies[1]}, inc_2: "), self.tip())
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, ".heat [tabindex='0']")), 1)

    def test_nothing_is_cut_off_on_a_phone(self):
        for width in (390, 1400):
            self.at_width(width)
            for view in ("student noise", "all cells"):
                self.choose(view)
                self.draw_all()
                self.expect_no_horizontal_scrolling()
        heat = self.browser.find_element(By.CSS_SELECTOR, "#families .scroll")
        self.assertLessEqual(heat.get_property("scrollWidth"), heat.get_property("clientWidth"), "at 1400, all fits")

    def test_every_link_leads_to_a_file(self):
        self.expect_links_to_files(5)


if __name__ == "__main__":
    main()
