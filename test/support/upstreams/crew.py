# A small test program for both protocols. MANNER selects its behavior: valid or one kind of misbehavior.
#   crew.py nexo|mcp MANNER
import json
import os
import signal
import sys
import threading
import time

protocol, manner = sys.argv[1:3]
writing = threading.Lock()


def write(message):
    with writing:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def answer(id, text):
    body = {"text": text, "pid": os.getpid()}
    if protocol == "mcp":
        body = {"content": [{"type": "text", "text": json.dumps(body)}], "structuredContent": body}
    write({"id": id, "result": body})


def flood():
    piece = "x" * 1000 + "\n"
    while True:
        try:
            with writing:
                sys.stdout.write(piece)
                sys.stdout.flush()
            sys.stderr.write(piece)
            sys.stderr.flush()
        except OSError:
            os._exit(0)


def call(id, given):
    text, wait = given.get("text", ""), given.get("ms", 0) / 1000
    if manner == "crash":
        os._exit(7)
    if manner == "hang" or given.get("hang"):
        return
    if manner == "flood":
        threading.Thread(target=flood, daemon=True).start()
        return
    if manner == "garbage":
        with writing:
            sys.stdout.write('{"jsonrpc": "2.0", "id": \n\x00\x01 [] null {"id": 999999, "result": 1}\n')
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": id, "result": [[["?"]]]})[:-9] + "\n")
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": id}) + "\n")
            sys.stdout.flush()
        return
    if wait == 0:
        answer(id, text)
    else:
        threading.Timer(wait, answer, (id, text)).start()


schema = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "ms": {"type": "number"}, "hang": {"type": "boolean"}},
    "additionalProperties": False,
}


def handle(id, method, params):
    if method in ("initialize", "tools/list"):
        name = "inputSchema" if protocol == "mcp" else "input_schema"
        tools = [{"name": "act", "description": "Acts as its manner says.", name: schema}]
        about = {"server_version": "1.0.0"}
        if protocol == "mcp" and method == "initialize":
            about = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": manner, "version": "1"},
            }
        write({"id": id, "result": {**about, "tools": tools}})
    elif method == "ping":
        write({"id": id, "result": {}})
    elif method == "tools/call":
        call(id, params["arguments"])
    elif method == "shutdown":
        write({"id": id, "result": {}})
        if manner != "stubborn":
            os._exit(0)
    else:
        write({"id": id, "error": {"code": -32601, "message": "no such method"}})


if manner in ("stubborn", "mute"):
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(each, signal.SIG_IGN)
for line in sys.stdin:
    message = json.loads(line)
    if manner != "mute" and message.get("id") is not None and "method" in message:
        handle(message["id"], message["method"], message.get("params") or {})
# The input has ended, so a well-behaved program exits.
if manner in ("stubborn", "mute"):
    while True:
        time.sleep(60)
os._exit(0)
