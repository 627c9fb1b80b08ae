import { HostError } from '../../model/host-error.js';

interface Failure {
  /** What happened, after "the database at PLACE". */
  readonly what: string;
  readonly hint: string;
}

const isBack = 'the host goes on when the database answers again';

/** By SQLSTATE, or by its first two characters. */
const failures: Readonly<Record<string, Failure>> = {
  '08': { what: 'does not answer', hint: `check whether PostgreSQL runs and can be reached; ${isBack}` },
  '28': {
    what: 'rejects the user or its password',
    hint: 'check the user in the URL and the password file; PGPASSWORD and ~/.pgpass work too',
  },
  '53': { what: 'has no resources left', hint: 'check its log, memory and connections, then try again' },
  '40': { what: 'undid a change because of another one', hint: 'try again' },
  '53100': { what: 'has no disk space left', hint: 'free some space there, then try again' },
  '53300': {
    what: 'accepts no more connections',
    hint: 'allow more connections, or end other programs that use the database',
  },
  '57': { what: 'does not answer', hint: `it may be starting or stopping; ${isBack}` },
  '58': { what: 'cannot read or write its disk', hint: 'check its log and its disk' },
  '3D000': { what: 'does not exist', hint: 'create it, or correct the URL' },
  '25006': {
    what: 'is read-only',
    hint: 'name the primary server, or free disk space there; a standby cannot be used',
  },
  '42501': {
    what: 'does not let this user create or change tables',
    hint: 'make the user the owner of an empty database',
  },
  '22021': {
    what: 'cannot store a text',
    hint: 'PostgreSQL stores no text with the character U+0000',
  },
};

/** Whether the connection cannot be used any more. */
export function isLostConnection(error: unknown): boolean {
  return isFromServer(error) ? /^(?:08|57P)/.test(codeOf(error)) : !isBug(error);
}

/** Says what the operator can do. `place`: without user and password. Errors in a statement are bugs and stay as they are. */
export function postgresFailure(error: unknown, place: string): unknown {
  if (error instanceof HostError || isBug(error)) return error;
  const code = codeOf(error);
  const found = isFromServer(error)
    ? (failures[code] ?? failures[code.slice(0, 2)])
    : code === ''
      ? unreachable(error)
      : failures['08'];
  if (found === undefined) return error;
  return new HostError('state_unusable', `the database at ${place} ${found.what}`, {
    cause: error,
    hint: found.hint,
  });
}

/** The client library reports a missing password, a missing certificate or a time limit without a code. */
function unreachable(error: unknown): Failure {
  const why = error instanceof Error ? `: ${error.message}` : '';
  return {
    what: `cannot be used${why}`,
    hint: `check the URL with its sslmode, and the password (a file, PGPASSWORD or ~/.pgpass); ${isBack}`,
  };
}

function isBug(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError;
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function isFromServer(error: unknown): boolean {
  return typeof (error as { severity?: unknown }).severity === 'string';
}
