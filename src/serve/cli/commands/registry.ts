import { HostError } from '../../../model/host-error.js';
import type { ReviewDecision, ReviewEntry } from '../../../model/review-queue.js';
import { printReviewEntry, reviewLine } from '../../print/review-entry.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { mirrorToFolder, registryHead, verifyRegistry } from '../registry/registry-checks.js';
import { createRegistry, registryKeys } from '../registry/registry-creation.js';
import { approvePublisher, decideRelease } from '../registry/registry-decisions.js';
import { registryOwners } from '../registry/registry-owners.js';
import { dataOption, keysOption, RegistryPlace, registryOption } from '../registry/registry-place.js';
import { renewRegistry } from '../registry/registry-renewal.js';
import { rotateRegistryRoles } from '../registry/registry-rotation.js';
import { registryToken, serveRegistry } from '../registry/registry-serving.js';
import { saveOption, sendSaved, signSaved } from '../registry/registry-signing.js';
import { tokenFileOption } from '../registry/server-choice.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';

const reviewVerbs = ['list', 'show', 'approve', 'reject'];

const verbs: Readonly<Record<string, (args: Arguments, terminal: Terminal) => Promise<number>>> = {
  init: createRegistry,
  keys: registryKeys,
  approve: approvePublisher,
  owners: registryOwners,
  yank: decideRelease,
  quarantine: decideRelease,
  release: decideRelease,
  rotate: rotateRegistryRoles,
  renew: renewRegistry,
  sign: signSaved,
  send: sendSaved,
  verify: verifyRegistry,
  mirror: mirrorToFolder,
  heads: registryHead,
  token: registryToken,
  serve: serveRegistry,
  review,
};

export const registryCommand: Command = {
  name: 'registry',
  summary:
    'Run a registry of your own: create it, approve publishers, serve it, and decide what it publishes.',
  usage: `registry ${Object.keys(verbs).join(' | ')} …`,
  examples: [
    {
      line: 'toolwharf registry init ./registry --name packages.example',
      text: 'a new registry, with its keys',
    },
    { line: 'toolwharf registry keys create acme --keys ./acme.keys', text: 'the key of a publisher' },
    {
      line: 'toolwharf registry approve acme ed25519:… --registry ./registry',
      text: 'who may publish as acme/…',
    },
    {
      line: 'toolwharf registry token create acme acme --registry ./registry',
      text: 'a token for publishing over HTTP',
    },
    {
      line: 'toolwharf registry serve ./registry',
      text: 'files, search, publishing and the API of the MCP registry',
    },
    {
      line: "toolwharf registry quarantine acme/weather@1.0.0 --reason 'it reads mail'",
      text: 'warn about a release',
    },
    {
      line: "toolwharf registry yank acme/weather@1.0.0 --reason 'wrong unit' --to team --keys ./acme.keys",
      text: 'withdraw a release, as its publisher',
    },
    { line: 'toolwharf registry review list', text: 'what waits for a person' },
    { line: 'toolwharf registry review approve 3f9a', text: 'show it, ask, and let it be published' },
    {
      line: 'toolwharf registry verify ./registry',
      text: 'read every file and compare it with what was signed',
    },
    { line: 'toolwharf registry mirror ./registry /mnt/stick/registry', text: 'a verified copy' },
  ],
  options: [
    registryOption,
    keysOption,
    dataOption,
    {
      name: 'name',
      value: 'HOST',
      text: 'with init: part of the name of its log (default: name of the folder)',
    },
    {
      name: 'keychain',
      text: 'with init, keys create and rotate: keep new keys in the keychain of the system',
    },
    {
      name: 'days',
      value: 'N',
      text: 'with init: days until online files expire; with token create: days it is valid',
    },
    {
      name: 'threshold',
      value: 'N',
      text: 'how many keys must sign: of a namespace with approve (default: 1), of the root with init and rotate (default: 2)',
    },
    { name: 'root-keys', value: 'N', text: 'with init and rotate: how many keys the root has (default: 3)' },
    { name: 'replace', text: 'with approve: replace the keys of a namespace' },
    {
      name: 'signed',
      value: 'FILE',
      text: 'with approve --replace: what the new owner signed with "registry renew NAMESPACE --save FILE"',
    },
    saveOption,
    { name: 'reason', value: 'TEXT', text: 'with yank, quarantine and release: why, for those who use it' },
    {
      name: 'compare',
      value: 'FILE',
      text: 'with heads: a head that somebody else saw; exit 6 if the two contradict each other',
    },
    {
      name: 'to',
      value: 'REGISTRY',
      text: 'with yank, renew NAMESPACE, sign and send: name or URL of a configured registry, or a folder',
    },
    tokenFileOption,
    { name: 'accept-expired', text: 'with mirror: copy files that have expired' },
    {
      name: 'root',
      value: 'SHA256',
      text: 'with mirror and verify: what the root file of a folder must be (default with mirror: that of the configuration)',
    },
    { name: 'read', text: 'with token create: a token that only reads' },
    { name: 'port', value: 'N', text: 'with serve: port (default: 8378; 0 picks a free one)' },
    { name: 'listen', value: 'ADDRESS', text: 'with serve: address (default: 127.0.0.1)' },
    { name: 'public-url', value: 'URL', text: 'with serve: where your proxy serves it' },
    { name: 'private', text: 'with serve: reading needs a token' },
    { name: 'read-only', text: 'with serve: nothing can be published over HTTP' },
    {
      name: 'database',
      value: 'URL',
      text: 'with serve: PostgreSQL for the search (default: a file in the data folder)',
    },
    { name: 'note', value: 'TEXT', text: 'with review reject: what the publisher is told' },
    { name: 'sha256', value: 'HASH', text: 'with review approve: exactly this archive, without a question' },
    { name: 'all', text: 'with review list: also what was decided' },
    { name: 'config', value: 'FILE', text: 'user configuration file to use instead of the default one' },
    dryRunOption,
  ],
  async run(args, terminal) {
    const [verb = ''] = args.positionals;
    const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (run === undefined)
      throw new HostError(
        'usage',
        verb === ''
          ? 'say what to do with a registry'
          : `unknown subcommand of registry: ${JSON.stringify(verb)}`,
        { hint: `use ${Object.keys(verbs).join(', ')}` },
      );
    return run(args, terminal);
  },
};

