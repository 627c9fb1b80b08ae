/** A sign-in in the broker's terms. */
export interface SignIn {
  readonly provider: string;
  /** As the provider writes them, sorted. */
  readonly scopes: readonly string[];
}

interface Provider {
  /** The broker's name for it. */
  readonly name: string;
  scope(short: string): string;
}

const google = (area: string): Provider => ({
  name: 'google',
  scope: (short) => `https://www.googleapis.com/auth/${area}.${short.replace(/(^|\.)read$/, '$1readonly')}`,
});

const mapped =
  (known: Readonly<Record<string, string>>) =>
  (short: string): string =>
    Object.hasOwn(known, short) ? (known[short] as string) : short;

/** By the part of a manifest's scope before the first dot. */
const providers: Readonly<Record<string, Provider>> = {
  gmail: google('gmail'),
  google_calendar: google('calendar'),
  slack: {
    name: 'slack',
    scope: mapped({ send_message: 'chat:write', read_messages: 'channels:history' }),
  },
  github: { name: 'github', scope: mapped({}) },
  linear: { name: 'linear', scope: mapped({ 'issues.read': 'read', 'issues.create': 'issues:create' }) },
};

/** One token covers one sign-in. Undefined for scopes of several providers or of an unknown one. */
export function signInFor(scopes: readonly string[]): SignIn | undefined {
  const mappedScopes = scopes.map((it) => {
    const [name = '', short = ''] = [it.slice(0, it.indexOf('.')), it.slice(it.indexOf('.') + 1)];
    const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
    return provider && { name: provider.name, scope: provider.scope(short) };
  });
  const [first] = mappedScopes;
  if (first === undefined || mappedScopes.some((it) => it?.name !== first.name)) return undefined;
  return { provider: first.name, scopes: [...new Set(mappedScopes.map((it) => it?.scope ?? ''))].sort() };
}
