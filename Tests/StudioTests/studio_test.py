"""The studio as a person uses it, in Chromium.

Run by ci/studio, which says where the programs are: WATCHLINE, and a folder for pictures: PICTURES.
"""

import base64
import http.client
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

from axe_selenium_python import Axe
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

WATCHLINE = os.environ["WATCHLINE"]
PICTURES = pathlib.Path(os.environ["PICTURES"])
TRACES = pathlib.Path(__file__).parent.parent / "SimulationTests" / "Traces"
PAGE = pathlib.Path(__file__).parents[2] / "Tools/Studio/Page"


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

    def __init__(self, *words):
        self.process = subprocess.Popen(
            [WATCHLINE, "studio", "--listen", "127.0.0.1:0", *words], stdout=subprocess.PIPE, text=True
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
        self.assertEqual(self.studio.end(), 0)
        errors = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        self.assertEqual([error for error in errors if "ERR_CONNECTION_REFUSED" not in error], [])

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

    def control(self, name, text):
        if text in ("Go offline", "Go online"):
            return self.act(lambda: self.device(name).find_element(By.XPATH, f".//button[.='{text}']").click())
        panel = self.device(name).find_element(By.CSS_SELECTOR, "details[data-open]")
        if panel.get_attribute("open") is None:
            panel.find_element(By.TAG_NAME, "summary").click()
        self.act(lambda: panel.find_element(By.XPATH, f".//button[normalize-space()='{text}']").click())

    def at_server(self, text):
        panel = self.driver.find_element(By.ID, "server-controls")
        self.act(lambda: panel.find_element(By.XPATH, f".//button[normalize-space()='{text}']").click())

    def type(self, name, line):
        field = self.device(name).find_element(By.CSS_SELECTOR, "form input")
        self.act(lambda: field.send_keys(line, Keys.ENTER))

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


class StoryTests(StudioTestCase):
    def test_both_offline_by_mouse(self):
        self.type("phone", "new Tea 5:00")
        self.shows("watch", "Tea")
        self.tap("phone", "Tea")
        self.tap("phone", "(+)")
        self.type("phone", "add Warm the cup")
        self.tap("watch", "Tea")
        self.shows("watch", "Warm the cup")
        self.control("phone", "Go offline")
        self.control("watch", "Go offline")
        self.tap("phone", "Edit")
        self.type("phone", "name Green tea")
        self.tap("phone", "Save")
        self.tap("watch", "Warm the cup")
        self.assertNotIn("Green tea", self.screen("watch"))
        self.assertIn("☐", self.screen("phone"))
        self.assertIn("differs", self.driver.find_element(By.ID, "records").get_attribute("innerHTML"))
        self.control("phone", "Go online")
        self.control("watch", "Go online")
        self.shows("watch", "Green tea")
        self.shows("phone", "☑")
        self.picture("both-offline")
        self.driver.execute_script("document.querySelector('main').scrollTo(0, 0)")
        # Documentation/studio.webp is this picture.
        picture = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "webp", "quality": 55})
        (PICTURES / "studio.webp").write_bytes(base64.b64decode(picture["data"]))
        self.assertIn("finds nothing wrong", self.judge())
        replayed = self.replay(self.trace())
        self.assertEqual((replayed.returncode, replayed.stderr), (0, ""))
        self.assertIn("nothing is wrong", replayed.stdout)

    def test_by_keyboard_alone(self):
        for _ in range(60):
            ActionChains(self.driver).send_keys(Keys.TAB).perform()
            if self.driver.switch_to.active_element.get_attribute("aria-label") == "Type at the phone":
                break
        before = self.step()
        self.driver.switch_to.active_element.send_keys("new Tea 5:00", Keys.ENTER)
        self.until(lambda: self.step() != before)
        self.shows("watch", "Tea")
        # The field has the focus again, so that the next line can be typed.
        self.driver.switch_to.active_element.send_keys("open 1", Keys.ENTER)
        self.shows("phone", "05:00")
        self.until(lambda: "START" in self.screen("phone"))

    def test_killed_between_send_and_delivery(self):
        self.carry_everything("false")
        self.control("phone", "Send userInfo")
        self.control("phone", "Up")
        self.at_server("Commit")
        self.at_server("Kill the server")
        self.carry_everything("true")
        self.at_server("+1 s")
        self.picture("queues")
        self.control("watch", "Acknowledge")
        queue = self.driver.find_element(By.ID, "queue-rows")
        self.until(lambda: "finished" in queue.text)
        self.assertIn("finds nothing wrong", self.judge())

    def test_each_example(self):
        names = [one.get_attribute("value") for one in self.driver.find_elements(By.CSS_SELECTOR, "#examples option")]
        self.assertGreaterEqual(len(names), 6)
        for name in names[1:]:
            Select(self.driver.find_element(By.ID, "examples")).select_by_value(name)
            self.until(lambda: "of 2" not in self.driver.find_element(By.ID, "step").text and self.step() <= 3)
            while self.driver.find_element(By.ID, "forward").is_enabled():
                self.act(lambda: self.driver.find_element(By.ID, "forward").click())
                self.assertEqual(self.notice(), "", name)
            self.picture(f"example-{name}")
            self.assertIn("finds nothing wrong", self.judge(), name)
            self.assertNotEqual(self.driver.find_element(By.ID, "caption").text, "")

    def test_time_goes_back_and_forward(self):
        for line in ["new Tea 5:00", "new Coffee 4:00", "new Eggs 7:00"]:
            self.type("phone", line)
        end = self.screen("watch")
        last = self.step()
        self.act(lambda: self.driver.find_element(By.ID, "back").click())
        self.until(lambda: "Eggs" not in self.screen("watch"))
        self.act(lambda: self.driver.execute_script(
            "const range = document.getElementById('timeline'); range.value = 2; range.dispatchEvent(new Event('input'))"))
        self.until(lambda: "No Timers" in self.screen("watch"))
        self.act(lambda: self.driver.execute_script(
            "const range = document.getElementById('timeline'); range.value = range.max; range.dispatchEvent(new Event('input'))"))
        self.assertEqual(self.step(), last)
        self.until(lambda: self.screen("watch") == end)

    def test_what_lost_is_shown_and_restored(self):
        for name, line in [("phone", "new Tea 5:00"), ("phone", "open 1"), ("phone", "add Warm the cup"),
                           ("watch", "open 1")]:
            self.type(name, line)
        for name in ["phone", "watch"]:
            self.control(name, "Go offline")
        self.type("watch", "toggle 1")
        # Ticked, and not after all: what the watch did is older than that, and was not seen.
        for line in ["toggle 1", "toggle 1"]:
            self.at_server("+1 s")
            self.type("phone", line)
        for name in ["watch", "phone"]:
            self.control(name, "Go online")
        self.shows("watch", "☐")
        lost = self.driver.find_element(By.ID, "lost")
        self.until(lambda: "isCompleted" in lost.text and "the watch" in lost.text and "ms later" in lost.text)
        self.act(lambda: lost.find_element(By.TAG_NAME, "button").click())
        self.shows("watch", "☑")
        self.shows("phone", "☑")


