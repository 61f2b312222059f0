"""What the tests of pages share: one browser, and checks of charts and widths.

usage of a test: TEST.py LONGRUN_BINARY SCRATCH_FOLDER
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

BINARY, SCRATCH = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])

OFFLINE = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # only this machine
]
# Scrolls to each canvas of arguments[0] and waits until it is drawn. Returns the labels of those that are not.
SHOW = """
const done = arguments[arguments.length - 1];
(async () => {
  const missing = [];
  for (const canvas of arguments[0]) {
    canvas.scrollIntoView({block: 'center'});
    const end = performance.now() + 20000;
    while (canvas.dataset.drawn !== 'true' && performance.now() < end) await new Promise(requestAnimationFrame);
    if (canvas.dataset.drawn !== 'true') missing.push(canvas.getAttribute('aria-label'));
  }
  return missing;
})().then(done);
"""
# Returns the share of pixels with ink, for each canvas of arguments[0].
INKED = """
return arguments[0].map(canvas => {
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let inked = 0;
  for (let i = 3; i < data.length; i += 4) inked += data[i] > 0;
  return inked / (data.length / 4);
});
"""


def start_browser(profile, **logs):
    """Starts a browser. `logs` are further logs to keep, by their names in Selenium."""
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in [*OFFLINE, f"--user-data-dir={profile}"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", **logs})
    browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    browser.set_script_timeout(120)
    return browser


def setUpModule():
    """Starts one browser for all pages."""
    profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    unittest.addModuleCleanup(profile.cleanup)
    PageTest.browser = start_browser(profile.name)
    unittest.addModuleCleanup(PageTest.browser.quit)


class PageTest(unittest.TestCase):
    """A page in `folder`, made by make_page() and open in a browser."""
    command = page = browser = None

    @classmethod
    def setUpClass(cls):
        cls.folder = SCRATCH / cls.__name__
        shutil.rmtree(cls.folder, ignore_errors=True)
        cls.folder.mkdir(parents=True)
        cls.make_page()

    @classmethod
    def make_page(cls):
        cls.longrun(cls.command, "--quick", "--quiet", "--out", cls.folder)

    @staticmethod
    def longrun(*arguments, **settings):
        """Runs longrun. Settings are those of subprocess.run()."""
        subprocess.run([BINARY, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL, **settings)

    def setUp(self):
        self.browser.set_window_size(1400, 1000)
        self.browser.get(f"file://{self.folder}/{self.page}")

    def draw_all(self):
        """Scrolls to every chart, as a reader would, and returns their canvases."""
        return self.show(self.browser.find_elements(By.CSS_SELECTOR, ".frame canvas"))

    def show(self, canvases):
        self.assertEqual(self.browser.execute_async_script(SHOW, canvases), [])
        return canvases

    def picture(self, canvas):
        return self.browser.execute_script("return arguments[0].toDataURL()", canvas)

    def expect_ink(self, canvases, least):
        for canvas, inked in zip(canvases, self.browser.execute_script(INKED, canvases), strict=True):
            self.assertGreater(inked, least, canvas.get_attribute("aria-label"))

    def at_width(self, width):
        self.browser.set_window_size(max(width, 500), 900)
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})

    def expect_no_horizontal_scrolling(self):
        seen = self.browser.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        self.assertLessEqual(seen[0], seen[1])

    def expect_links_to_files(self, count):
        links = [a.get_attribute("href") for a in self.browser.find_elements(By.CSS_SELECTOR, ".files a")]
        self.assertEqual(len(links), count)
        for link in links:
            self.assertTrue(pathlib.Path(link.removeprefix("file://")).stat().st_size > 0, link)


def main():
    """Runs all tests of the program's file."""
    unittest.main(argv=sys.argv[:1], verbosity=2)
