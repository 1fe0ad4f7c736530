"""moto's server, answering one request after the other.

moto keeps its tables in plain memory: it changes an item in place while others read it, and undoes a cancelled transaction by
putting back its earlier copy of the whole table, with what others wrote meanwhile lost.
"""

import threading

from moto import server

turn = threading.Lock()


class InTurn(server.DomainDispatcherApplication):
    def __call__(self, *args, **kwargs):
        with turn:
            return super().__call__(*args, **kwargs)


server.DomainDispatcherApplication = InTurn
server.main()
