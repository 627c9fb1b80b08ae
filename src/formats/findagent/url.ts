import type { QueryParameter } from '../../model/action.js';
import { isLoopbackHost } from '../../model/host-name.js';
import type { Template } from '../../model/template.js';
import { show } from '../check.js';
import type { FindagentCode } from './codes.js';
import { isPrivateHost } from './host-name.js';
import { parsePlaceholders } from './placeholder.js';

export interface UrlProblem {
  readonly code: FindagentCode;
  readonly message: string;
  readonly hint?: string;
}

/** A URL with a fixed origin. Its path and query may have placeholders. */
export interface ParsedUrl {
  /** Absent when the destination of the request is unknown because of a problem. */
  readonly target?: {
    readonly origin: string;
    /** As a URL parser writes it; IPv6 in brackets. */
    readonly host: string;
    /** Null: the default port of the scheme. */
    readonly port: number | null;
    readonly path: Template;
    readonly query: readonly QueryParameter[];
  };
  /** Names of all placeholders. */
  readonly names: readonly string[];
  /** Names of the placeholders in the path. */
  readonly pathNames: readonly string[];
  readonly problems: readonly UrlProblem[];
}

const urlPattern = /^([^:/?#]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

/** Parses the URL of an action or a remote server. `what` is its name in messages. */
export function parseUrl(url: string, what: string): ParsedUrl {
  const problems: UrlProblem[] = [];
  const { names, suspects } = parsePlaceholders(url);
  const addProblem = (code: FindagentCode, message: string, hint?: string): undefined => {
    problems.push({ code, message, ...(hint === undefined ? {} : { hint }) });
  };
  const result = (target?: ParsedUrl['target'], pathNames: readonly string[] = []): ParsedUrl => ({
    ...(target === undefined ? {} : { target }),
    names,
    pathNames,
    problems,
  });

  const invalid = /[\s\\\u0000-\u0020\u007f]/.exec(url);
  if (invalid !== null) {
    addProblem(
      'findagent.url-form',
      `${what} ${show(url)} contains ${show(invalid[0])}`,
      'percent-encode it: a space is %20',
    );
    return result();
  }
  const match = urlPattern.exec(url);
  if (match === null) {
    const startsWithPlaceholder = /^\{[^}]*\}/.test(url);
    if (startsWithPlaceholder)
      addProblem('findagent.url-hole', `${what} ${show(url)} starts with a placeholder`, fixedHint);
    else
      addProblem(
        'findagent.url-form',
        `${what} ${show(url)} is not an absolute URL`,
        'start it with https:// and a host name',
      );
    return result();
  }
  const [, scheme = '', authority = '', path = '', query, fragment] = match;
  if (/[{}]/.test(scheme) || /[{}]/.test(authority)) {
    const place = /[{}]/.test(scheme) ? 'scheme' : placeholderPosition(authority);
    addProblem('findagent.url-hole', `${what} ${show(url)} has a placeholder in its ${place}`, fixedHint);
    return result();
  }
  if (authority.includes('@')) {
    addProblem(
      'findagent.url-user-info',
      `${what} has a user name or password before "@"`,
      'remove it; declare a credential slot and name it in auth_ref',
    );
    return result();
  }
  const place = destination(scheme, authority);
  if (place === null) {
    const bare = authority === '';
    addProblem(
      'findagent.url-form',
      bare ? `${what} ${show(url)} is not an absolute URL` : `${what} ${show(url)} is not a valid URL`,
      bare
        ? 'start it with https:// and a host name'
        : `fix ${show(authority)}: write a host name, and a port up to 65535`,
    );
    return result();
  }
  const { host, port, protocol } = place;
  // http is allowed only if the author wrote a loopback address, not if the URL parser converts something to one.
  const plainLoopback = protocol === 'http:' && isLoopbackHost(authority.replace(/:\d*$/, '').toLowerCase());
  if (protocol !== 'https:' && !plainLoopback) {
    addProblem(
      'findagent.url-not-https',
      `${what} uses ${show(scheme)}; only https is allowed`,
      httpsHint(protocol, url),
    );
    return result();
  }
  for (const suspect of suspects) {
    addProblem(
      'findagent.placeholder-form',
      `${show(suspect)} in ${what} is not a placeholder`,
      suspectHint(suspect),
    );
  }
  if (suspects.length === 0 && strayBrace(url)) {
    addProblem(
      'findagent.placeholder-form',
      `${what} ${show(url)} has a brace that is not part of a placeholder`,
      'write {name}, or %7B and %7D for the characters themselves',
    );
  }
  warnIfPrivate(addProblem, what, place);
  if (fragment !== undefined) {
    addProblem('findagent.url-fragment', `"#${clip(fragment)}" in ${what} is never sent`, 'remove it');
  }
  const pathTemplate = parsePlaceholders(path === '' ? '/' : path);
  return result(
    {
      origin: `${protocol}//${host}${port === null ? '' : `:${port}`}`,
      host,
      port,
      path: pathTemplate.template,
      query: query === undefined ? [] : parseQuery(query, what, addProblem),
    },
    pathTemplate.names,
  );
}

/**
 * Parses `a=1&b={b}`. Only values may have placeholders. Names are decoded, because they are encoded again when sent.
 * Literal text in a value stays encoded, except that "+" becomes "%20": not every server reads "+" as a space.
 */
export function parseQuery(
  text: string,
  what: string,
  addProblem: (code: FindagentCode, message: string, hint?: string) => void,
): QueryParameter[] {
  return text
    .split('&')
    .filter((it) => it !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      const name = at === -1 ? pair : pair.slice(0, at);
      if (parsePlaceholders(name).names.length > 0) {
        addProblem(
          'findagent.placeholder-place',
          `the parameter name ${show(name)} in ${what} has a placeholder; only values can have placeholders`,
          'write a fixed name and put the placeholder after "="',
        );
      }
      const { template } = parsePlaceholders(at === -1 ? '' : pair.slice(at + 1));
      return {
        name: decode(name),
        value: {
          parts: template.parts.map((part) =>
            part.kind === 'text' ? { kind: 'text' as const, text: part.text.replaceAll('+', '%20') } : part,
          ),
        },
      };
    });
}

