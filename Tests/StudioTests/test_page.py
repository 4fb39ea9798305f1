"""The page itself: tabs, strangers, bad input, contrast, speed."""

import http.client
import json
import pathlib
import tempfile
import time

from axe_selenium_python import Axe
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from support import PICTURES, Studio, StudioTestCase, browser

PAGE = pathlib.Path(__file__).parents[2] / "Tools/Studio/Page"


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
        self.leave()
        # What the browser wrote of the studio that it sought and did not find: here it may.
        self.driver.get_log("browser")

    def test_the_wire_says_what_a_line_is(self):
        self.type("phone", "new Tea 5:00")
        self.driver.find_element(By.ID, "wire-type").send_keys("activate")
        # Until the filter is drawn, the first row is another one.
        self.until(lambda: (lines := self.lines()) and all("activate" in line for line in lines))
        self.driver.find_element(By.CSS_SELECTOR, "#lines button").click()
        text = self.until(lambda: self.driver.find_element(By.ID, "line").text)
        self.assertIn("activate()", text)
        self.assertIn("clause 4.1", text)
        self.assertIn('"pair"', text)

    def test_a_press_outlasts_new_lines(self):
        self.type("phone", "new Tea 5:00")
        # One that has a clause; others may not.
        rows = self.until(lambda: self.driver.find_elements(By.XPATH, "//*[@id='lines']//button[contains(., 'activat')]"))
        ActionChains(self.driver).click_and_hold(rows[-1]).perform()
        before = self.driver.find_element(By.ID, "wire-count").text
        offline = self.device("watch").find_element(By.XPATH, ".//button[.='Go offline']")
        self.driver.execute_script("arguments[0].click()", offline)
        self.until(lambda: self.driver.find_element(By.ID, "wire-count").text != before)
        self.assertEqual(self.driver.switch_to.active_element, rows[-1])
        ActionChains(self.driver).release().perform()
        self.assertIn("clause", self.driver.find_element(By.ID, "line").text)
        # A filter leaves rows out, and has them again in their order.
        words = self.driver.find_element(By.ID, "wire-type")
        shown = self.lines()
        words.send_keys("activate")
        self.until(lambda: 0 < len(self.lines()) < len(shown))
        words.send_keys(Keys.BACKSPACE * len("activate"))
        self.until(lambda: self.lines()[: len(shown)] == shown)

    def lines(self):
        return self.driver.execute_script(
            "return [...document.querySelectorAll('#lines button')].map((row) => row.innerText)")

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


class OldPageTests(StudioTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for file in PAGE.iterdir():
            text = file.read_text().replace("{{BUILD}}", "yesterday")
            (cls.folder / file.name).write_text(text)
        cls.words = ("--assets", cls.folder)

    def test_a_page_of_yesterdays_build_says_so(self):
        self.until(lambda: "another build" in self.notice())
        self.assertEqual(self.driver.find_elements(By.ID, "device-phone"), [])
