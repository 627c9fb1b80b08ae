import type { RemoteHost, RemoteSession, SessionIntent } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import type { Arguments, Option } from './command/command.js';
import { sessionOptions } from './config/config.js';
import { sessionFor } from './config/session-options.js';
import type { Terminal } from './terminal/terminal.js';

/** Session options of commands that change installations. `--allow` has another meaning there. */
export const lifecycleOptions: readonly Option[] = [
  ...sessionOptions.filter((it) => it.name !== 'allow'),
  {
    name: 'allow',
    value: 'GRANT',
    multiple: true,
    text: 'agree to net:HOST, net:public, files:read-only, files:read-write or scope:NAME, or grant more, such as read:PATH',
  },
];

/** What `--allow` says about the package. Grants with a name, such as toolwharf=net:…, are for the session. */
export function packageAllow(args: Arguments): string[] {
  return args.values('allow').filter((it) => !isSessionGrant(it));
}

function isSessionGrant(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*=/.test(text);
}

/** Names the package in each `--allow`, for commands that run something of one installed package. */
export function allowedFor(id: string, args: Arguments): Arguments {
  const named = (it: string) => (isSessionGrant(it) ? it : `${id}=${it}`);
  return withAllow(args, args.values('allow').map(named));
}

/** Opens a session for changes of installations, without packages of its own except those in `directories`. */
export async function openLifecycleSession(
  host: RemoteHost,
  args: Arguments,
  terminal: Terminal,
  intent: SessionIntent,
  directories: readonly string[] = [],
): Promise<RemoteSession> {
  const own = withAllow(args, args.values('allow').filter(isSessionGrant));
  const options = await sessionFor(own, terminal, directories);
  return host.session({
    ...options,
    ...(directories.length === 0 ? { directories: [] } : {}),
    intent,
    set: null,
  });
}

function withAllow(args: Arguments, allow: readonly string[]): Arguments {
  return {
    ...args,
    positionals: args.positionals,
    has: (name) => args.has(name),
    value: (name) => args.value(name),
    values: (name) => (name === 'allow' ? allow : args.values(name)),
  };
}

/** The one installed package that a command names. */
export function namedPackage(args: Arguments, command: string): string {
  const [id, ...more] = args.positionals;
  if (id === undefined || more.length > 0)
    throw new HostError('usage', 'name one installed package', {
      hint: `see "toolwharf ${command} --help"`,
    });
  return id;
}