class ControlTests(StudioTestCase):
    """What can be done to a device by mouse."""

    def choose(self, name, label, text):
        panel = self.device(name).find_element(By.CSS_SELECTOR, "details[data-open]")
        if panel.get_attribute("open") is None:
            panel.find_element(By.TAG_NAME, "summary").click()
        self.act(lambda: Select(panel.find_element(By.XPATH, f".//label[contains(., '{label}')]/select")).select_by_visible_text(text))

    def test_cut_installed_and_budget(self):
        self.type("phone", "new Tea 5:00")
        self.choose("phone", "Network", "cut after 20 bytes")
        self.type("phone", "open 1")
        self.type("phone", "add Warm the cup")
        self.until(lambda: "offline" in self.device("phone").text)
        self.control("phone", "Go online")
        self.choose("watch", "Installed", "its app is not there")
        self.control("phone", "Send userInfo")
        self.driver.find_element(By.ID, "wire-type").send_keys("error")
        self.until(lambda: "7006" in self.driver.find_element(By.ID, "lines").text)
        self.choose("watch", "Installed", "its app is there")
        self.choose("phone", "Complications a day", "1")
        self.control("phone", "Send complication")
        self.control("phone", "Send complication")
        self.assertIn("finds nothing wrong", self.judge())
        replayed = self.replay(self.trace())
        self.assertEqual((replayed.returncode, replayed.stderr), (0, ""))

    def test_what_waits_for_another_watch_says_so(self):
        Select(self.driver.find_element(By.ID, "watches")).select_by_visible_text("2")
        self.until(lambda: self.driver.find_elements(By.ID, "device-second"))
        self.control("watch", "Go offline")
        self.control("phone", "Send userInfo")
        self.control("second", "Select this watch")
        self.control("watch", "Go online")
        self.control("watch", "Send userInfo")
        queues = self.driver.find_element(By.ID, "queue-rows")
        self.until(lambda: "kept for the watch" in queues.text and "parked" in queues.text)
        self.picture("parked")


