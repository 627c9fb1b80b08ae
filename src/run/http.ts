import type { Action, HttpBody, OutputReader, UrlTemplate } from '../model/action.js';
import { HostError } from '../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { HttpClient, HttpResponse } from '../net/client.js';
import type { Reach } from '../net/destination.js';
import { fillHeader, fillJson, fillPath, fillQuery, fillText } from './fill.js';
import { excerpt } from './output.js';
import type { RunRequest, RunResult } from './run.js';

const bodyBytes = 10 * 1024 * 1024;

/** Makes the one request that the tool stands for. */
export async function runHttp(
  action: Extract<Action, { kind: 'http' }>,
  request: RunRequest,
  client: HttpClient,
  reach: Reach,
): Promise<RunResult> {
  const name = `${request.package.id}/${request.tool.name}`;
  const body = bodyOf(action.body, request.input);
  const headers: Record<string, string> = {
    accept: 'application/json, text/*;q=0.9, */*;q=0.5',
    'user-agent': 'toolport',
    ...(body?.type === undefined ? {} : { 'content-type': body.type }),
    // Lets a server recognise a repeated delivery of the same call.
    ...(action.method === 'GET' ? {} : { 'idempotency-key': request.callId }),
  };
  for (const header of action.headers)
    headers[header.name.toLowerCase()] = fillHeader(header.value, request.input, header.name);
  const response = await client.send({
    method: action.method,
    url: urlOf(action.url, request.input),
    headers,
    ...(body === undefined ? {} : { body: body.text }),
    reach,
    credential: action.credential !== undefined,
    limits: { wallMs: request.timeoutMs, bodyBytes },
    signal: request.signal,
  });
  if (response.status < 200 || response.status > 299) {
    const words = response.body.length === 0 ? '' : `: ${excerpt(response.body.toString('utf8'))}`;
    throw new HostError('tool_failed', `${name} was answered ${response.status} ${response.reason}${words}`);
  }
  return { value: readAnswer(response, action.output, name), warnings: [] };
}

function urlOf(url: UrlTemplate, input: JsonObject): string {
  const query = url.query.flatMap(({ name, value }) => {
    const text = fillQuery(value, input);
    return text === undefined ? [] : [`${encodeURIComponent(name)}=${text}`];
  });
  return `${url.origin}${fillPath(url.path, input)}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

function bodyOf(body: HttpBody, input: JsonObject): { text: string; type?: string } | undefined {
  switch (body.kind) {
    case 'none':
      return undefined;
    case 'json':
      return { text: JSON.stringify(fillJson(body.body, input) ?? null), type: 'application/json' };
    case 'text':
      return { text: fillText(body.body, input), type: 'text/plain; charset=utf-8' };
    case 'form': {
      const fields = body.fields.flatMap(({ name, value }) => {
        const text = fillQuery(value, input);
        return text === undefined ? [] : [`${encodeURIComponent(name)}=${text}`];
      });
      return { text: fields.join('&'), type: 'application/x-www-form-urlencoded' };
    }
    case 'input':
      return { text: JSON.stringify(without(input, body.except)), type: 'application/json' };
  }
}

/** A copy less the members at the given paths. */
function without(value: Json, paths: readonly (readonly string[])[]): Json {
  if (!isObject(value) || paths.length === 0) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const inside = paths.filter((it) => it[0] === name).map((it) => it.slice(1));
    return inside.some((it) => it.length === 0) ? [] : [[name, without(member, inside)] as const];
  });
  return Object.fromEntries(members);
}

function readAnswer(response: HttpResponse, output: OutputReader, name: string): Json {
  if (output.format === 'none') return null;
  if (output.format === 'binary') return response.body.toString('base64');
  const text = response.body.toString('utf8');
  const type = response.headers['content-type'] ?? '';
  const json =
    output.format === 'json' ||
    output.format === 'line' ||
    (output.format === 'auto' && /[/+]json\b/i.test(type));
  if (!json) return text;
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HostError(
      'tool_bad_output',
      `${name} was answered with something that is not JSON: ${excerpt(text)}`,
      { cause: error },
    );
  }
}
