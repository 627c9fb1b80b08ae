#!/usr/bin/env python3
# An extension written only from the public description of the format.
import json
import os
import sys

CITIES = {"oslo": -3, "lisbon": 17, "nairobi": 24}


def get_weather(args):
    city = str(args["city"]).lower()
    if city not in CITIES:
        raise KeyError(f"no weather for {args['city']}")
    who = args.get("_meta", {})
    return {
        "city": args["city"],
        "celsius": CITIES[city],
        "asked_by": who.get("agent_id"),
        "key_ends_with": os.environ["WEATHER_API_KEY"][-2:],
    }


def handle(message):
    method = message["method"]
    params = message.get("params", {})
    if method == "initialize":
        print(f"hello {params['extension_id']} on agent {params['agent_version']}", file=sys.stderr)
        return {
            "server_version": "0.1.0",
            "tools": [
                {
                    "name": "get_weather",
                    "description": "Weather of a city.",
                    "input_schema": {
                        "type": "object",
                        "properties": {"city": {"type": "string"}},
                        "required": ["city"],
                    },
                }
            ],
            "hooks": [],
        }
    if method == "tools/list":
        return {"tools": ["get_weather"]}
    if method == "tools/get_weather":
        return get_weather(params)
    if method == "shutdown":
        sys.exit(0)
    raise NotImplementedError(method)


for line in sys.stdin:
    message = json.loads(line)
    reply = {"jsonrpc": "2.0", "id": message.get("id")}
    try:
        reply["result"] = handle(message)
    except NotImplementedError as error:
        reply["error"] = {"code": -32601, "message": f"method not found: {error}"}
    except Exception as error:
        reply["error"] = {"code": -32000, "message": str(error)}
    print(json.dumps(reply))
    sys.stdout.flush()
