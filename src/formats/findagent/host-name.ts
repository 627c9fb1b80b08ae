// Names of hosts in allow-lists and URLs: what may stand there, and which name covers which.
import { isPublicSuffix, ownedName } from '../../model/public-suffix.js';

export interface HostProblem {
  readonly code: 'findagent.host-form' | 'findagent.host-too-wide';
  readonly message: string;
  readonly hint: string;
}

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const lastLabel = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Why a name cannot stand in an allow-list; null when it can. */
export function hostProblem(written: string): HostProblem | null {
  const form = (reason: string, hint: string): HostProblem => ({
    code: 'findagent.host-form',
    message: `${JSON.stringify(clip(written))} ${reason}`,
    hint,
  });
  const plain = 'write a plain host name such as "api.example.com"';
  if (written.trim() === '' || written.length > 300) return form('is no host name', plain);
  if (/\s/.test(written)) return form('has white space in it', plain);
  if (/^[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\//.test(written)) {
    return form('is a URL, not a host name', `write ${suggestion(written)}`);
  }
  if (written.includes('*')) {
    return form('has a wildcard', `remove it; a name covers its subdomains: ${suggestion(written)}`);
  }
  if (/[/?#\\]/.test(written)) return form('has a path', `write ${suggestion(written)}`);
  if (written.includes('@')) return form('has user info', `write ${suggestion(written)}`);
  if (isAddress(written)) return form('is an IP address', 'write the name of the host; addresses move');
  if (written.includes(':'))
    return form('has a port', `write ${suggestion(written)}; every port is the same host`);
  if (/[^\u0000-\u007f]/.test(written)) {
    const ascii = hostOf(`https://${written}/`);
    return form('has letters outside ASCII', ascii === null ? plain : `write ${JSON.stringify(ascii)}`);
  }
  const name = normalHost(written);
  const labels = name.split('.');
  if (
    name.length > 253 ||
    !labels.every((it) => label.test(it)) ||
    !lastLabel.test(labels.at(-1) as string)
  ) {
    return form('is no host name', plain);
  }
  if (name === 'localhost') return null;
  if (ownedName(name) === null) {
    return {
      code: 'findagent.host-too-wide',
      message: isPublicSuffix(name)
        ? `${JSON.stringify(clip(written))} is a public suffix: anybody can have a name below it`
        : `${JSON.stringify(clip(written))} is not a whole host name`,
      hint: 'write the name that one owner has, such as "api.example.com"',
    };
  }
  return null;
}

/** Lower case, without the dot of the root. */
export function normalHost(written: string): string {
  return written.toLowerCase().replace(/\.$/, '');
}

/** Exact, or a subdomain at a label boundary. */
export function covers(allowed: string, host: string): boolean {
  const wide = normalHost(allowed);
  const name = normalHost(host);
  return name === wide || name.endsWith(`.${wide}`);
}

/** `127.0.0.0/8`, `::1` and `localhost`, as a URL parser spells them. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || /^127(\.\d{1,3}){3}$/.test(host) || host === '[::1]';
}

/** Ranges that lead to the operator's own network, by the literal address alone. */
export function isPrivate(host: string): boolean {
  if (host.endsWith('.localhost')) return true;
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(host)) {
    const [a, b] = host.split('.').map(Number) as [number, number];
    return (
      a === 0 ||
      a === 10 ||
      (a === 172 && b >= 16 && b <= 31) ||
      (a === 192 && b === 168) ||
      (a === 169 && b === 254) ||
      (a === 100 && b >= 64 && b <= 127)
    );
  }
  return /^\[(?:f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:|::\]|::ffff:)/.test(host);
}

function isAddress(written: string): boolean {
  if (/^\[.*\]/.test(written) || /^[0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/.test(written)) return true;
  // A URL parser takes a name whose last label is a number for an IPv4 address.
  return /^(?:.*\.)?(?:\d+|0[xX][0-9a-fA-F]*)\.?(?::\d+)?$/.test(written);
}

/** The name inside what was written, for a hint. */
function suggestion(written: string): string {
  const bare = written
    .replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^(?:\*\.)+/, '');
  const name = (/^[A-Za-z0-9._-]+/.exec(bare) ?? ['api.example.com'])[0].toLowerCase();
  return JSON.stringify(clip(hostProblemless(name) ? name : 'api.example.com'));
}

function hostProblemless(name: string): boolean {
  return name.includes('.') && name.split('.').every((it) => label.test(it)) && !isAddress(name);
}

function hostOf(url: string): string | null {
  try {
    return new URL(url).hostname;
  } catch {
    return null;
  }
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
