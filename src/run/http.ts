import type { Action, HttpBody, OutputReader, UrlTemplate } from '../model/action.js';
import { HostError } from '../model/host-error.js';
import { mayReceive } from '../model/host-name.js';
import { isObject, type Json } from '../model/json.js';
import { answerLimits, excessText, JsonExcessError, parseBounded } from '../model/json-bounds.js';
import { inexactNumber, inexactText } from '../model/json-number.js';
import type { AuthScheme, Slot, SlotValue, SlotValues } from '../model/slot.js';
import type { Template } from '../model/template.js';
import type { NetworkReach } from '../net/destination.js';
import type { HttpClient, HttpResponse } from '../net/http-client.js';
import { transientStatus } from '../net/transient-failure.js';
import { decodeUtf8, envelopeError, quotedExcerpt, readBinary, readRecords } from './output-reader.js';
import { recordReporter } from './record-stream.js';
import type { RunRequest, RunResult } from './run.js';
import {
  fillHeader,
  fillJson,
  fillPath,
  fillQuery,
  fillText,
  type TemplateValues,
} from './template-filling.js';

type Http = Extract<Action, { kind: 'http' }>;

/** Sends the HTTP request of the tool. */
export async function runHttp(
  action: Http,
  request: RunRequest,
  slots: SlotValues,
  client: HttpClient,
  reach: NetworkReach,
): Promise<RunResult> {
  const name = `${request.package.id}/${request.tool.name}`;
  const values = { input: request.input, slots };
  const secrets = usedSecrets(action, request.package.slots, slots);
  assertAudience(action.url.origin, secrets, reach, name);
  const body = bodyOf(action.body, values);
  const headers: Record<string, string> = {
    accept: 'application/json, text/*;q=0.9, */*;q=0.5',
    'user-agent': 'toolwharf',
    ...(body?.type === undefined ? {} : { 'content-type': body.type }),
    // Lets a server detect a repeated request of the same call.
    ...(action.method === 'GET' ? {} : { 'idempotency-key': request.callId }),
  };
  for (const header of action.headers) {
    const value = fillHeader(header.value, values, header.name);
    if (value !== undefined) headers[header.name.toLowerCase()] = value;
  }
  Object.assign(headers, credentialOf(action.credential, request.package.slots, slots));
  const response = await client.send({
    method: action.method,
    url: urlOf(action.url, values),
    headers,
    ...(body === undefined ? {} : { body: body.text }),
    reach,
    credential: secrets.length > 0,
    limits: { wallMs: request.timeoutMs, bodyBytes: request.outputBytes },
    signal: request.signal,
    onDenied: (place) => request.onNetworkDenied([place]),
    onContacted: (place) => request.onNetworkUsed?.([place]),
    onBody: recordReporter(action.output, request),
  });
  const text = response.body.toString('utf8');
  const envelope = action.output.errorEnvelope ? envelopeError(text, name) : undefined;
  if (response.status < 200 || response.status > 299) {
    const details = envelope?.message ?? (text.trim() === '' ? '' : quotedExcerpt(text));
    const message = `${name} got HTTP status ${response.status} ${response.reason}`.trimEnd();
    throw new HostError('tool_failed', details === '' ? message : `${message}: ${details}`, {
      ...hintOf(response),
      ...(envelope?.toolError === undefined ? {} : { toolError: envelope.toolError }),
      transient: transientStatus(response),
    });
  }
  if (envelope !== undefined) throw envelope;
  return readAnswer(response, action.output, name);
}

function hintOf({ status }: HttpResponse): { hint?: string } {
  if (status === 401 || status === 403)
    return { hint: 'the service rejected the credential; see "toolwharf secret list"' };
  return status === 429 ? { hint: 'the service limits the request rate; try again later' } : {};
}

/** Every secret that the request would contain, in any part. */
function usedSecrets(
  action: Http,
  declared: readonly Slot[],
  slots: SlotValues,
): { name: string; value: SlotValue }[] {
  const names = new Set<string>(action.credential === undefined ? [] : [action.credential]);
  const collect = (template: Template) => {
    for (const part of template.parts) if (part.kind === 'slot') names.add(part.slot);
  };
  collect(action.url.path);
  for (const it of [...action.url.query, ...action.headers]) collect(it.value);
  if (action.body.kind === 'text') collect(action.body.body);
  if (action.body.kind === 'form') for (const it of action.body.fields) collect(it.value);
  if (action.body.kind === 'json')
    for (const it of declared) if (usesSlot(action.body.body, it.name)) names.add(it.name);
  return [...names].flatMap((name) => {
    const value = slots.get(name);
    return value?.secret === true ? [{ name, value }] : [];
  });
}

function usesSlot(template: Extract<HttpBody, { kind: 'json' }>['body'], slot: string): boolean {
  switch (template.kind) {
    case 'literal':
      return false;
    case 'template':
      return template.template.parts.some((it) => it.kind === 'slot' && it.slot === slot);
    case 'array':
      return template.items.some((it) => usesSlot(it, slot));
    case 'object':
      return template.members.some((it) => usesSlot(it.value, slot));
  }
}

