import type { RemoteHost, RemoteSession, ServerSignIn, SessionIntent } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { printSignIns } from '../../print/sign-ins.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command, Option } from '../command/command.js';
import { dirOption, loadConfig, sessionOptions, settingOf } from '../config/config.js';
import { sessionFor } from '../config/session-options.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { signInByPasting, signInWithBrowser } from '../sign-in/browser-sign-in.js';
import { agreedSignIn } from '../sign-in/sign-in-agreement.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { withHost } from '../with-host.js';

const programOption: Option = {
  name: 'program',
  value: 'NAME',
  text: 'which server of the package, if it has several',
};

export const signInCommand: Command = {
  name: 'sign-in',
  summary: 'Sign in to the MCP server of a package in a browser. The tokens are sealed and never shown.',
  usage: 'sign-in [PACKAGE] [--dir DIR]… [--scope SCOPE]… [--no-browser | --paste]',
  examples: [
    { line: 'toolwharf sign-in desk', text: 'show where to sign in, ask, and open the browser' },
    { line: 'toolwharf sign-in desk --paste', text: 'on a machine without a browser' },
    { line: 'toolwharf sign-in desk --scope files:write', text: 'ask for one more scope' },
    {
      line: 'toolwharf sign-in desk --issuer https://auth.example.com --no-browser',
      text: 'agree to the authorization server beforehand, and print the address only',
    },
    { line: 'toolwharf sign-in', text: 'list the sign-ins' },
  ],
  options: [
    dirOption,
    programOption,
    { name: 'scope', value: 'SCOPE', multiple: true, text: 'request this scope besides those you have' },
    { name: 'issuer', value: 'URL', text: 'agree to sign in at this authorization server' },
    {
      name: 'place',
      value: 'HOST:PORT',
      multiple: true,
      text: 'agree to another host that the authorization server uses, or sends the browser to',
    },
    { name: 'no-browser', text: 'only print the address to open' },
    { name: 'paste', text: 'paste the address that the browser was sent to' },
    ...[pinOption, dryRunOption, ...sessionOptions],
  ],
  async run(args, terminal) {
    const [id, ...more] = args.positionals;
    if (more.length > 0)
      throw new HostError('usage', 'sign in to one package at a time', {
        hint: 'see "toolwharf sign-in --help"',
      });
    const port = settingOf((await loadConfig(args, terminal)).entries, 'oauth.redirect_port') as
      | number
      | undefined;
    return withHost(args, terminal, async (host) => {
      if (id === undefined) return listSignIns(host, args, terminal);
      if (isDryRun(args)) {
        const looking = await openSession(host, id, args, terminal, 'look');
        if (!(await looking.packages()).packages.some((it) => it.id === id))
          throw new HostError('not_found', `no package named ${JSON.stringify(id)}`, {
            hint: 'name its folder with --dir',
          });
        return reportDryRun(`sign in to the server of ${id}`, args, terminal);
      }
      const session = await openSession(host, id, args, terminal);
      const agreed = await agreedSignIn(id, session, args, terminal);
      const by = await terminalOperator(host, args, terminal);
      const wanted = { ...agreed, by, signal: terminal.signal };
      const entry = args.has('paste')
        ? await signInByPasting(wanted, port, session, terminal)
        : await signInWithBrowser(wanted, port, session, args, terminal);
      if (args.has('json')) terminal.out(document([entry]));
      else await report(entry, await openSession(host, id, args, terminal), args, terminal);
      return 0;
    });
  },
};

export const signOutCommand: Command = {
  name: 'sign-out',
  summary: 'Revoke the tokens of a sign-in at the authorization server, and erase them.',
  usage: 'sign-out PACKAGE [--program NAME]',
  examples: [
    { line: 'toolwharf sign-out desk', text: 'end the sign-in to the server of desk' },
    { line: 'toolwharf sign-out desk --program server', text: 'of one server, if the package has several' },
    { line: 'toolwharf sign-out desk --dry-run', text: 'check that somebody is signed in' },
  ],
  options: [programOption, pinOption, dryRunOption, ...sessionOptions],
  async run(args, terminal) {
    const [id, ...more] = args.positionals;
    if (id === undefined || more.length > 0)
      throw new HostError('usage', 'name one package', { hint: 'see "toolwharf sign-out --help"' });
    const program = args.value('program');
    return withHost(args, terminal, async (host) => {
      const options = await sessionFor(args, terminal, []);
      const session = await host.session({ ...options, directories: [], intent: 'use' });
      const isMeant = (it: ServerSignIn) =>
        it.package === id && (program === undefined || it.program === program);
      if (!(await session.signIns.list()).some(isMeant))
        throw new HostError('not_found', `nobody is signed in to ${id}`, {
          hint: '"toolwharf sign-in" lists the sign-ins',
        });
      if (isDryRun(args)) return reportDryRun(`sign out of ${id}`, args, terminal);
      const by = await terminalOperator(host, args, terminal);
      const result = await session.signIns.signOut({ package: id, program, by, signal: terminal.signal });
      if (args.has('json'))
        terminal.out(`${JSON.stringify({ schema: 'toolwharf/sign-out@1', ...result })}\n`);
      else {
        if (!args.has('quiet')) terminal.out(`${visibleLine(`signed out of ${id}`)}\n`);
        for (const it of result.left) terminal.err(`left to do: ${visibleLine(it)}\n`);
      }
      return result.left.length === 0 ? 0 : 1;
    });
  },
};

/** A session with this package only, so that no other program starts. */
async function openSession(
  host: RemoteHost,
  id: string,
  args: Arguments,
  terminal: Terminal,
  intent: SessionIntent = 'use',
): Promise<RemoteSession> {
  const options = await sessionFor(args, terminal, args.values('dir'));
  const { only } = options.policy;
  const isServed = only === undefined || only.includes(id);
  return host.session({
    ...options,
    intent,
    policy: { ...options.policy, ...(isServed ? { only: [id] } : {}) },
  });
}

async function listSignIns(host: RemoteHost, args: Arguments, terminal: Terminal): Promise<number> {
  const options = await sessionFor(args, terminal, []);
  const session = await host.session({ ...options, directories: [], intent: 'look' });
  const entries = await session.signIns.list();
  terminal.out(args.has('json') ? document(entries) : printSignIns(entries));
  return 0;
}

/** Says whether the package works now: a new session asks its server. */
async function report(
  { package: id, issuer }: ServerSignIn,
  session: RemoteSession,
  args: Arguments,
  terminal: Terminal,
): Promise<void> {
  if (args.has('quiet')) return;
  const state = (await session.packages()).packages.find((it) => it.id === id);
  const tools = state?.tools.length ?? 0;
  const now =
    state?.state === 'ready'
      ? `it is ready with ${tools} ${tools === 1 ? 'tool' : 'tools'}`
      : `it is ${[state?.state, ...(state?.reasons ?? [])].join('; ')}`;
  terminal.out(`${visibleLine(`signed in to ${id} at ${new URL(issuer).host}; ${now}`)}\n`);
}

function document(entries: readonly ServerSignIn[]): string {
  const signIns = entries.map(({ signedInAt, expiresAt, ...it }) => ({
    ...it,
    signedInAt: new Date(signedInAt).toISOString(),
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  }));
  return `${JSON.stringify({ schema: 'toolwharf/sign-ins@1', signIns })}\n`;
}
