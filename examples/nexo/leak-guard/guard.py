"""Answers one JSON-RPC request per line: two tools, and two hooks that stop secrets from leaving."""

import json
import sys

from secrets_in_text import find, mask

TEXT_INPUT = {
    "type": "object",
    "properties": {"text": {"type": "string", "description": "The text to scan."}},
    "required": ["text"],
    "additionalProperties": False,
}

TOOLS = [
    {
        "name": "find_secrets",
        "description": "Lists keys, tokens, card numbers and IBANs in a text by kind, line and column, "
        "without repeating them.",
        "input_schema": TEXT_INPUT,
    },
    {
        "name": "mask_secrets",
        "description": "Returns the text with keys, tokens, card numbers and IBANs replaced by their kind.",
        "input_schema": TEXT_INPUT,
    },
]

HOOKS = ["before_message", "before_tool_call"]


class RequestError(Exception):
    """A request that cannot be answered, with its JSON-RPC code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def call(params):
    name = params.get("name")
    arguments = params.get("arguments") or {}
    if name not in ("find_secrets", "mask_secrets"):
        raise RequestError(-32601, f"no tool named {name}")
    text = arguments.get("text") if isinstance(arguments, dict) else None
    if not isinstance(text, str):
        raise RequestError(-32602, '"text" must be a string')
    if name == "mask_secrets":
        masked, count = mask(text)
        return {"text": masked, "masked": count}
    return {
        "secrets": [
            {
                "kind": hit.kind,
                "line": text.count("\n", 0, hit.start) + 1,
                "column": hit.start - text.rfind("\n", 0, hit.start),
                "length": hit.end - hit.start,
            }
            for hit in find(text)
        ]
    }


def before_message(params):
    """Masks secrets in a message. The conversation continues with the masked text."""
    text = params.get("text")
    if not isinstance(text, str):
        return {"abort": False}
    masked, count = mask(text)
    return {"abort": False, "override": {"text": masked}} if count else {"abort": False}


def before_tool_call(params):
    """Stops a call of any other tool whose arguments contain a secret."""
    tool = str(params.get("tool") or params.get("tool_name") or params.get("name") or "")
    if "leak_guard" in tool.replace("-", "_"):
        return {"abort": False}
    kinds = sorted({hit.kind for text in texts(params.get("arguments", params)) for hit in find(text)})
    if not kinds:
        return {"abort": False}
    return {"abort": True, "reason": f"the arguments seem to contain: {', '.join(kinds)}"}


def texts(value):
    """Every string at any depth, including keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from texts(member)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def answer(method, params):
    if method == "initialize":
        return {"server_version": "1.0.0", "tools": TOOLS, "hooks": HOOKS}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return call(params)
    if method == "hooks/before_message":
        return before_message(params)
    if method == "hooks/before_tool_call":
        return before_tool_call(params)
    if method == "shutdown":
        return {}
    raise RequestError(-32601, f"unknown method {method}")


def main():
    for line in sys.stdin:
        if not line.strip():
            continue
        request = parsed(line)
        if request is None:
            reply(None, error={"code": -32700, "message": "this line is not a JSON object"})
            continue
        method, params = request.get("method"), request.get("params")
        if not isinstance(params, dict):
            params = {}
        try:
            outcome = {"result": answer(method, params)}
        except RequestError as error:
            outcome = {"error": {"code": error.code, "message": str(error)}}
        if "id" in request:
            reply(request["id"], **outcome)
        if method == "shutdown":
            return


def parsed(line):
    try:
        request = json.loads(line)
    except ValueError:
        return None
    return request if isinstance(request, dict) else None


def reply(request_id, **outcome):
    print(json.dumps({"jsonrpc": "2.0", "id": request_id, **outcome}), flush=True)


if __name__ == "__main__":
    main()
