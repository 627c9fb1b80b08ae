/** A sign-in as the broker knows it. */
export interface SignIn {
  readonly provider: string;
  /** In the provider's own spelling, sorted. */
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

const spelled =
  (known: Readonly<Record<string, string>>) =>
  (short: string): string =>
    Object.hasOwn(known, short) ? (known[short] as string) : short;

/** What manifests write before the dot of a scope. */
const providers: Readonly<Record<string, Provider>> = {
  gmail: google('gmail'),
  google_calendar: google('calendar'),
  slack: {
    name: 'slack',
    scope: spelled({ send_message: 'chat:write', read_messages: 'channels:history' }),
  },
  github: { name: 'github', scope: spelled({}) },
  linear: { name: 'linear', scope: spelled({ 'issues.read': 'read', 'issues.create': 'issues:create' }) },
};

/** One token is for one sign-in: undefined for scopes of several, or of a provider that nobody here knows. */
export function signInFor(scopes: readonly string[]): SignIn | undefined {
  const found = scopes.map((it) => {
    const [name = '', short = ''] = [it.slice(0, it.indexOf('.')), it.slice(it.indexOf('.') + 1)];
    const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
    return provider && { name: provider.name, scope: provider.scope(short) };
  });
  const [first] = found;
  if (first === undefined || found.some((it) => it?.name !== first.name)) return undefined;
  return { provider: first.name, scopes: [...new Set(found.map((it) => it?.scope ?? ''))].sort() };
}
