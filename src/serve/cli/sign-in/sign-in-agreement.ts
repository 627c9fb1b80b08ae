import type { RemoteSession, SignInBegin, SignInOffer } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';

/** What a person agreed to. */
export type AgreedSignIn = Pick<
  SignInBegin,
  'package' | 'program' | 'issuer' | 'places' | 'browserPlace' | 'scopes'
>;

/**
 * Shows where the server sends a person to sign in and for which scopes, and asks. The authorization server gets no
 * request before the person agreed to it. Later, no other host gets one, and no other scope is requested.
 */
export async function agreedSignIn(
  id: string,
  session: RemoteSession,
  args: Arguments,
  terminal: Terminal,
): Promise<AgreedSignIn> {
  const { signal } = terminal;
  const wanted = args.values('scope');
  const named = {
    ...{ package: id, program: args.value('program'), signal },
    scopes: wanted.length === 0 ? undefined : wanted,
  };
  const offer = await session.signIns.check(named);
  const issuer = args.value('issuer') ?? (offer.issuers[0] as string);
  if (!offer.issuers.includes(issuer))
    throw new HostError('usage', `${hostOf(offer.url)} does not use the authorization server ${issuer}`, {
      hint: `use ${offer.issuers.map((it) => `--issuer ${it}`).join(' or ')}`,
    });
  show(offer, issuer, args, terminal);
  await agree(`Sign in at ${hostOf(issuer)}?`, args.has('issuer'), `--issuer ${issuer}`, args, terminal);
  const { program } = offer;
  const checked = await session.signIns.check({ ...named, program, issuer });
  await agreeToPlaces(checked, issuer, args, terminal);
  const more = checked.scopes.filter((it) => !offer.scopes.includes(it)).join(', ');
  if (more !== '') {
    say(`the sign-in also requests the scopes ${more}`, args, terminal);
    await agree(`Also request the scopes ${more}?`, args.has('issuer'), `--issuer ${issuer}`, args, terminal);
  }
  const { places, browserPlace, scopes } = checked;
  return { package: id, program, issuer, places, browserPlace, scopes };
}

/** Asks for each place that is not the issuer's own, unless `--place` names it. */
async function agreeToPlaces(
  { places: [own = '', ...others] = [], browserPlace = own }: SignInOffer,
  issuer: string,
  args: Arguments,
  terminal: Terminal,
): Promise<void> {
  const host = hostOf(issuer);
  const isMissing = (place: string) => !args.values('place').includes(place);
  const missing = others.filter(isMissing);
  const isElsewhere = browserPlace !== own;
  const all = new Set(isElsewhere ? [...others, browserPlace] : others);
  const flags = [...all]
    .filter(isMissing)
    .map((it) => `--place ${it}`)
    .join(' ');
  if (isElsewhere) {
    const gets = `${host} gets what you allow there`;
    say(`the browser goes to ${browserPlace}, which is not the issuer; ${gets}`, args, terminal);
    const question = `Let the browser go to ${browserPlace}, which is not the issuer ${host}?`;
    await agree(question, !isMissing(browserPlace), flags, args, terminal);
  }
  if (missing.length > 0) {
    say(`${host} also uses ${missing.join(', ')}`, args, terminal);
    await agree(`Also send requests to ${missing.join(', ')}?`, false, flags, args, terminal);
  }
}

function say(line: string, args: Arguments, terminal: Terminal): void {
  if (!args.has('quiet')) terminal.err(`${visibleLine(line)}\n`);
}

function show(
  { package: id, url, issuers, scopes }: SignInOffer,
  issuer: string,
  args: Arguments,
  terminal: Terminal,
): void {
  if (args.has('quiet')) return;
  const others = issuers.filter((it) => it !== issuer);
  const lines = [
    `The server of ${id} asks for a sign-in.`,
    `  server      ${url}`,
    `  sign in at  ${issuer}${hostOf(issuer) === hostOf(url) ? '' : '  (another host than the server)'}`,
    ...(others.length === 0 ? [] : [`  or at       ${others.join(', ')}  (choose with --issuer)`]),
    `  scopes      ${scopes.length === 0 ? 'those that the server gives by itself' : scopes.join(', ')}`,
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
