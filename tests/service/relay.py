# SPDX-License-Identifier: Apache-2.0
"""A TCP relay to a port of 127.0.0.1 whose connections a case can cut."""

import socket
import threading


class Relay:
    def __init__(self, port):
        self.to_port = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.open = []
        self.lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(("127.0.0.1", self.to_port))
            except OSError:
                return  # closed
            with self.lock:
                self.open += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    @staticmethod
    def _copy(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        """Ends every connection; new ones are taken."""
        with self.lock:
            for one in self.open:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
            self.open.clear()

    def close(self):
        self.listener.close()
        self.cut()
