import { isObject, type JsonObject, type JsonPath } from '../../model/json.js';
import { show } from '../check.js';
import type { Report } from '../report.js';
import { suggest } from '../suggest.js';
import { readBody } from './body.js';
import { checkHoles, checkSuspects, checkUnused, type KnownInputs, knownInputs } from './hole-rules.js';
import { covers } from './host-name.js';
import { splitHoles } from './placeholder.js';
import { listOf, objectOf, objectsOf, textOf } from './shape.js';
import { readUrl } from './url.js';

/** Notes the holes at a place. */
type NoteHoles = (place: JsonPath, names: readonly string[]) => void;

/** Rules for an action that sends a request. `at` is the place of the action. */
export function checkHttp(report: Report, manifest: JsonObject, tool: JsonObject, at: JsonPath): void {
  const action = objectOf(tool.action);
  const known = knownInputs(tool);
  const used = new Set<string>();
  const holes: NoteHoles = (place, names) => {
    for (const name of names) used.add(name);
    checkHoles(report, known, place, names);
  };
  const url = textOf(action.url) ?? '';
  const host = url === '' ? undefined : checkUrl(report, known, [...at, 'url'], url, holes);
  checkHeaders(report, action, at, holes);
  checkBody(report, action, at, holes);
  checkAuth(report, manifest, action, at, host);
  const readable =
    action.body_template === undefined ||
    typeof action.body_template === 'string' ||
    typeof action.body_template === 'object';
  if (host !== undefined && readable && !sendsInput(action)) checkUnused(report, tool, at.slice(0, -1), used);
}

/** A request that may have a body and has no template for it carries the rest of the input. */
export function sendsInput(action: JsonObject): boolean {
  return ['POST', 'PUT', 'PATCH'].includes(String(action.method)) && action.body_template === undefined;
}

function checkUrl(
  report: Report,
  known: KnownInputs,
  at: JsonPath,
  url: string,
  holes: NoteHoles,
): string | undefined {
  const read = readUrl(url, 'url');
  for (const { code, message, hint } of read.problems) report.at(code, at, message, { hint });
  if (read.target === undefined) return undefined;
  holes(at, read.names);
  for (const name of read.pathNames) {
    if (typeof known === 'string' || !known.names.has(name) || known.certain.has(name)) continue;
    const message = `{${name}} in the path of url may be missing: the input is neither required nor has a default`;
    report.at('findagent.optional-param', at, message, {
      hint: `add ${show(name)} to "required" of input_schema`,
    });
  }
  return read.target.host;
}

/** Set by whoever sends the request; a manifest that sets them could bend its framing or destination. */
const reserved = new Set(
  'host connection content-length transfer-encoding te trailer upgrade keep-alive expect proxy-authorization proxy-connection'.split(
    ' ',
  ),
);
const credentials = new Set([
  'authorization',
  'cookie',
  'x-api-key',
  'api-key',
  'x-auth-token',
  'x-access-token',
]);

function checkHeaders(report: Report, action: JsonObject, at: JsonPath, holes: NoteHoles): void {
  if (!isObject(action.headers)) return;
  const seen = new Map<string, string>();
  for (const [name, value] of Object.entries(action.headers)) {
    const place = [...at, 'headers', name];
    const folded = name.toLowerCase();
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) {
      report.at('findagent.header-name', place, `${show(name)} cannot be the name of a header`, {
        hint: 'write the name out, such as "X-Request-Source"; only values may have placeholders',
        spot: 'key',
      });
    } else if (reserved.has(folded)) {
      const message = `the header ${show(name)} cannot be set by a manifest`;
      report.at('findagent.header-reserved', place, message, { hint: 'remove it', spot: 'key' });
    } else if (credentials.has(folded) && action.auth_ref === undefined) {
      const message = `the header ${show(name)} looks like a credential in a place where none is protected`;
      report.at('findagent.header-credential', place, message, {
        hint: 'declare a credential slot and name it in auth_ref',
        spot: 'key',
      });
    }
    const twin = seen.get(folded);
    if (twin !== undefined) {
      const message = `the header ${show(name)} is the header ${show(twin)} again`;
      report.at('findagent.header-twice', place, message, { hint: 'keep one of them', spot: 'key' });
    }
    seen.set(folded, name);
    if (typeof value !== 'string') continue;
    if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) {
      report.at(
        'findagent.header-value',
        place,
        `the header ${show(name)} holds a line break or control character`,
        {
          hint: 'write the value on one line',
        },
      );
    }
    const { names, suspects } = splitHoles(value);
    holes(place, names);
    checkSuspects(report, place, suspects);
  }
}

function checkBody(report: Report, action: JsonObject, at: JsonPath, holes: NoteHoles): void {
  const template = action.body_template;
  if (typeof template !== 'string' && !isObject(template) && !Array.isArray(template)) return;
  const place = [...at, 'body_template'];
  const read = readBody(template, contentType(action));
  for (const { code, message, hint } of read.problems) report.at(code, place, message, { hint });
  holes(place, read.names);
  checkSuspects(report, place, read.suspects);
  if (action.method === 'GET') {
    report.at('findagent.body-not-sent', place, 'a GET request has no body; this one is not sent', {
      hint: 'use POST, or put the inputs in the query',
      spot: 'key',
    });
  }
}

export function contentType(action: JsonObject): string | undefined {
  for (const [name, value] of Object.entries(objectOf(action.headers))) {
    if (name.toLowerCase() === 'content-type' && typeof value === 'string') return value;
  }
  return undefined;
}

/** Rules for whatever names a credential: an action, or a server elsewhere. */
export function checkAuth(
  report: Report,
  manifest: JsonObject,
  action: JsonObject,
  at: JsonPath,
  host: string | undefined,
): void {
  const ref = textOf(action.auth_ref);
  if (ref === undefined || ref === '') return;
  const place = [...at, 'auth_ref'];
  const slots = objectsOf(manifest.credential_slots).map(([, it]) => it);
  const slot = slots.find((it) => it.ref === ref);
  if (slot === undefined) {
    const meant = suggest(
      ref,
      slots.slice(0, 200).flatMap((it) => textOf(it.ref) ?? []),
    );
    report.at('findagent.auth-ref-unknown', place, `auth_ref ${show(ref)} names no credential slot`, {
      hint:
        meant === undefined
          ? `add a slot with "ref": ${show(ref)} to credential_slots`
          : `did you mean "${meant}"?`,
    });
    return;
  }
  const audience = listOf(slot.allowed_hosts).filter((it) => typeof it === 'string');
  if (host !== undefined && audience.length > 0 && !audience.some((it) => covers(it, host))) {
    const message = `${show(host)} is not among the hosts that may receive ${show(ref)}: ${some(audience)}`;
    report.at('findagent.auth-ref-audience', place, message, {
      hint: `add ${show(host)} to allowed_hosts of the slot, if it really should receive it`,
    });
  }
  const sent = headerOf(slot);
  const clash = Object.keys(objectOf(action.headers)).find((it) => it.toLowerCase() === sent);
  if (clash !== undefined) {
    const message = `the header ${show(clash)} is filled by the credential ${show(ref)} already`;
    report.at('findagent.header-conflict', [...at, 'headers', clash], message, {
      hint: 'remove it',
      spot: 'key',
    });
  }
}

function headerOf(slot: JsonObject): string {
  const name = slot.auth_scheme === 'header' ? textOf(slot.header_name) : undefined;
  return (name ?? 'authorization').toLowerCase();
}

function some(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
}
