"""What the tests of the page of `longrun serve` share: a server, and what a person does on its page.

A test does everything as a person would, in a real browser, and checks it in the interface.
"""

import json
import signal
import subprocess
import time
import urllib.request

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from page_in_browser import BINARY, PageTest

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

    def decide(self, name, count=1, **more):
        key = f"test {time.monotonic_ns()}"
        return self.ask("POST", f"/{name}/decisions", {"count": count, **more}, key)["decisions"]

    def settle(self, name, rewards):
        outcomes = [{"decision": decision, "reward": reward} for decision, reward in rewards.items()]
        self.ask("POST", f"/{name}/outcomes", {"outcomes": outcomes})

    def import_lines(self, name, lines):
        request = urllib.request.Request(f"{self.url}v1/studies/import?name={name}", data=lines.encode(),
                                         headers={"content-type": "application/jsonl"})
        with urllib.request.urlopen(request, timeout=MOST_SECONDS):
            pass

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

    def script_before_the_page(self, script):
        added = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)

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
