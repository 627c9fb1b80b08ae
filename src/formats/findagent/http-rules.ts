import { isObject, type JsonObject, type JsonPath } from '../../model/json.js';
import { show } from '../check.js';
import { suggest } from '../suggest.js';
import { parseBody } from './body.js';
import type { FindagentReport } from './codes.js';
import { hostCovers } from './host-name.js';
import { listOf, objectOf, objectsOf, stringOf } from './manifest-fields.js';
import { parsePlaceholders } from './placeholder.js';
import {
  checkPlaceholderNames,
  checkSuspects,
  checkUnused,
  type KnownInputs,
  knownInputs,
} from './placeholder-rules.js';
import { parseUrl } from './url.js';

/** Records and checks the placeholders of one field. */
type UsePlaceholders = (place: JsonPath, names: readonly string[]) => void;

/** Checks an HTTP action. `at` is the path of the action in the manifest. */
export function checkHttp(
  report: FindagentReport,
  manifest: JsonObject,
  tool: JsonObject,
  at: JsonPath,
): void {
  const action = objectOf(tool.action);
  const known = knownInputs(tool);
  const used = new Set<string>();
  const usePlaceholders: UsePlaceholders = (place, names) => {
    for (const name of names) used.add(name);
    checkPlaceholderNames(report, known, place, names);
  };
  const url = stringOf(action.url) ?? '';
  const host = url === '' ? undefined : checkUrl(report, known, [...at, 'url'], url, usePlaceholders);
  checkHeaders(report, action, at, usePlaceholders);
  checkBody(report, action, at, usePlaceholders);
  checkAuthRef(report, manifest, action, at, host);
  const readable =
    action.body_template === undefined ||
    typeof action.body_template === 'string' ||
    typeof action.body_template === 'object';
  if (host !== undefined && readable && !sendsInputAsBody(action))
    checkUnused(report, tool, at.slice(0, -1), used);
}

/** Without a body template, POST, PUT and PATCH send the inputs that the URL and headers do not use. */
export function sendsInputAsBody(action: JsonObject): boolean {
  return ['POST', 'PUT', 'PATCH'].includes(String(action.method)) && action.body_template === undefined;
}

function checkUrl(
  report: FindagentReport,
  known: KnownInputs,
  at: JsonPath,
  url: string,
  usePlaceholders: UsePlaceholders,
): string | undefined {
  const parsed = parseUrl(url, 'url');
  for (const { code, message, hint } of parsed.problems) report.at(code, at, message, { hint });
  if (parsed.target === undefined) return undefined;
  usePlaceholders(at, parsed.names);
  for (const name of parsed.pathNames) {
    if (typeof known === 'string' || !known.names.has(name) || known.alwaysPresent.has(name)) continue;
    const message = `{${name}} in the path of url may have no value: the input is not required and has no default`;
    report.at('findagent.optional-param', at, message, {
      hint: `add ${show(name)} to "required" of input_schema`,
    });
  }
  return parsed.target.host;
}

/** The host sets these. A manifest that sets them could change the framing or destination of the request. */
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

function checkHeaders(
  report: FindagentReport,
  action: JsonObject,
  at: JsonPath,
  usePlaceholders: UsePlaceholders,
): void {
  if (!isObject(action.headers)) return;
  const seen = new Map<string, string>();
  for (const [name, value] of Object.entries(action.headers)) {
    const place = [...at, 'headers', name];
    const folded = name.toLowerCase();
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) {
      report.at('findagent.header-name', place, `${show(name)} is not a valid header name`, {
        hint: 'write a fixed name such as "X-Request-Source"; only values can have placeholders',
        spot: 'key',
      });
    } else if (reserved.has(folded)) {
      const message = `a manifest cannot set the header ${show(name)}`;
      report.at('findagent.header-reserved', place, message, { hint: 'remove it', spot: 'key' });
    } else if (credentials.has(folded) && action.auth_ref === undefined) {
      const message = `the header ${show(name)} looks like a credential, but header values are not protected`;
      report.at('findagent.header-credential', place, message, {
        hint: 'declare a credential slot and name it in auth_ref',
        spot: 'key',
      });
    }
    const previous = seen.get(folded);
    if (previous !== undefined) {
      const message = `the header ${show(name)} repeats the header ${show(previous)}`;
      report.at('findagent.header-twice', place, message, { hint: 'keep one of them', spot: 'key' });
    }
    seen.set(folded, name);
    if (typeof value !== 'string') continue;
    if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) {
      report.at(
        'findagent.header-value',
        place,
        `the header ${show(name)} contains a line break or control character`,
        {
          hint: 'write the value on one line',
        },
      );
    }
    const { names, suspects } = parsePlaceholders(value);
    usePlaceholders(place, names);
    checkSuspects(report, place, suspects);
  }
}

