import { HostError } from '../../model/host-error.js';

/** Where a database is, and how to connect to it. */
export interface PostgresPlace {
  /** With the password. Never shown. */
  readonly url: string;
  /** Server and database, for messages. */
  readonly shown: string;
}

/**
 * Reads a URL without a password: one in a URL would be shown in lists of processes and in the history of a shell. Other
 * machines are connected with TLS, and their certificate is checked, if the URL does not say something else.
 */
export function postgresPlace(text: string, password: string | undefined): PostgresPlace {
  const url = parsed(text);
  if (url.password !== '' || url.searchParams.has('password'))
    throw new HostError('usage', 'the URL of the database contains a password', {
      hint: 'write it to a file that only you can read and name that with --password-file; PGPASSWORD and ~/.pgpass work too',
    });
  const socket = url.searchParams.get('host');
  const host = url.hostname === '' ? (socket ?? '') : url.hostname;
  const database = decodeURIComponent(url.pathname.slice(1));
  if (host === '' || database === '')
    throw new HostError('usage', 'the URL of the database names no server or no database', { hint: example });
  if (password !== undefined) {
    url.password = encodeURIComponent(password);
    // A URL without a host has no place for it.
    if (url.hostname === '')
      throw new HostError('usage', 'a database behind a Unix socket needs no password', {
        hint: 'leave out --password-file',
      });
  }
  if (!url.searchParams.has('sslmode') && !isHere(host)) url.searchParams.set('sslmode', 'verify-full');
  return { url: url.href, shown: `${url.host === '' ? host : url.host}/${database}` };
}

const example = 'write it as postgres://USER@HOST/DATABASE';

function parsed(text: string): URL {
  // The error of the parser contains the text, which may contain a password, so it is not kept.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'postgres:' || url?.protocol === 'postgresql:') return url;
  throw new HostError('usage', 'the URL of the database is not valid', { hint: example });
}

/** This machine: a socket in a folder, or a loopback address. */
function isHere(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  return name.startsWith('/') || name === 'localhost' || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}
