"""What the tests of the studio share: a studio, a browser, and what a person does with them.

ci/studio says where the programs are: WATCHLINE, and a folder for pictures: PICTURES.
"""

import http.client
import os
import pathlib
import re
import subprocess
import unittest

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

WATCHLINE = os.environ["WATCHLINE"]
PICTURES = pathlib.Path(os.environ["PICTURES"])
TRACES = pathlib.Path(__file__).parent.parent / "SimulationTests" / "Traces"


def browser(width=1280, height=960, dark=False):
    options = webdriver.ChromeOptions()
    for word in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]:
        options.add_argument(word)
    options.add_argument(f"--window-size={width},{height}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.binary_location = "/usr/bin/chromium"
    service = webdriver.ChromeService("/usr/bin/chromedriver")
    driver = webdriver.Chrome(options=options, service=service)
    # The narrowest window of Chromium is wider than a phone.
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    if dark:
        features = [{"name": "prefers-color-scheme", "value": "dark"}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    return driver


class Studio:
    """A studio of its own, on any free port."""

    def __init__(self, *words, listen="127.0.0.1:0"):
        self.process = subprocess.Popen(
            [WATCHLINE, "studio", "--listen", listen, *words], stdout=subprocess.PIPE, text=True
        )
        line = self.process.stdout.readline()
        self.address = line.split("studio: ")[1].strip()
        self.port = int(re.search(r":(\d+)/", self.address).group(1))
        self.token = self.address.split("token=")[1]

    def end(self):
        self.process.terminate()
        status = self.process.wait(timeout=10)
        self.process.stdout.close()
        return status

    def get(self, path, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        connection.request("GET", path, headers=headers or {})
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer.status, body


class StudioTestCase(unittest.TestCase):
    words = ()

    @classmethod
    def setUpClass(cls):
        cls.driver = browser()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def setUp(self):
        self.studio = Studio(*self.words)
        self.driver.get(self.studio.address)
        self.until(lambda: self.driver.find_elements(By.ID, "device-phone") or self.notice() or self.step() >= 0)

    def tearDown(self):
        self.leave()
        self.assertEqual(self.studio.end(), 0)
        self.assertEqual([one["message"] for one in self.driver.get_log("browser") if one["level"] == "SEVERE"], [])

    def leave(self):
        """Leaves the page, which would seek its studio again when that has ended, and say that it does not find it."""
        self.driver.get("about:blank")

    # What a person does.

    def until(self, condition, seconds=10):
        """Waits for what the page is to show; an element that the page has drawn anew meanwhile is looked up again."""
        waiting = WebDriverWait(self.driver, seconds, 0.05, [StaleElementReferenceException])
        return waiting.until(lambda _: condition())

    def device(self, name):
        return self.driver.find_element(By.ID, f"device-{name}")

    def shows(self, name, text):
        self.until(lambda: text in self.screen(name))

    def screen(self, name):
        return self.driver.execute_script(
            "return document.querySelector(`#device-${arguments[0]} .frame`).innerText", name
        )

    def step(self):
        return int(self.driver.execute_script("return document.body.dataset.step ?? -1"))

    def notice(self):
        return self.driver.find_element(By.ID, "notice").text

    def act(self, action):
        """Does something that is one step, and waits for it."""
        before = self.step()
        self.until(lambda: (action(), True))
        self.until(lambda: self.step() != before)

    def carry_everything(self, pressed):
        """Presses `Carry everything`, which is no step, and waits until it is or is not pressed."""
        def find():
            return self.driver.find_element(By.XPATH, "//button[normalize-space()='Carry everything']")

        find().click()
        self.until(lambda: find().get_attribute("aria-pressed") == pressed)

    def tap(self, name, text):
        def click():
            buttons = self.device(name).find_elements(By.CSS_SELECTOR, ".frame button:not(:disabled)")
            next(one for one in buttons if text in one.text).click()

        self.act(click)

    def panel(self, name):
        """The controls of a device, unfolded."""
        panel = self.device(name).find_element(By.CSS_SELECTOR, "details[data-open]")
        if panel.get_attribute("open") is None:
            panel.find_element(By.TAG_NAME, "summary").click()
        return panel

    def control(self, name, text):
        if text in ("Go offline", "Go online"):
            return self.act(lambda: self.device(name).find_element(By.XPATH, f".//button[.='{text}']").click())
        button = f".//button[normalize-space()='{text}']"
        self.act(lambda: self.panel(name).find_element(By.XPATH, button).click())

    def at_server(self, text):
        button = f"//*[@id='server-controls']//button[normalize-space()='{text}']"
        self.act(lambda: self.driver.find_element(By.XPATH, button).click())

    def type(self, name, line):
        self.act(lambda: self.device(name).find_element(By.CSS_SELECTOR, "form input").send_keys(line, Keys.ENTER))

    def judge(self):
        self.driver.find_element(By.ID, "judge").click()
        return self.until(self.notice)

    def trace(self):
        status, body = self.studio.get(f"/trace?token={self.studio.token}")
        self.assertEqual(status, 200)
        return body

    def replay(self, trace):
        return subprocess.run([WATCHLINE, "replay", "-"], input=trace, capture_output=True, text=True)

    def picture(self, name):
        self.driver.save_screenshot(str(PICTURES / f"{name}.png"))