const fixedHint = 'write a fixed scheme, host and port; inputs can only fill the path and the query';

function strayBrace(url: string): boolean {
  return parsePlaceholders(url).template.parts.some((it) => it.kind === 'text' && /[{}]/.test(it.text));
}

function placeholderPosition(authority: string): string {
  const at = authority.lastIndexOf('@');
  if (at !== -1 && /[{}]/.test(authority.slice(0, at))) return 'user name';
  return /:[^:\]]*[{}]/.test(authority.slice(at + 1)) && !/[{}].*:/.test(authority.slice(at + 1))
    ? 'port'
    : 'host';
}

function httpsHint(protocol: string, url: string): string {
  return protocol === 'http:' ? `write ${show(`https${url.slice(url.indexOf(':'))}`)}` : 'use an https URL';
}

function suspectHint(suspect: string): string {
  const name = /[A-Za-z_][A-Za-z0-9_.-]*/.exec(suspect)?.[0] ?? 'name';
  return `write {${name.replace(/[^A-Za-z0-9_]/g, '_')}}: one pair of braces around letters, digits and "_"`;
}

function warnIfPrivate(
  addProblem: (code: FindagentCode, message: string, hint?: string) => void,
  what: string,
  { host, port, protocol }: { host: string; port: number | null; protocol: string },
): void {
  const loopback = isLoopbackHost(host);
  if (!loopback && !isPrivateHost(host)) return;
  const shownPort = port ?? (protocol === 'http:' ? 80 : 443);
  addProblem(
    loopback ? 'findagent.loopback-url' : 'findagent.private-url',
    loopback ? `${what} points to this machine (${host})` : `${what} points to a private network (${host})`,
    `it works only if the operator allows it: --allow net:${host}:${shownPort}`,
  );
}

function destination(
  scheme: string,
  authority: string,
): { host: string; port: number | null; protocol: string } | null {
  if (authority === '') return null;
  try {
    const { hostname, port, protocol } = new URL(`${scheme}://${authority}/`);
    if (hostname === '') return null;
    return { host: hostname.replace(/\.$/, ''), port: port === '' ? null : Number(port), protocol };
  } catch {
    return null;
  }
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

function clip(text: string): string {
  return text.length > 40 ? `${text.slice(0, 37)}…` : text;
}