/** A secret is sent only to its allowed recipients, and only over HTTPS (or to a granted host). */
export function assertAudience(
  address: string,
  secrets: readonly { name: string; value: SlotValue }[],
  reach: NetworkReach,
  tool: string,
): void {
  const origin = new URL(address);
  for (const { name, value } of secrets) {
    if (!mayReceive(value.recipients, origin.hostname)) {
      throw new HostError(
        'denied',
        `${tool} would send the secret ${name} to ${origin.hostname}, which is not an allowed recipient`,
        {
          hint: `to allow it: toolwharf secret set ${tool.split('/', 1)[0]} ${name} --host ${origin.hostname}`,
        },
      );
    }
    const granted = reach.granted.some((it) => it.host === origin.hostname);
    if (origin.protocol !== 'https:' && !granted)
      throw new HostError('denied', `${tool} would send the secret ${name} over an unencrypted connection`, {
        hint: `to allow it to this address, add --allow net:${origin.hostname}:${origin.port || '80'}`,
      });
  }
}

/** The header that authenticates the request; empty if there is no credential or it has no value. */
export function credentialOf(
  credential: string | undefined,
  declared: readonly Slot[],
  slots: SlotValues,
): Record<string, string> {
  if (credential === undefined) return {};
  const stored = slots.get(credential)?.value;
  if (stored === undefined) return {};
  const slot = declared.find((it) => it.name === credential);
  // In JSON, line breaks are only between values, and key files have them. A header cannot.
  const value = slot?.type === 'json' ? stored.replaceAll(/[\r\n]+/g, ' ') : stored;
  const scheme: AuthScheme = slot?.delivery.kind === 'request' ? slot.delivery.scheme : { kind: 'bearer' };
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new HostError(
      'needs_setup',
      `the value of ${credential} has characters that a header cannot contain`,
    );
  switch (scheme.kind) {
    case 'bearer':
      return { authorization: `Bearer ${value}` };
    case 'basic':
      return { authorization: `Basic ${Buffer.from(value, 'utf8').toString('base64')}` };
    case 'raw':
      return { authorization: value };
    case 'header':
      return { [scheme.name.toLowerCase()]: `${scheme.prefix}${value}` };
  }
}

function urlOf(url: UrlTemplate, values: TemplateValues): string {
  const query = url.query.flatMap(({ name, value }) => {
    const text = fillQuery(value, values);
    return text === undefined ? [] : [`${encodeURIComponent(name)}=${text}`];
  });
  return `${url.origin}${fillPath(url.path, values)}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

function bodyOf(body: HttpBody, values: TemplateValues): { text: string; type?: string } | undefined {
  switch (body.kind) {
    case 'none':
      return undefined;
    case 'json':
      return { text: JSON.stringify(fillJson(body.body, values) ?? null), type: 'application/json' };
    case 'text':
      return { text: fillText(body.body, values), type: 'text/plain; charset=utf-8' };
    case 'form': {
      const fields = body.fields.flatMap(({ name, value }) => {
        const text = fillQuery(value, values);
        return text === undefined ? [] : [`${encodeURIComponent(name)}=${text}`];
      });
      return { text: fields.join('&'), type: 'application/x-www-form-urlencoded' };
    }
    case 'input':
      return { text: JSON.stringify(without(values.input, body.except)), type: 'application/json' };
  }
}

/** A copy without the members at the given paths. */
function without(value: Json, paths: readonly (readonly string[])[]): Json {
  if (!isObject(value) || paths.length === 0) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const inside = paths.filter((it) => it[0] === name).map((it) => it.slice(1));
    return inside.some((it) => it.length === 0) ? [] : [[name, without(member, inside)] as const];
  });
  return Object.fromEntries(members);
}

function readAnswer(response: HttpResponse, output: OutputReader, name: string): RunResult {
  if (output.format === 'none') return { value: null, warnings: [] };
  const type = response.headers['content-type'] ?? '';
  if (output.format === 'binary') return readBinary(response.body, type);
  const json =
    output.format === 'json' ||
    output.format === 'line' ||
    (output.format === 'auto' && /[/+]json\b/i.test(type));
  const text =
    json || output.format === 'records' ? decodeUtf8(response.body, name) : response.body.toString('utf8');
  if (output.format === 'records') return readRecords(text, name);
  if (!json) return { value: text, warnings: [] };
  if (text.trim() === '') return { value: null, warnings: [] };
  let value: Json;
  try {
    value = parseBounded(text, answerLimits);
  } catch (error) {
    if (error instanceof JsonExcessError)
      throw new HostError('tool_bad_output', `the response to ${name} ${excessText(error.excess)}`);
    throw new HostError('tool_bad_output', `the response to ${name} is not JSON: ${quotedExcerpt(text)}`, {
      cause: error,
    });
  }
  const inexact = inexactNumber(text);
  if (inexact === undefined) return { value, warnings: [] };
  throw new HostError('tool_bad_output', `the response to ${name} ${inexactText(inexact)}`, {
    hint: 'the service can send it as text, in quotes',
  });
}