class PageTests(StudioTestCase):
    def test_two_tabs_and_a_reload(self):
        self.type("phone", "new Tea 5:00")
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.driver.get(self.studio.address)
        self.until(lambda: self.driver.find_elements(By.ID, "device-phone"))
        self.shows("watch", "Tea")
        self.type("watch", "open 1")
        self.driver.close()
        self.driver.switch_to.window(first)
        self.shows("watch", "START")
        self.driver.refresh()
        self.until(lambda: self.driver.find_elements(By.ID, "device-phone"))
        self.shows("watch", "START")
        self.assertIn("lines", self.until(lambda: self.driver.find_element(By.ID, "wire-count").text))

    def test_a_finding_is_shown_with_what_differs(self):
        self.type("phone", "new Tea 5:00")
        self.driver.execute_async_script(
            """
            const done = arguments[arguments.length - 1];
            const field = (name, phone, watch) => ({ name, values: { phone, watch } });
            import("/panels.js").then(({ showFindings }) => {
              showFindings([{ slug: "not-converged", headline: "Two devices differ.", story: ["The phone shows <b>Tea</b>."] }],
                document.getElementById("notice"),
                [{ kind: "timer", record: "1", shownAt: ["phone", "watch"], fields: [field("name", "Tea", "Coffee"), field("icon", "timer", "timer")] }]);
              done();
            });
            """)
        notice = self.driver.find_element(By.ID, "notice")
        self.assertIn("Two devices differ.\nThe phone shows <b>Tea</b>.", notice.text)
        rows = [row.text for row in notice.find_elements(By.CSS_SELECTOR, "tbody tr")]
        self.assertEqual(rows, ["timer Tea name Tea Coffee"])
        self.picture("finding")

    def test_watches_are_added_and_selected(self):
        Select(self.driver.find_element(By.ID, "watches")).select_by_visible_text("2")
        self.until(lambda: self.driver.find_elements(By.ID, "device-second"))
        self.until(lambda: "not reachable" in self.device("second").text)
        self.control("second", "Select this watch")
        self.picture("second-watch")
        self.until(lambda: "not reachable" not in self.device("second").text)
        self.assertIn("not reachable", self.device("watch").text)

    def test_names_are_no_markup(self):
        name = "<img src=x onerror=document.title='taken'><b>Tea</b>"
        self.type("phone", "new")
        self.type("phone", f"name {name}")
        self.type("phone", "duration 5:00")
        self.type("phone", "done")
        self.shows("watch", "<b>Tea</b>")
        self.type("watch", "open 1")
        self.assertEqual(self.driver.title, "Watchline studio")
        self.assertEqual(self.driver.find_elements(By.CSS_SELECTOR, "main img, main b"), [])

    def test_strangers_are_refused(self):
        token, port = self.studio.token, self.studio.port
        for path, headers in [
            ("/", {}), ("/?token=wrong", {}), ("/trace", {}), (f"/?token={token}", {"Host": "evil.example"}),
        ]:
            status, body = self.studio.get(path, headers)
            self.assertEqual(status, 403, path)
            self.assertTrue(body.strip().endswith("."), body)
        self.assertEqual(self.studio.get("/nothing")[0], 404)
        upgrade = {
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Host": f"127.0.0.1:{port}",
        }
        for query, origin in [
            (f"?token={token}", "http://evil.example"), ("?token=wrong", f"http://127.0.0.1:{port}"),
            (f"?token={token}", None),
        ]:
            headers = dict(upgrade, **({"Origin": origin} if origin else {}))
            try:
                status, _ = self.studio.get(f"/live{query}", headers)
                self.assertNotEqual(status, 101)
            except (http.client.HTTPException, ConnectionError):
                pass
        # The page goes on.
        self.type("phone", "new Tea 5:00")

    def test_bad_messages_are_answered(self):
        answers = self.driver.execute_async_script(
            """
            const done = arguments[arguments.length - 1];
            const socket = new WebSocket(`ws://${location.host}/live${location.search}`);
            const sent = ["nothing", "{}", '{"do":"event","device":"phone","verb":"explode"}',
              '{"do":"wait","milliseconds":-1}', '{"do":"open","trace":"{}"}', '{"do":"type","device":"nobody","line":"x"}'];
            const heard = [];
            socket.onopen = () => sent.forEach((text) => socket.send(text));
            socket.onmessage = (event) => {
              const message = JSON.parse(event.data);
              if (message.type === "error" || message.refusal) heard.push(message.message ?? message.refusal);
              if (heard.length === sent.length) { socket.close(); done(heard); }
            };
            """)
        self.assertEqual(len(answers), 6)
        for answer in answers:
            self.assertGreater(len(answer), 10)
        self.driver.refresh()
        self.until(lambda: self.driver.find_elements(By.ID, "device-phone"))

    def test_a_studio_that_ends_is_said(self):
        self.studio.process.terminate()
        self.until(lambda: "lost" in self.notice())

    def test_the_wire_says_what_a_line_is(self):
        self.type("phone", "new Tea 5:00")
        self.driver.find_element(By.ID, "wire-type").send_keys("activate")
        line = self.until(lambda: next(iter(self.driver.find_elements(By.CSS_SELECTOR, "#lines button")), None))
        self.driver.execute_script("arguments[0].click()", line)
        text = self.until(lambda: self.driver.find_element(By.ID, "line").text)
        self.assertIn("activate()", text)
        self.assertIn("clause 4.1", text)
        self.assertIn('"pair"', text)

    def test_narrow_and_wide_in_light_and_dark(self):
        for width, dark in [(1400, False), (1400, True), (390, False), (390, True)]:
            driver = browser(width, 900, dark)
            try:
                driver.get(self.studio.address)
                WebDriverWait(driver, 10).until(lambda _: driver.find_elements(By.ID, "device-phone"))
                field = driver.find_element(By.CSS_SELECTOR, "#device-phone form input")
                field.send_keys("new Tea 5:00", Keys.ENTER)
                time.sleep(0.3)
                for summary in driver.find_elements(By.TAG_NAME, "summary"):
                    driver.execute_script("arguments[0].click()", summary)
                axe = Axe(driver)
                axe.inject()
                found = axe.run()["violations"]
                self.assertEqual([(one["id"], one["nodes"][0]["html"][:200]) for one in found], [], f"{width} {dark}")
                overflow = driver.execute_script(
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                self.assertLessEqual(overflow, 0, f"{width} wide")
                driver.save_screenshot(str(PICTURES / f"page-{width}-{'dark' if dark else 'light'}.png"))
            finally:
                driver.quit()

    def test_many_lines_do_not_freeze_the_page(self):
        events = [{"at": 0, "device": name, "do": "connect"} for name in ["phone", "watch"]]
        events += [{"at": 0, "device": name, "do": "flow"} for name in ["phone", "watch"]]
        for _ in range(2500):
            events.append({"at": 0, "device": "phone", "do": "transfer", "lane": "userInfo"})
            events.append({"at": 0, "device": "phone", "do": "flow"})
            events.append({"at": 0, "device": "watch", "do": "flow"})
            events.append({"at": 0, "device": "watch", "do": "acknowledge"})
        header = {
            "trace": 1, "world": "server", "seed": 0, "schema": "todoTimers", "start": 1790000000000, "options": {},
            "devices": [{"device": "phone", "role": "phone"}, {"device": "watch", "role": "watch"}],
            "events": len(events),
        }
        with tempfile.NamedTemporaryFile("w", suffix=".ndjson", delete=False) as file:
            file.write("\n".join(json.dumps(line) for line in [header, *events]) + "\n")
        self.driver.execute_script(
            """
            window.longest = 0;
            let last = performance.now();
            const frame = (now) => { window.longest = Math.max(window.longest, now - last); last = now; requestAnimationFrame(frame); };
            requestAnimationFrame(frame);
            """)
        self.driver.find_element(By.ID, "open").send_keys(file.name)
        self.until(lambda: f"of {len(events)}" in self.driver.find_element(By.ID, "step").text, 30)
        start = time.monotonic()
        self.driver.execute_script(
            "const range = document.getElementById('timeline'); range.value = range.max; range.dispatchEvent(new Event('input'))")
        self.until(lambda: self.step() == len(events), 60)
        print(f"\n{len(events)} events: there after {time.monotonic() - start:.2f} s, "
              f"longest frame {self.driver.execute_script('return window.longest'):.0f} ms")
        count = self.driver.find_element(By.ID, "wire-count").text
        self.assertIn("are not here", count)
        # Dragged along: of what is asked for meanwhile the last one counts.
        middle = len(events) // 2
        start = time.monotonic()
        self.driver.execute_script(
            """
            const range = document.getElementById('timeline');
            for (let step = 20; step > 0; step -= 1) { range.value = arguments[0] - 20 + 20 / step; range.dispatchEvent(new Event('input')); }
            """, middle)
        self.until(lambda: self.step() == middle, 60)
        print(f"dragged to the middle: there after {time.monotonic() - start:.2f} s")
        self.type("phone", "new Tea 5:00")
        pathlib.Path(file.name).unlink()


    def test_ten_thousand_lines_a_second(self):
        longest = self.driver.execute_async_script(
            """
            const done = arguments[arguments.length - 1];
            import("/wire.js").then(({ addLines }) => {
              let [longest, last, sent] = [0, performance.now(), 0];
              const line = (number) => ({ at: number, from: number % 2 ? "phone" : "server", to: number % 2 ? "server" : "watch",
                step: 1, text: JSON.stringify({ type: "didReceiveUserInfo", from: "phone", seq: number, payload: { v: number } }) });
              const feed = setInterval(() => {
                addLines(Array.from({ length: 500 }, (_, index) => line(sent + index)), 0);
                sent += 500;
                if (sent >= 30000) { clearInterval(feed); done(longest); }
              }, 50);
              const frame = (now) => { longest = Math.max(longest, now - last); last = now; requestAnimationFrame(frame); };
              requestAnimationFrame(frame);
            });
            """)
        print(f"\n10,000 lines a second for 3 s: longest frame {longest:.0f} ms")
        self.assertLess(longest, 1000)
        self.assertIn("older ones are not here", self.driver.find_element(By.ID, "wire-count").text)


class MockupTests(StudioTestCase):
    """The screens of seed 001, as pictures for people to look at."""

    def frame(self, name, title):
        frame = self.device(name).find_element(By.CLASS_NAME, "frame")
        self.driver.execute_script("arguments[0].scrollIntoView()", frame)
        frame.screenshot(str(PICTURES / f"mockup-{title}.png"))

    def test_twelve_mockups(self):
        self.frame("phone", "01-empty-list")
        for line in ["new Study 45:00", "new Workout 25:00", "open Workout", "add Warm up", "add Stretch", "notes",
                     "write Remember to hydrate!", "save", "toggle 2"]:
            self.type("phone", line)
        self.shows("watch", "Workout")
        self.frame("watch", "02-watch-list")
        self.frame("phone", "03-detail")
        self.type("phone", "start")
        self.at_server("+1 min")
        self.shows("phone", "24:00")
        self.frame("phone", "04-running")
        self.type("phone", "pause")
        self.shows("phone", "PAUSED")
        self.frame("phone", "05-paused")
        self.type("phone", "notes")
        self.frame("phone", "06-notes")
        self.type("phone", "cancel")
        self.tap("phone", "(+)")
        self.frame("phone", "07-add-todo")
        self.type("phone", "cancel")
        self.tap("phone", "Edit")
        self.frame("phone", "08-edit-timer")
        self.tap("phone", "Delete Timer")
        self.shows("phone", "Delete Timer?")
        self.frame("phone", "09-delete")
        self.tap("phone", "Cancel")
        self.type("phone", "cancel")
        self.assertEqual(self.notice(), "")
        self.type("phone", "resume")
        self.assertEqual(self.notice(), "")
        for _ in range(25):
            self.at_server("+1 min")
        self.shows("phone", "Timer Complete!")
        self.frame("phone", "10-complete")
        self.tap("phone", "Dismiss")
        self.tap("phone", "Timers")
        self.frame("phone", "11-list")
        self.tap("phone", "☰")
        self.shows("phone", "NOTIFICATIONS")
        self.frame("phone", "12-settings")
        self.assertEqual(len(list(PICTURES.glob("mockup-*.png"))), 12)


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
        cls.folder = tempfile.TemporaryDirectory()
        examples = pathlib.Path(__file__).parents[2] / "Tools/Examples"
        cls.merge = ["--against", f"command:python3 -B {examples}/whole_record.py"]
        fuzzed = subprocess.run(
            [WATCHLINE, "fuzz", *cls.merge, "--seeds", "1..60", "--jobs", "1", "--out", cls.folder.name],
            capture_output=True, text=True)
        cls.said = fuzzed.stdout
        cls.finding = next(pathlib.Path(cls.folder.name).glob("lost-edit-*"))
        cls.words = ("--open", str(cls.finding), *cls.merge)

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

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
            self.assertEqual(studio.end(), 0)
        self.driver.get(self.studio.address)


class RealServerTests(StudioTestCase):
    """With a server that is a process: its data stays, and a kill -9 is one."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        cls.data = pathlib.Path(cls.folder.name) / "it's data"
        cls.words = ("--data", str(cls.data))

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

    def test_killed_by_mouse_and_nothing_is_lost(self):
        self.type("phone", "new Tea 5:00")
        self.shows("watch", "Tea")
        self.carry_everything("false")
        self.control("phone", "Send userInfo")
        self.control("phone", "Up")
        self.at_server("Kill the server")
        self.carry_everything("true")
        self.type("phone", "open 1")
        self.type("phone", "add Warm the cup")
        self.type("watch", "open 1")
        self.shows("watch", "Warm the cup")
        # Here time passes by itself.
        self.type("phone", "start")
        self.until(lambda: "04:58" in self.screen("phone"))
        self.control("watch", "Acknowledge")
        self.until(lambda: "finished" in self.driver.find_element(By.ID, "queue-rows").text)
        self.assertEqual(self.notice(), "")
        self.picture("real-server")
        self.assertTrue(list(self.data.iterdir()))
        self.assertEqual(self.driver.find_elements(By.XPATH, "//button[.='The disk fails' or .='+1 s']"), [])
        self.act(lambda: self.driver.find_element(By.ID, "back").click())
        self.act(lambda: self.driver.find_element(By.ID, "forward").click())
        self.shows("watch", "Warm the cup")
        self.assertIn("finds nothing wrong", self.until(lambda: self.judge(), 60))

    def test_a_server_of_somebody_elses(self):
        ready = subprocess.Popen(
            [str(pathlib.Path(WATCHLINE).parent / "watchline-server"), "--listen", "127.0.0.1:0", "--data", ":memory:"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        address = ready.stdout.readline().strip().split(" listening on ")[1]
        studio = Studio("--connect", address)
        try:
            self.driver.get(studio.address)
            self.until(lambda: self.driver.find_elements(By.ID, "device-phone"))
            self.type("phone", "new Tea 5:00")
            self.shows("watch", "Tea")
            kill = self.driver.find_element(By.XPATH, "//button[normalize-space()='Kill the server']")
            self.assertFalse(kill.is_enabled())
            ready.kill()
            ready.wait()
            self.until(lambda: "The server ended" in self.notice())
        finally:
            ready.stdout.close()
            self.assertEqual(studio.end(), 0)
        self.driver.get(self.studio.address)
        self.until(lambda: self.driver.find_elements(By.ID, "device-phone"))


class OldPageTests(StudioTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        for file in PAGE.iterdir():
            text = file.read_text().replace("{{BUILD}}", "yesterday")
            (pathlib.Path(cls.folder.name) / file.name).write_text(text)
        cls.words = ("--assets", cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

    def test_a_page_of_yesterdays_build_says_so(self):
        self.until(lambda: "another build" in self.notice())
        self.assertEqual(self.driver.find_elements(By.ID, "device-phone"), [])


class CommandTests(unittest.TestCase):
    def run_studio(self, *words):
        return subprocess.run([WATCHLINE, "studio", *words], capture_output=True, text=True, timeout=20)

    def test_what_cannot_be_opened_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.ndjson"
            whole = (TRACES / "made-by-two-at-once.ndjson").read_text()
            for text, words in [
                (whole[: len(whole) // 2], "cannot be read"),
                (whole.replace('"trace":1', '"trace":2', 1), "version"),
            ]:
                path.write_text(text)
                ended = self.run_studio("--open", str(path))
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(words, ended.stderr)
        self.assertEqual(self.run_studio("--open", "nowhere").returncode, 2)

    def test_servers_that_are_not_there_are_said(self):
        for words, status, text in [
            (("--connect", "127.0.0.1:1"), 2, "no server at 127.0.0.1:1"),
            (("--connect", "nonsense"), 2, "HOST:PORT"),
            (("--connect", "127.0.0.1:1", "--data", "x"), 2, "leave --data out"),
            (("--data", "/dev/null/x"), 2, "before it listened"),
            (("--data", ""), 2, "folder"),
            (("--against", "tcp:127.0.0.1:1"), 2, "--connect"),
            (("--open", str(TRACES / "made-by-two-at-once.ndjson"), "--loss", "fields"), 2, "--against command"),
        ]:
            ended = self.run_studio(*words)
            self.assertEqual(ended.returncode, status, words)
            self.assertIn(text, ended.stderr)

    def test_the_address_alone_for_a_script(self):
        studio = subprocess.Popen([WATCHLINE, "studio", "--listen", "127.0.0.1:0", "--print-url"], stdout=subprocess.PIPE, text=True)
        self.assertRegex(studio.stdout.readline(), r"^http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32}\n$")
        studio.terminate()
        self.assertEqual(studio.wait(timeout=10), 0)
        studio.stdout.close()

    def test_other_machines_are_not_listened_to(self):
        for address in ["0.0.0.0:9283", "example.org:80", "127.0.0.1", "127.0.0.1:70000"]:
            ended = self.run_studio("--listen", address)
            self.assertEqual(ended.returncode, 2, ended.stderr)

    def test_a_taken_port_is_said(self):
        studio = Studio()
        ended = self.run_studio("--listen", f"127.0.0.1:{studio.port}")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("cannot be listened at", ended.stderr)
        self.assertEqual(studio.end(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
