import type { RemoteSession, SignInOffer } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';

/** Where a person agreed to sign in. */
export interface AgreedPlaces {
  readonly offer: SignInOffer;
  readonly issuer: string;
  /** All places that get requests, as `host:port`. */
  readonly places: readonly string[];
}

/**
 * Shows where the server sends a person to sign in, and asks. The authorization server gets no request before the
 * person agreed to it, and no other host than the agreed ones gets one later.
 */
export async function agreedPlaces(
  id: string,
  session: RemoteSession,
  args: Arguments,
  terminal: Terminal,
): Promise<AgreedPlaces> {
  const { signal } = terminal;
  const named = { package: id, program: args.value('program'), signal };
  const offer = await session.signIns.check(named);
  const issuer = args.value('issuer') ?? (offer.issuers[0] as string);
  if (!offer.issuers.includes(issuer))
    throw new HostError('usage', `${hostOf(offer.url)} does not use the authorization server ${issuer}`, {
      hint: `use ${offer.issuers.map((it) => `--issuer ${it}`).join(' or ')}`,
    });
  show(offer, issuer, args, terminal);
  await agree(`Sign in at ${hostOf(issuer)}?`, args.has('issuer'), `--issuer ${issuer}`, args, terminal);
  const { places = [] } = await session.signIns.check({ ...named, issuer });
  const others = places.slice(1).filter((it) => !args.values('place').includes(it));
  if (others.length > 0) {
    if (!args.has('quiet'))
      terminal.err(`${visibleLine(`${hostOf(issuer)} also uses ${others.join(', ')}`)}\n`);
    const flags = others.map((it) => `--place ${it}`).join(' ');
    await agree(`Also send requests to ${others.join(', ')}?`, false, flags, args, terminal);
  }
  return { offer, issuer, places };
}

function show(
  { package: id, url, issuers, scopes }: SignInOffer,
  issuer: string,
  args: Arguments,
  terminal: Terminal,
): void {
  if (args.has('quiet')) return;
  const wanted = args.values('scope').length > 0 ? args.values('scope') : scopes;
  const others = issuers.filter((it) => it !== issuer);
  const lines = [
    `The server of ${id} asks for a sign-in.`,
    `  server      ${url}`,
    `  sign in at  ${issuer}${hostOf(issuer) === hostOf(url) ? '' : '  (another host than the server)'}`,
    ...(others.length === 0 ? [] : [`  or at       ${others.join(', ')}  (choose with --issuer)`]),
    `  scopes      ${wanted.length === 0 ? 'those that the server gives by itself' : wanted.join(', ')}`,
  ];
  terminal.err(`${lines.map(visibleLine).join('\n')}\n`);
}

/** `--yes` agrees only to what is named on the command line. */
async function agree(
  question: string,
  isNamed: boolean,
  flags: string,
  args: Arguments,
  terminal: Terminal,
): Promise<void> {
  if (isNamed) return;
  if (args.has('yes') || !terminal.stdinIsTerminal || args.has('no-input') || args.has('json'))
    throw new HostError('approval_required', 'nobody agreed to where the sign-in sends requests', {
      hint: `if you trust it, add ${flags}`,
    });
  if (!(await terminal.confirm(visibleLine(question))))
    throw new HostError('canceled', 'nothing was changed');
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
