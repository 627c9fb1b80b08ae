import type { QueryParameter } from '../../model/action.js';
import type { DiagnosticCode } from '../../model/codes.js';
import type { Template } from '../../model/template.js';
import { show } from '../check.js';
import { isLoopback, isPrivate } from './host-name.js';
import { splitHoles } from './placeholder.js';

export interface UrlProblem {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint?: string;
}

/** A URL whose destination is fixed and whose path and query may have holes. */
export interface ReadUrl {
  /** Absent when a problem hides where the request would go. */
  readonly target?: {
    readonly origin: string;
    /** As a URL parser spells it; IPv6 in brackets. */
    readonly host: string;
    /** Null: the scheme's own. */
    readonly port: number | null;
    readonly path: Template;
    readonly query: readonly QueryParameter[];
  };
  /** Names of all holes, and of those in the path. */
  readonly names: readonly string[];
  readonly pathNames: readonly string[];
  readonly problems: readonly UrlProblem[];
}

const anatomy = /^([^:/?#]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

/** Takes apart the URL of an action or a remote server. `what` names it in messages. */
export function readUrl(url: string, what: string): ReadUrl {
  const problems: UrlProblem[] = [];
  const { names, suspects } = splitHoles(url);
  const wrong = (code: DiagnosticCode, message: string, hint?: string): undefined => {
    problems.push({ code, message, ...(hint === undefined ? {} : { hint }) });
  };
  const result = (target?: ReadUrl['target'], pathNames: readonly string[] = []): ReadUrl => ({
    ...(target === undefined ? {} : { target }),
    names,
    pathNames,
    problems,
  });

  const odd = /[\s\\\u0000-\u0020\u007f]/.exec(url);
  if (odd !== null) {
    wrong('findagent.url-form', `${what} ${show(url)} holds ${show(odd[0])}`, 'encode it: a blank is %20');
    return result();
  }
  const found = anatomy.exec(url);
  if (found === null) {
    const hole = /^\{[^}]*\}/.test(url);
    if (hole) wrong('findagent.url-hole', `${what} ${show(url)} begins with a placeholder`, fixedHint);
    else
      wrong(
        'findagent.url-form',
        `${what} ${show(url)} is not a whole URL`,
        'begin it with https:// and a host name',
      );
    return result();
  }
  const [, scheme = '', authority = '', path = '', query, fragment] = found;
  if (/[{}]/.test(scheme) || /[{}]/.test(authority)) {
    const place = /[{}]/.test(scheme) ? 'scheme' : placeOf(authority);
    wrong('findagent.url-hole', `${what} ${show(url)} has a placeholder in its ${place}`, fixedHint);
    return result();
  }
  if (authority.includes('@')) {
    wrong(
      'findagent.url-user-info',
      `${what} carries a user name or password before "@"`,
      'remove it; declare a credential slot and name it in auth_ref',
    );
    return result();
  }
  const place = destination(scheme, authority);
  if (place === null) {
    const bare = authority === '';
    wrong(
      'findagent.url-form',
      bare ? `${what} ${show(url)} is not a whole URL` : `${what} ${show(url)} is no valid URL`,
      bare
        ? 'begin it with https:// and a host name'
        : `mend ${show(authority)}: a host name, and a port up to 65535`,
    );
    return result();
  }
  const { host, port, protocol } = place;
  // Only an address that is written as loopback may do without TLS, not one that a parser makes into it.
  const plainLoopback = protocol === 'http:' && isLoopback(authority.replace(/:\d*$/, '').toLowerCase());
  if (protocol !== 'https:' && !plainLoopback) {
    wrong(
      'findagent.url-not-https',
      `${what} uses ${show(scheme)}; only https is allowed`,
      httpsHint(protocol, url),
    );
    return result();
  }
  for (const suspect of suspects) {
    wrong(
      'findagent.placeholder-form',
      `${show(suspect)} in ${what} is not a placeholder`,
      suspectHint(suspect),
    );
  }
  if (suspects.length === 0 && strayBrace(url)) {
    wrong(
      'findagent.placeholder-form',
      `${what} ${show(url)} has a brace that belongs to no placeholder`,
      'write {name}, or %7B and %7D for the characters themselves',
    );
  }
  warnOfPrivate(wrong, what, place);
  if (fragment !== undefined) {
    wrong('findagent.url-fragment', `"#${clip(fragment)}" in ${what} is never sent`, 'remove it');
  }
  const way = splitHoles(path === '' ? '/' : path);
  return result(
    {
      origin: `${protocol}//${host}${port === null ? '' : `:${port}`}`,
      host,
      port,
      path: way.template,
      query: query === undefined ? [] : readPairs(query, what, wrong),
    },
    way.names,
  );
}

/**
 * `a=1&b={b}`: names are literal, values may have holes. A name is decoded, since the sender encodes it; the
 * author's own text in a value stays as it is encoded, with the blank written in the one unambiguous way.
 */
export function readPairs(
  text: string,
  what: string,
  wrong: (code: DiagnosticCode, message: string, hint?: string) => void,
): QueryParameter[] {
  return text
    .split('&')
    .filter((it) => it !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      const name = at === -1 ? pair : pair.slice(0, at);
      if (splitHoles(name).names.length > 0) {
        wrong(
          'findagent.placeholder-place',
          `${show(name)} in ${what} is the name of a parameter, where no placeholder can stand`,
          'write the name out and put the placeholder behind "="',
        );
      }
      const { template } = splitHoles(at === -1 ? '' : pair.slice(at + 1));
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

const fixedHint = 'write scheme, host and port out; inputs may only fill the path and the query';

function strayBrace(url: string): boolean {
  return splitHoles(url).template.parts.some((it) => it.kind === 'text' && /[{}]/.test(it.text));
}

function placeOf(authority: string): string {
  const at = authority.lastIndexOf('@');
  if (at !== -1 && /[{}]/.test(authority.slice(0, at))) return 'user info';
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

function warnOfPrivate(
  wrong: (code: DiagnosticCode, message: string, hint?: string) => void,
  what: string,
  { host, port, protocol }: { host: string; port: number | null; protocol: string },
): void {
  const loopback = isLoopback(host);
  if (!loopback && !isPrivate(host)) return;
  const shown = port ?? (protocol === 'http:' ? 80 : 443);
  wrong(
    loopback ? 'findagent.loopback-url' : 'findagent.private-url',
    loopback
      ? `${what} leads to this machine itself (${host})`
      : `${what} leads to a private network (${host})`,
    `it works only where the operator grants it: --allow net:${host}:${shown}`,
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
