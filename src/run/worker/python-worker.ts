/** The Python version of the worker in node-worker.ts. Requests arrive on descriptor 4, answers leave on descriptor 3. */
export const pythonWorker = String.raw`
import json, os, sys, time

entry = sys.argv[1]
sys.argv = [entry]
home = os.path.dirname(entry)
sys.path[0] = home
home += "/"
for descriptor in (3, 4):
    os.set_inheritable(descriptor, False)


def send(message):
    try:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:
        text = json.dumps(message, allow_nan=False).encode("ascii")
    put(text)


def put(line):
    view = memoryview(line + b"\n")
    try:
        while view:
            view = view[os.write(3, view):]
    except OSError:
        os._exit(70)


def flush():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__):
        try:
            stream.flush()
        except Exception:
            pass


def note(text):
    flush()
    try:
        os.write(2, (text + "\n").encode("utf-8", "replace"))
    except OSError:
        pass


def error_text(error):
    try:
        return str(error)[:8000] or type(error).__name__
    except Exception:
        return type(error).__name__


def note_error(error):
    lines = [type(error).__name__ + ": " + error_text(error)]
    step = error.__traceback__
    places = []
    while step is not None:
        name = step.tb_frame.f_code.co_filename
        if name.startswith(home):
            places.append("  at %s:%d in %s" % (name[len(home):], step.tb_lineno, step.tb_frame.f_code.co_name))
        step = step.tb_next
    note("\n".join(lines + places[-12:][::-1]))


def leave(error):
    if error.code is not None and not isinstance(error.code, int):
        note(str(error.code))
    flush()
    os._exit(0 if error.code is None else error.code & 255 if isinstance(error.code, int) else 1)


def load():
    from importlib.util import module_from_spec, spec_from_file_location

    name = os.path.splitext(os.path.basename(entry))[0]
    if name in sys.modules:
        name = "toolwharf_entry"
    spec = spec_from_file_location(name, entry)
    if spec is None:
        from importlib.machinery import SourceFileLoader

        spec = spec_from_file_location(name, entry, loader=SourceFileLoader(name, entry))
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def failed(error):
    note_error(error)
    kind, place, message = "threw", "", type(error).__name__ + ": " + error_text(error)
    if isinstance(error, SyntaxError):
        kind, message = "syntax", error.msg or "it cannot be parsed"
        place = "%s:%s" % (error.filename, error.lineno)
    elif isinstance(error, ModuleNotFoundError):
        kind, message = "missing", error_text(error)
    send({"failed": kind, "message": message, "place": place, "home": home})
    flush()
    os._exit(1)


loop = None


def settle(waiting):
    """One event loop for the life of the process, because clients of the code are bound to it."""
    global loop
    import asyncio

    if loop is None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
    return loop.run_until_complete(waiting)


def answer(module, request):
    reply = {"id": request["id"]}
    call = vars(module).get(request["export"])
    if not callable(call):
        reply["absent"] = request["export"]
        return reply
    try:
        if request["convention"] == "envelope":
            event = {"tool": request["tool"], "input": request["input"]}
            if request["idempotencyKey"] is not None:
                event["idempotencyKey"] = request["idempotencyKey"]
            value = call(event)
        else:
            value = call(request["input"], {"config": request["config"], "dataDir": request["dataDir"]})
        if hasattr(value, "__await__"):
            value = settle(value)
    except SystemExit as error:
        leave(error)
    except MemoryError:
        reply["memory"] = True
        return reply
    except BaseException as error:
        note_error(error)
        reply["error"] = error_text(error)
        return reply
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        try:
            line = text.encode("utf-8")
        except UnicodeEncodeError:
            line = json.dumps(value, allow_nan=False).encode("ascii")
    except Exception as error:
        reply["bad"] = error_text(error).split("\n")[0]
        return reply
    if len(line) > request["limit"]:
        reply["large"] = len(line)
        return reply
    return b'{"id":%d,"cpu":%f,"value":%s}' % (reply["id"], time.process_time(), line)


def main():
    try:
        module = load()
    except SystemExit as error:
        leave(error)
    except BaseException as error:
        failed(error)
    flush()
    put(b'{"ready":true}')
    with os.fdopen(4, "rb") as requests:
        for line in requests:
            reply = answer(module, json.loads(line))
            flush()
            if isinstance(reply, bytes):
                put(reply)
            else:
                reply["cpu"] = time.process_time()
                send(reply)
    os._exit(0)


main()
`;
