import type { Recipients } from './slot.js';

/** One spelling per name: lower case, ASCII, no dot at the end. Empty when it is no name at all. */
export function hostName(text: string): string {
  try {
    return new URL(`https://${text}/`).hostname.replace(/\.$/, '');
  } catch {
    return '';
  }
}

/** The name itself, or one below it: `api.example.com` is covered by `example.com`, `badexample.com` is not. */
export function coversHost(covering: string, host: string): boolean {
  const above = hostName(covering);
  const name = hostName(host);
  if (above === '' || name === '') return false;
  return name === above || (name.endsWith(`.${above}`) && !/^[\d.]+$|:/.test(above));
}

export function mayReceive(recipients: Recipients, host: string): boolean {
  switch (recipients.kind) {
    case 'any':
      return true;
    case 'nobody':
      return false;
    case 'hosts':
      return recipients.hosts.some((it) => coversHost(it, host));
  }
}
