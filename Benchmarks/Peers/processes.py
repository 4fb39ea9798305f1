"""Processes that the benchmark starts, and the only ones that it ends."""

import ctypes
import os
import random
import signal
import socket
import subprocess
import time

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)
running = []


class Failure(Exception):
    """A run that could not be made, or showed what must not be: one sentence."""


def start(command, processor, output, folder=None):
    """Starts a command on one processor. It ends with this program, however this program ends."""

    def prepare():
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.sched_setaffinity(0, {processor})

    errors = subprocess.PIPE if output is subprocess.PIPE else subprocess.STDOUT
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, cwd=folder,
            start_new_session=True, preexec_fn=prepare)
    except OSError as error:
        raise Failure("%s: %s" % (command[0], error.strerror)) from None
    running.append(process)
    return process


def stop(process):
    """Ends a process that `start` made; with SIGKILL where SIGTERM does not do it."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process in running:
        running.remove(process)


def stop_all():
    for process in list(running):
        stop(process)


def run(command, processor, timeout):
    """Runs a command to its end and returns its standard output."""
    process = start(command, processor, subprocess.PIPE)
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failure("%s did not end in %d s" % (os.path.basename(command[0]), timeout)) from None
    finally:
        stop(process)
    if process.returncode != 0:
        lines = errors.decode(errors="replace").strip().splitlines()
        raise Failure(lines[-1] if lines else "%s: exit %d" % (command[0], process.returncode))
    return output


def installed(root, script):
    """The path that a script of ci/ prints when it has installed what it is for."""
    return subprocess.run([os.path.join(root, "ci", script)], capture_output=True, text=True, check=True).stdout.strip()


def free_port():
    """Below those that the kernel gives away, so that nobody takes it before the program for which it is."""
    while True:
        port = random.randrange(10_000, 32_768)
        try:
            socket.create_server(("127.0.0.1", port)).close()
            return port
        except OSError:
            continue


def wait_for_port(process, port, log):
    """Returns when somebody listens; fails where the process ends before, or after 20 s."""
    for _ in range(400):
        if process.poll() is not None:
            with open(log, errors="replace") as file:
                lines = file.read().strip().splitlines()
            raise Failure("ended with %d: %s" % (process.returncode, lines[-1] if lines else ""))
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise Failure("does not listen after 20 s")
