"""Real servers, and the command line."""

import http.client
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from support import TRACES, WATCHLINE, Studio, StudioTestCase, browser


class RealServerTests(StudioTestCase):
    """With a server that is a process: its data stays, and a kill -9 is one."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.data = cls.folder / "it's data"
        cls.words = ("--data", str(cls.data))

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
            self.leave()
            self.assertEqual(studio.end(), 0)


class TokenTests(unittest.TestCase):
    """A server that wants a token, which WATCHLINE_TOKEN has."""

    def test_with_a_token_and_without(self):
        with tempfile.TemporaryDirectory() as folder:
            tokens = f"{folder}/tokens"
            made = subprocess.run(
                [WATCHLINE, "token", "create", "--tokens", tokens, "--pair", "studio-*", "--grant", "connect,configure"],
                capture_output=True, text=True)
            token = re.search(r"wl1_\S+", made.stdout).group(0)
            server = subprocess.Popen(
                [str(pathlib.Path(WATCHLINE).parent / "watchline-server"), "--listen", "127.0.0.1:0", "--data", ":memory:",
                 "--tokens", tokens], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            address = server.stdout.readline().strip().split(" listening on ")[1]
            driver = browser()
            try:
                for known, said in [(token, None), (None, "A device cannot begin a session")]:
                    os.environ.pop("WATCHLINE_TOKEN", None)
                    if known:
                        os.environ["WATCHLINE_TOKEN"] = known
                    studio = Studio("--connect", address)
                    driver.get(studio.address)
                    wait = WebDriverWait(driver, 10)
                    if said:
                        wait.until(lambda _: said in driver.find_element(By.ID, "notice").text)
                        time.sleep(1)
                    else:
                        wait.until(lambda _: "online" in driver.find_element(By.ID, "device-watch").text)
                        self.assertNotIn(token, driver.page_source)
                    self.assertEqual(studio.end(), 0)
            finally:
                os.environ.pop("WATCHLINE_TOKEN", None)
                driver.quit()
                server.terminate()
                log = server.communicate()[1]
            # It is not tried again and again.
            self.assertLess(log.count("event=refused"), 5, log[-500:])


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

    def test_other_machines_are_listened_to_where_that_is_meant(self):
        studio = Studio("--allow-remote", listen="127.0.0.2:0")
        self.assertIn("http://127.0.0.2:", studio.address)
        for path, status in [(f"/?token={studio.token}", 200), ("/", 403)]:
            connection = http.client.HTTPConnection("127.0.0.2", studio.port, timeout=5)
            connection.request("GET", path, headers={"Host": "box.example"})
            self.assertEqual(connection.getresponse().status, status)
            connection.close()
        driver = browser()
        try:
            driver.get(studio.address)
            WebDriverWait(driver, 10).until(lambda _: driver.find_elements(By.ID, "device-phone"))
        finally:
            driver.quit()
        self.assertEqual(studio.end(), 0)

    def test_a_taken_port_is_said(self):
        studio = Studio()
        ended = self.run_studio("--listen", f"127.0.0.1:{studio.port}")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("cannot be listened at", ended.stderr)
        self.assertEqual(studio.end(), 0)
