"""The documentation site in a real browser: every page loads without errors and without the network, also narrow and in
dark colours, and the search works on pages that are opened as files and on those of a server.

usage: site_test.py SITE_FOLDER SCREENSHOTS_FOLDER
"""

import functools
import http.server
import json
import pathlib
import sys
import tempfile
import threading
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from page_in_browser import main, start_browser

SITE, SCREENSHOTS = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
WIDE, NARROW = 1400, 390  # pixels
SHOWN = ["index.html", "tutorials/why_greedy_lenders_fail.html", "tutorials/three_logs.html", "how-to/service.html", "explanation/method.html",
         "reference/arena.html", "explanation/architecture.html", "python/studies.html", "cpp/solve.html"]  # whose screenshots are kept
# Wider than the window, and not in an element that scrolls on its own.
TOO_WIDE = """
return [...document.querySelectorAll('.md-content *')].filter(element => {
  if (element.getBoundingClientRect().right <= document.documentElement.clientWidth + 1) return false;
  for (let parent = element; parent; parent = parent.parentElement) {
    if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(parent).overflowX) && parent.matches('.md-content *')) return false;
  }
  return true;
}).map(element => element.tagName + ' ' + element.className + ': ' + element.textContent.slice(0, 60));
"""
BROKEN_PICTURES = "return [...document.images].filter(image => image.complete && !image.naturalWidth).map(image => image.src)"


class QuietServer(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(profile.cleanup)
        cls.browser = start_browser(profile.name, performance="ALL")
        cls.addClassCleanup(cls.browser.quit)
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    def setUp(self):
        self.at_width(WIDE)
        self.browser.get_log("performance")  # forgets what other tests loaded

    def at_width(self, width, dark=False):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == NARROW})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                     {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def requested(self):
        """Returns the addresses that pages have requested since this was called last."""
        messages = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        return {message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"}

    def expect_no_errors(self, page):
        self.assertEqual([entry for entry in self.browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")], [], page)

    def keep_screenshot(self, page, name):
        if page in SHOWN:
            self.browser.save_screenshot(str(SCREENSHOTS / f"{page.replace('/', '_')[:-5]}_{name}.png"))

    def test_all_pages_load_without_errors_or_the_network_and_fit_into_every_window(self):
        self.assertGreater(len(PAGES), 40)
        for page in PAGES:
            self.at_width(WIDE)
            self.browser.get(f"{SITE.as_uri()}/{page}")
            self.keep_screenshot(page, "wide")
            with self.subTest(page):
                self.assertEqual(self.browser.execute_script(TOO_WIDE), [], "wider than the page")
                self.assertEqual(self.browser.execute_script(BROKEN_PICTURES), [])
                self.at_width(NARROW)
                self.assertEqual(self.browser.execute_script(TOO_WIDE), [], "wider than a narrow page")
                self.expect_no_errors(page)
            self.keep_screenshot(page, "narrow")
        requested = self.requested()
        self.assertGreater(len(requested), len(PAGES))
        self.assertEqual({url for url in requested if not url.startswith(("file:", "data:", "blob:", "about:"))}, set())

    def test_dark_colours_are_those_of_the_system(self):
        # Colours are kept from page to page; here every page is the first that is opened.
        forget = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "localStorage.clear()"})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", forget)
        self.at_width(WIDE, dark=True)
        for page in SHOWN:
            self.browser.get(f"{SITE.as_uri()}/{page}")
            self.keep_screenshot(page, "dark")
            self.assertEqual(self.browser.find_element(By.TAG_NAME, "body").get_attribute("data-md-color-scheme"), "slate")
            self.expect_no_errors(page)

    def expect_to_find(self, address, text, page):
        """Expects that the search of the first page finds a page before all others."""
        self.browser.get(f"{address}/index.html")
        self.browser.execute_script("document.querySelector('#__search').click()")
        field = self.browser.find_element(By.CSS_SELECTOR, ".md-search__input")
        WebDriverWait(self.browser, 60).until(lambda _: field.is_displayed())
        field.send_keys(text)
        found = "return [...document.querySelectorAll('.md-search-result__link')].map(link => link.href)"
        WebDriverWait(self.browser, 60).until(
            lambda browser: browser.execute_script(found)[:1] and browser.execute_script(found)[0].startswith(f"{address}/{page}"),
            f"a search for {text} should find {page} first")
        self.expect_no_errors(f"search for {text}")

    def expect_search_to_work(self, address):
        self.expect_to_find(address, "policy regret", "explanation/method.html")
        self.expect_to_find(address, "RestedBandit", "python/environment.html")
        self.expect_to_find(address, "optimistic_future", "python/simulation.html")
        self.expect_to_find(address, "constraints", "reference/constraints.html")
        self.expect_to_find(address, "thompson", "reference/policies.html")
        self.expect_to_find(address, "simulate", "how-to/python.html")
        self.expect_to_find(address, "Study", "python/")
        self.expect_to_find(address, "GaussianThompsonRule", "cpp/policy.html")

    def test_search_works_on_files(self):
        self.expect_search_to_work(SITE.as_uri())

    def test_search_works_on_a_server(self):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietServer, directory=str(SITE))) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.expect_search_to_work(f"http://127.0.0.1:{server.server_port}")
            server.shutdown()


if __name__ == "__main__":
    main()