function checkBody(
  report: FindagentReport,
  action: JsonObject,
  at: JsonPath,
  usePlaceholders: UsePlaceholders,
): void {
  const template = action.body_template;
  if (typeof template !== 'string' && !isObject(template) && !Array.isArray(template)) return;
  const place = [...at, 'body_template'];
  const parsed = parseBody(template, contentTypeOf(action));
  for (const { code, message, hint } of parsed.problems) report.at(code, place, message, { hint });
  usePlaceholders(place, parsed.names);
  checkSuspects(report, place, parsed.suspects);
  if (action.method === 'GET') {
    report.at('findagent.body-not-sent', place, 'a GET request has no body; body_template is not sent', {
      hint: 'use POST, or put the inputs in the query',
      spot: 'key',
    });
  }
}

export function contentTypeOf(action: JsonObject): string | undefined {
  for (const [name, value] of Object.entries(objectOf(action.headers))) {
    if (name.toLowerCase() === 'content-type' && typeof value === 'string') return value;
  }
  return undefined;
}

/** Checks the auth_ref of an action or of a remote server. */
export function checkAuthRef(
  report: FindagentReport,
  manifest: JsonObject,
  action: JsonObject,
  at: JsonPath,
  host: string | undefined,
): void {
  const ref = stringOf(action.auth_ref);
  if (ref === undefined || ref === '') return;
  const place = [...at, 'auth_ref'];
  const slots = objectsOf(manifest.credential_slots).map(([, it]) => it);
  const slot = slots.find((it) => it.ref === ref);
  if (slot === undefined) {
    const meant = suggest(
      ref,
      slots.slice(0, 200).flatMap((it) => stringOf(it.ref) ?? []),
    );
    report.at(
      'findagent.auth-ref-unknown',
      place,
      `auth_ref ${show(ref)} is not the ref of a credential slot`,
      {
        hint:
          meant === undefined
            ? `add a slot with "ref": ${show(ref)} to credential_slots`
            : `did you mean "${meant}"?`,
      },
    );
    return;
  }
  const audience = listOf(slot.allowed_hosts).filter((it) => typeof it === 'string');
  if (host !== undefined && audience.length > 0 && !audience.some((it) => hostCovers(it, host))) {
    const message = `${show(host)} may not receive the credential ${show(ref)}; allowed hosts: ${firstFew(audience)}`;
    report.at('findagent.auth-ref-audience', place, message, {
      hint: `if this host should receive it, add ${show(host)} to allowed_hosts of the slot`,
    });
  }
  const sent = headerOf(slot);
  const clash = Object.keys(objectOf(action.headers)).find((it) => it.toLowerCase() === sent);
  if (clash !== undefined) {
    const message = `the header ${show(clash)} is already set by the credential ${show(ref)}`;
    report.at('findagent.header-conflict', [...at, 'headers', clash], message, {
      hint: 'remove it',
      spot: 'key',
    });
  }
}

function headerOf(slot: JsonObject): string {
  const name = slot.auth_scheme === 'header' ? stringOf(slot.header_name) : undefined;
  return (name ?? 'authorization').toLowerCase();
}

function firstFew(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
}
