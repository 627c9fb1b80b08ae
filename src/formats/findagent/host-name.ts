// Host names in allowlists and URLs: which names are valid, and which name covers which host.
import { isPublicSuffix, registrableDomain } from '../../model/public-suffix.js';

export interface HostProblem {
  readonly code: 'findagent.host-form' | 'findagent.host-too-wide';
  readonly message: string;
  readonly hint: string;
}

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const lastLabel = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Why a name is not valid in an allowlist; null when it is valid. */
export function hostProblem(written: string): HostProblem | null {
  const form = (reason: string, hint: string): HostProblem => ({
    code: 'findagent.host-form',
    message: `${JSON.stringify(clip(written))} ${reason}`,
    hint,
  });
  const plain = 'write a plain host name such as "api.example.com"';
  if (written.trim() === '' || written.length > 300) return form('is not a host name', plain);
  if (/\s/.test(written)) return form('contains white space', plain);
  if (/^[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\//.test(written)) {
    return form('is a URL, not a host name', `write ${suggestion(written)}`);
  }
  if (written.includes('*')) {
    return form('has a wildcard', `remove it; a host name includes its subdomains: ${suggestion(written)}`);
  }
  if (/[/?#\\]/.test(written)) return form('has a path', `write ${suggestion(written)}`);
  if (written.includes('@')) return form('has a user name', `write ${suggestion(written)}`);
  if (isAddress(written)) return form('is an IP address', 'write the host name; IP addresses can change');
  if (written.includes(':'))
    return form('has a port', `write ${suggestion(written)}; all ports of a host are allowed`);
  if (/[^\u0000-\u007f]/.test(written)) {
    const ascii = hostOf(`https://${written}/`);
    return form('has non-ASCII characters', ascii === null ? plain : `write ${JSON.stringify(ascii)}`);
  }
  const name = normalizeHost(written);
  const labels = name.split('.');
  if (
    name.length > 253 ||
    !labels.every((it) => label.test(it)) ||
    !lastLabel.test(labels.at(-1) as string)
  ) {
    return form('is not a host name', plain);
  }
  if (name === 'localhost') return null;
  if (registrableDomain(name) === null) {
    return {
      code: 'findagent.host-too-wide',
      message: isPublicSuffix(name)
        ? `${JSON.stringify(clip(written))} is a public suffix: anyone can register a name under it`
        : `${JSON.stringify(clip(written))} is not a complete host name`,
      hint: 'write a name that belongs to one owner, such as "api.example.com"',
    };
  }
  return null;
}

/** Lowercase, without the trailing dot. */
export function normalizeHost(written: string): string {
  return written.toLowerCase().replace(/\.$/, '');
}

/** Whether `host` is the allowed name or one of its subdomains. */
export function hostCovers(allowed: string, host: string): boolean {
  const base = normalizeHost(allowed);
  const name = normalizeHost(host);
  return name === base || name.endsWith(`.${base}`);
}

/** Whether a literal address is in a private range. Names are not resolved. */
export function isPrivateHost(host: string): boolean {
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
  // A URL parser treats a name whose last label is a number as an IPv4 address.
  return /^(?:.*\.)?(?:\d+|0[xX][0-9a-fA-F]*)\.?(?::\d+)?$/.test(written);
}

/** The host name inside the written value, for a hint. */
function suggestion(written: string): string {
  const bare = written
    .replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^(?:\*\.)+/, '');
  const name = (/^[A-Za-z0-9._-]+/.exec(bare) ?? ['api.example.com'])[0].toLowerCase();
  return JSON.stringify(clip(isPlausibleHost(name) ? name : 'api.example.com'));
}

function isPlausibleHost(name: string): boolean {
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
