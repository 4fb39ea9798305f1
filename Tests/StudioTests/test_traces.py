"""Traces and findings that are opened."""

import json
import pathlib
import subprocess
import tempfile

from axe_selenium_python import Axe
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from support import PICTURES, TRACES, WATCHLINE, Studio, StudioTestCase, browser


# Cells of tables whose one short word stands on two lines.
BROKEN_WORDS = r"""
    const lines = (text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      return new Set([...range.getClientRects()].map((line) => line.top)).size;
    };
    return [...document.querySelectorAll("th, td, td button")]
      .filter((cell) => cell.firstChild?.nodeType === Node.TEXT_NODE && /^(\S{1,6}|Step \d+)$/.test(cell.innerText))
      .filter((cell) => lines(cell.firstChild) > 1).map((cell) => cell.innerText);
"""


class RecordedTests(StudioTestCase):
    words = ("--open", str(TRACES / "made-by-two-at-once.ndjson"))

    def test_a_trace_is_opened(self):
        text = self.driver.find_element(By.ID, "step").text
        self.assertRegex(text, r"step (\d+) of \1")
        self.act(lambda: self.driver.find_element(By.ID, "back").click())
        self.assertNotEqual(self.driver.find_element(By.ID, "forward").get_attribute("disabled"), "true")
        self.assertIn("finds nothing wrong", self.judge())


class FindingTests(StudioTestCase):
    """What `watchline fuzz` has found in a merge, opened at its step."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        examples = pathlib.Path(__file__).parents[2] / "Tools/Examples"
        cls.merge = ["--against", f"command:python3 -B {examples}/whole_record.py"]
        fuzzed = subprocess.run(
            [WATCHLINE, "fuzz", *cls.merge, "--seeds", "1..60", "--jobs", "1", "--out", cls.folder],
            capture_output=True, text=True)
        cls.said = fuzzed.stdout
        cls.finding = next(cls.folder.glob("lost-edit-*"))
        cls.words = ("--open", str(cls.finding), *cls.merge)

    def test_a_lost_edit(self):
        found = json.loads((self.finding / "finding.json").read_text())
        self.assertIn(found["headline"], self.notice())
        self.assertIn(f"studio     watchline studio --open {self.finding} --against", self.said)
        self.assertIn("watchline studio --open", (self.finding / "report.html").read_text())
        self.assertEqual(self.step(), len(found["steps"]))
        self.assertFalse(self.driver.find_element(By.ID, "server").is_displayed())
        self.driver.find_element(By.CSS_SELECTOR, "footer summary").click()
        losing = self.driver.find_elements(By.CSS_SELECTOR, "#steps .losing")
        self.assertEqual(len(losing), len(found["path"]))
        for width, dark in [(1280, False), (390, True)]:
            driver = browser(width, 960, dark)
            try:
                driver.get(self.studio.address)
                WebDriverWait(driver, 10).until(lambda _: driver.find_elements(By.ID, "device-phone"))
                axe = Axe(driver)
                axe.inject()
                self.assertEqual([one["id"] for one in axe.run()["violations"]], [])
                self.assertEqual(driver.execute_script(BROKEN_WORDS), [])
                driver.save_screenshot(str(PICTURES / f"lost-edit-{width}.png"))
            finally:
                driver.quit()
        # Where the edit was made, one device shows it.
        edit = next(write["step"] for write in found["field"]["writes"] if "lost" in write["fate"])
        self.assertIn("lost", self.driver.find_element(By.ID, "lost").text)
        self.act(lambda: self.driver.find_element(By.XPATH, f"//*[@id='lost']//button[.='Step {edit + 1}']").click())
        self.assertEqual(self.step(), edit + 1)
        self.assertEqual(self.notice(), "")
        value = next(write["value"] for write in found["field"]["writes"] if "lost" in write["fate"])
        shown = self.driver.find_element(By.ID, "records").text
        self.assertIn(json.loads(value) if value.startswith('"') else value, shown)
        self.assertIn(found["headline"], self.judge())
        replayed = subprocess.run([WATCHLINE, "replay", "-", *self.merge], input=self.trace(), capture_output=True, text=True)
        self.assertEqual(replayed.returncode, 1)
        self.act(lambda: self.driver.find_element(By.ID, "begin").click())
        self.until(lambda: self.driver.find_elements(By.CSS_SELECTOR, "#device-watch .frame"))

    def test_our_own_merge_loses_nothing(self):
        self.driver.find_element(By.ID, "open").send_keys(str(self.finding / "trace.ndjson"))
        self.until(lambda: "trace.ndjson" in self.driver.find_element(By.ID, "title").text)
        studio = Studio("--open", str(self.finding))
        try:
            self.driver.get(studio.address)
            self.until(lambda: self.driver.find_elements(By.ID, "device-phone"))
            self.assertEqual(self.notice(), "")
            self.assertIn("finds nothing wrong", self.judge())
        finally:
            self.leave()
            self.assertEqual(studio.end(), 0)
