# SPDX-License-Identifier: Apache-2.0
"""Programs under test: long-running ones with their logs, and commands that end."""

import os
import re
import signal
import socket
import subprocess
import time

# Only bounds a test that fails: nothing is asserted about time.
PATIENCE = 60


def wait_for(what, condition, patience=PATIENCE):
    """Polls until `condition()` is true and returns its value; AssertionError when it never is."""
    deadline = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {patience} s in vain: {what}")
        time.sleep(0.05)


def free_ports(count):
    """TCP ports of 127.0.0.1 that nobody listens on at this moment."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Ended:
    """What a command that ended has said."""

    def __init__(self, arguments, status, out, err):
        self.arguments, self.status, self.out, self.err = arguments, status, out, err

    def __str__(self):
        return (f"$ {' '.join(map(str, self.arguments))}\nstatus {self.status}\n"
                f"--- stdout\n{self.out}--- stderr\n{self.err}")


def run(*arguments, stdin=None, env=None, cwd=None, patience=PATIENCE):
    """Runs a command to its end. A signal that ended it is a negative status."""
    merged = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", **(env or {})}
    done = subprocess.run(list(map(str, arguments)), input=stdin, capture_output=True, env=merged,
                          cwd=cwd, timeout=patience, check=False)
    return Ended(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())


class Process:
    """A program that runs until it is told to stop; its log is what it writes to stderr."""

    def __init__(self, name, arguments, log):
        self.name, self.arguments, self.log_path = name, list(map(str, arguments)), log
        self.popen = None
        self.start()

    def start(self):
        with open(self.log_path, "ab") as log:
            # Its own session: a Ctrl-C in the terminal ends the test, which then ends this.
            self.popen = subprocess.Popen(self.arguments, stdin=subprocess.DEVNULL, stdout=log,
                                          stderr=log, start_new_session=True)
        self.stopped = False

    def status(self):
        return self.popen.poll()

    def ended_by_itself(self):
        return not self.stopped and self.popen.poll() is not None

    def send(self, number):
        self.popen.send_signal(number)

    def log(self, since=0):
        with open(self.log_path, "rb") as log:
            log.seek(since)
            return log.read().decode(errors="replace")

    def mark(self):
        """The end of the log as it stands, for `since`."""
        return self.log_path.stat().st_size

    def wait_for_log(self, pattern, since=0):
        def look():
            found = re.search(pattern, self.log(since))
            if not found and self.ended_by_itself():
                raise AssertionError(f"{self.name} ended with {self.status()}:\n{self.log(since)}")
            return found
        try:
            return wait_for(f"/{pattern}/ in the log of {self.name}", look)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.log(since)}") from None

    def resident_kib(self):
        with open(f"/proc/{self.popen.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1))

    def stop(self):
        """Asks it to end, and returns its status; kills what does not."""
        self.stopped = True
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGTERM)
            try:
                self.popen.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.popen.kill()
                self.popen.wait()
        return self.popen.returncode