async function review(args: Arguments, terminal: Terminal): Promise<number> {
  const [, verb = 'list', id, ...more] = args.positionals;
  if (!reviewVerbs.includes(verb))
    throw new HostError('usage', `unknown subcommand of registry review: ${JSON.stringify(verb)}`, {
      hint: `use ${reviewVerbs.join(', ')}`,
    });
  if (more.length > 0 || (verb === 'list' && id !== undefined))
    throw new HostError('usage', 'name one package at a time');
  const { data } = (await RegistryPlace.open(args, terminal)).assertData();
  const queue = await terminal.openReviewQueue(data);
  if (verb === 'list') {
    const entries = await queue.list();
    const shown = args.has('all') ? entries : entries.filter((it) => it.review === undefined);
    if (shown.length > 0 || args.has('json')) return print(shown, args, terminal);
    // The folder too, because a registry elsewhere has a queue of its own.
    terminal.out(`no package waits for a review in ${data}\n`);
    return 0;
  }
  if (id === undefined)
    throw new HostError('usage', `name the package to ${verb}`, {
      hint: 'see "toolwharf registry review list"',
    });
  const entry = await queue.find(id);
  if (verb === 'show') return print([entry], args, terminal);
  const decision = verb === 'approve' ? 'approved' : 'rejected';
  if (isDryRun(args)) return reportDryRun(`mark ${reviewLine(entry)} as ${decision}`, args, terminal);
  if (decision === 'approved') await confirmApproval(entry, args, terminal);
  const note = args.value('note');
  const made: ReviewDecision = {
    ...{ decision, reviewer: terminal.principal, at: new Date().toISOString() },
    ...(note === undefined ? {} : { note }),
  };
  const decided = await queue.decide(entry.id, made);
  if (args.has('json')) return print([decided], args, terminal);
  terminal.out(`${decision}: ${visibleLine(reviewLine(decided))}\n`);
  return 0;
}

/** A person sees the findings and says yes, or names the exact archive. --yes is not enough: it approves nothing. */
async function confirmApproval(entry: ReviewEntry, args: Arguments, terminal: Terminal): Promise<void> {
  const named = args.value('sha256');
  if (named !== undefined) {
    if (named.toLowerCase() === entry.sha256) return;
    throw new HostError('integrity', `the archive of ${entry.id} has the hash ${entry.sha256}, not ${named}`);
  }
  if (!terminal.stdinIsTerminal || args.has('no-input'))
    throw new HostError('approval_required', 'a person must approve it at a terminal', {
      hint: `or name what was looked at: --sha256 ${entry.sha256}`,
    });
  terminal.err(printReviewEntry(entry, terminalStyle(args, terminal), terminal.columns));
  if (!(await terminal.confirm('Let this package be published?')))
    throw new HostError('approval_denied', 'nothing was approved', {
      hint: 'say no for good: toolwharf registry review reject ID',
    });
}

function print(entries: readonly ReviewEntry[], args: Arguments, terminal: Terminal): number {
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/registry-review@1', entries })}\n`);
  else
    terminal.out(
      entries.map((it) => printReviewEntry(it, terminalStyle(args, terminal), terminal.columns)).join('\n'),
    );
  return 0;
}
