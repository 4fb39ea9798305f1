"""The seeds' stories, by mouse and by keyboard."""

import base64

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from support import PICTURES, StudioTestCase


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
        box = f".//label[contains(., '{label}')]/select"
        self.act(lambda: Select(self.panel(name).find_element(By.XPATH, box)).select_by_visible_text(text))

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
