// One scenario that performs every operation, against a host in this process, through the socket, and over HTTP. The three
// must give the same results, reject the same input with the same words, and ask for the PIN at the same operations.
import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/files/sha256.js';
import type { Actor, ChangeProgress, Operator, RemoteHost, RemoteSession } from '../../../src/host/host.js';
import { findOperation, methodOf, operations } from '../../../src/host/operations/operations.js';
import {
  connectHost,
  createHost,
  type Host,
  HostError,
  type ManifestDraft,
  type PublicationReviews,
  type ReadDraft,
} from '../../../src/index.js';
import type { ActivityPage } from '../../../src/model/activity.js';
import { Cancellation } from '../../../src/model/cancel-signal.js';
import type { RegistrySetting } from '../../../src/model/registry-setting.js';
import { openHttpServer } from '../../../src/serve/http/server.js';
import { openSocketServer } from '../../../src/serve/socket/server.js';
import { socketPath } from '../../../src/serve/socket/socket-path.js';
import { version } from '../../../src/version.js';
import { submitReview } from '../../support/publication-reviews.js';
import { RegistryWorkbench } from '../../support/registry-workbench.js';
import { patchTool, temporaryFolder } from '../../support/toolwharf.js';

type Surface = 'local' | 'socket' | 'http';
const surfaces: readonly Surface[] = ['local', 'socket', 'http'];
const pin = '493817';

interface Bench {
  readonly folder: string;
  readonly host: Host;
  readonly remote: RemoteHost;
  readonly session: RemoteSession;
  readonly agent: RemoteHost;
  /** Who performs operations here, without the PIN. */
  readonly by: Actor;
  close(): Promise<void>;
}

/** A registry with one package, and three packages that wait for a person. */
async function registryIn(folder: string): Promise<RegistrySetting> {
  const bench = new RegistryWorkbench();
  try {
    bench.clock.now = Date.now();
    await bench.create();
    await bench.approve('acme');
    await bench.publish('acme/counter', '1.0.0');
    const path = join(folder, 'registry');
    cpSync(bench.folder, path, { recursive: true });
    for (const id of ['one', 'two', 'three']) await submitReview(path, { id });
    return { name: 'main', path, root: sha256(bench.firstRoot), namespaces: ['acme'] };
  } finally {
    bench.close();
  }
}

async function openBench(surface: Surface): Promise<Bench> {
  const folder = temporaryFolder({
    'tools/word_count.py': patchTool({ name: 'word_count' }),
    'tools/send_note.py': patchTool({
      name: 'send_note',
      humanConfirm: true,
      body: '    return {"sent": text}',
    }),
    'tools/counter.py': patchTool({
      name: 'counter',
      body: '    return {"words": 1}',
    }),
    'later/late.py': patchTool({ name: 'late' }),
    'offered/shout.py': patchTool({ name: 'shout' }),
    'offered/whisper.py': patchTool({ name: 'whisper' }),
  });
  const state = join(folder.path, 'state');
  const registries = [await registryIn(folder.path)];
  const host = await createHost({ state, warm: false, watch: false });
  const onBug = (error: unknown) => {
    throw error;
  };
  const socket = await openSocketServer(host, {
    path: socketPath(state),
    version,
    state,
    now: Date.now,
    onBug,
  });
  const options = {
    directories: [join(folder.path, 'tools'), join(folder.path, 'later')],
    root: folder.path,
    policy: { registries },
  };
  const allow = ['net:127.0.0.1:9'];
  const accepted = { ...options, allow, accept: { in: [join(folder.path, 'tools')], by: 'user/test' } };
  const [operator, agent] = [1, 2].map(() => `tw_${randomBytes(32).toString('base64url')}`) as [
    string,
    string,
  ];
  const http = await openHttpServer(host, {
    port: 0,
    startTokens: [
      { name: 'op', role: 'operator', token: operator },
      { name: 'agent', role: 'agent', token: agent },
    ],
    session: accepted,
    version,
    now: Date.now,
    onBug,
  });
  const remote = {
    local: async () => host,
    socket: () => connectHost({ state, principal: 'user/test' }),
    http: () => connectHost({ url: http.url, token: operator }),
  };
  const connected = await remote[surface]();
  return {
    folder: folder.path,
    host,
    remote: connected,
    session: await connected.session({ ...accepted, principal: 'user/test' }),
    agent: await connectHost({ url: http.url, token: agent }),
    by: surface === 'local' ? ({ name: 'user/test', channel: 'library' } satisfies Operator) : 'user/test',
    async close() {
      if (surface !== 'local') await connected.close();
      await http.close();
      await socket.close();
      await host.close();
      folder.remove();
    },
  };
}

/** What differs between runs and surfaces by nature: ids, times, digests, paths, and who called over which channel. */
function normalized(value: unknown, folder: string): unknown {
  const text = JSON.stringify(value ?? null, (key, it) => {
    if (
      typeof it === 'number' &&
      /(At|^at|^since|^until|Ms|Until|^seq|^entries|^sealed|^checkpoints)$/.test(key)
    )
      return 0;
    if (key === 'verified' || key === 'channel' || key === 'session') return '-';
    return it as unknown;
  });
  const replaced = text
    .replaceAll(folder, '<folder>')
    .replace(/\b(apr|call|ses|tok|rule|req|v)_[0-9a-f]{32}(\.\d+)?/g, '$1_<id>')
    .replace(/http:\/\/127\.0\.0\.1:\d+(\/approve\/apr_<id>\?t=)[\w.-]+/g, '<host>$1<signature>')
    .replace(/tw_[\w-]{43}/g, 'tw_<token>')
    .replace(/\b[0-9a-f]{64}\b/g, '<digest>')
    .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"<time>"')
    .replace(/user\/test|http\/op/g, '<caller>');
  return JSON.parse(replaced);
}

/** Performs an operation and keeps what came of it under a name. */
type Step = (name: string, perform: () => Promise<unknown>) => Promise<unknown>;

async function scenario({ remote, session, folder, by }: Bench, step: Step): Promise<void> {
  const withPin = (): Actor => ({ name: 'user/test', channel: 'library', pin });
  const at = <T>(value: unknown): T => value as T;

  await step('session.packages', () => session.packages());
  const tools = at<{ name: string; definition: string }[]>(
    await step('session.tools', () => session.tools()),
  );
  await step('session.call', () =>
    session.call({ tool: 'word_count/word_count', arguments: { text: 'a b' } }),
  );
  await step('session.call: unknown tool', () => session.call({ tool: 'nothing/here', arguments: {} }));
  await step('session.call: wrong arguments', () =>
    session.call({ tool: 'word_count', arguments: { texts: 1 } }),
  );
  await step('session.explain', () => session.explain({ tool: 'send_note', arguments: { text: 'a' } }));
  await step('session.message', () => session.message('before_message', { text: 'hello' }));
  await step('session.prompts', () => session.prompts());
  await step('session.prompt: unknown', () => session.prompt('nothing', {}));
  await step('session.promptMessages: unknown', () => session.promptMessages('nothing', {}));
  await step('session.resources', () => session.resources());
  await step('session.resource: unknown', () => session.resource('file:///nothing'));
  await step('session.consoleLink: not served', () => session.consoleLink());
  await step('session.install', () => session.install('word_count', { dryRun: true }));

  const review = at<{ to: string }>(await step('session.review', () => session.review('late')));
  await step('session.accept: another digest', () => session.accept('late', 'f'.repeat(64), by));
  await step('session.accept', () => session.accept('late', review.to, by));
  await step(
    'session.packages: accepted',
    async () => (await session.packages()).packages.find((it) => it.id === 'late')?.state,
  );

  const version = at<string>(await step('approvals.version', () => remote.approvals.version()));
  const waiting = remote.approvals.waitForChange(version, 20);
  const held = at<{ confirmation: { token: string } }>(
    await step('session.call: held', () => session.call({ tool: 'send_note', arguments: { text: 'one' } })),
  );
  const changed = await step('approvals.waitForChange', () => waiting);
  expect(changed).not.toBe(version);
  const { token: id } = held.confirmation;
  await step('approvals.list', () => remote.approvals.list());
  await step('approvals.list: denied ones', () => remote.approvals.list(['denied']));
  await step('approvals.get', () => remote.approvals.get(id));
  await step('approvals.get: unknown', () => remote.approvals.get('apr_0'));
  await step('approvals.approve', () => remote.approvals.approve(id, by));
  await step('approvals.deny: too late', () => remote.approvals.deny(id, by));
  await step('session.call: approved', () => session.call({ tool: 'send_note', arguments: { text: 'one' } }));
  const second = await session.call({ tool: 'send_note', arguments: { text: 'two' } });
  if (second.status !== 'confirmation_required') throw new Error('the call is not held');
  await step('approvals.deny', () => remote.approvals.deny(second.confirmation.token, by, 'no'));
  await step('session.call: denied', () => session.call({ tool: 'send_note', arguments: { text: 'two' } }));
  const third = await session.call({ tool: 'send_note', arguments: { text: 'long' } });
  if (third.status !== 'confirmation_required') throw new Error('the call is not held');
  await step('approvals.approveWith', () =>
    remote.approvals.approveWith(third.confirmation.token, { text: 'short' }, by),
  );
  await step('session.call: approved with other arguments', () =>
    session.call({ tool: 'send_note', arguments: { text: 'long' } }),
  );
  await step('approvals.noticeKey', () => remote.approvals.noticeKey(by));

  const definition = tools.find((it) => it.name === 'send_note/send_note')?.definition as string;
  const rule = {
    tool: 'send_note/send_note',
    definition,
    principal: null,
    conditions: [{ argument: 'text', condition: { test: 'equals', value: 'three' } as const }],
    destructive: false,
    expiresAt: null,
  };
  await step('approvals.rules.preview', () => remote.approvals.rules.preview(rule));
  const added = at<{ id: string }>(
    await step('approvals.rules.add', () => remote.approvals.rules.add(rule, by)),
  );
  await step('approvals.rules.list', () => remote.approvals.rules.list());
  await step('session.call: by a rule', () =>
    session.call({ tool: 'send_note', arguments: { text: 'three' } }),
  );
  await step('approvals.rules.revoke', () => remote.approvals.rules.revoke(added.id, by));
  await step('approvals.rules.revoke: again', () => remote.approvals.rules.revoke(added.id, by));

  const secret = {
    package: 'word_count',
    slot: 'key',
    value: 'a-value',
    audience: { kind: 'any' } as const,
    by,
  };
  await step('secrets.set', () => remote.secrets.set(secret));
  await step('secrets.set: no audience', () =>
    remote.secrets.set({ package: 'word_count', slot: 'key', value: 'a-value', by } as never),
  );
  await step('secrets.list', () => remote.secrets.list());
  await step('secrets.slots', () => remote.secrets.slots('word_count'));
  await step('secrets.slots: unknown', () => remote.secrets.slots('nothing'));
  await step('secrets.declared', () => remote.secrets.declared());
  await step('secrets.declared: one', () => remote.secrets.declared('word_count'));
  await step('secrets.unset', () => remote.secrets.unset('word_count', 'key', by));
  await step('secrets.rekey', () =>
    remote.secrets.rekey({ to: 'passphrase', passphrase: 'correct horse', by }),
  );

  await step('switches.known', () => remote.switches.known());
  await step('switches.set', () => remote.switches.set('counter', false, by));
  await step('switches.disabled', () => remote.switches.disabled());
  await step('session.call: disabled', () => session.call({ tool: 'counter', arguments: { text: '' } }));

  await step('kills.set', () => remote.kills.set('counter', 'user/test'));
  await step('kills.check', () => remote.kills.check('counter'));
  await step('kills.check: unknown', () => remote.kills.check('conter'));
  await step('kills.set: unknown', () => remote.kills.set('conter', 'user/test'));
  await step('kills.set: unknown, with force', () => remote.kills.set('later', 'user/test', true));
  await step('kills.lift: of an unknown target', () => remote.kills.lift('conter', by));
  await remote.kills.lift('later', by);
  await step('kills.list', () => remote.kills.list());
  await step('kills.lift', () => remote.kills.lift('counter', by));
  await step('quarantine.list', () => remote.quarantine.list());
  await step('quarantine.restore: unknown', () => remote.quarantine.restore('mov_0', by));
  await step('quarantine.delete: unknown', () => remote.quarantine.delete('mov_0', by));

  const [waiver] = at<{ id: string }[]>(await step('session.waivers', () => session.waivers()));
  await step('session.acceptWaiver', () => session.acceptWaiver(waiver?.id as string, by));
  await step('session.acceptWaiver: unknown', () => session.acceptWaiver('f'.repeat(64), by));
  await step('waivers.list', () => remote.waivers.list());
  await step('waivers.revoke', () => remote.waivers.revoke(waiver?.id as string, by));
  await step('waivers.revoke: again', () => remote.waivers.revoke(waiver?.id as string, by));
  await step('outcomes.unknown', () => remote.outcomes.unknown());
  await step('outcomes.acknowledge', () => remote.outcomes.acknowledge('call_0', 'user/test'));
  await step('rollbacks.list', () => remote.rollbacks.list());
  await step('rollbacks.acknowledge', () => remote.rollbacks.acknowledge(1, by));
  await step('keptArguments.open: unknown', () => remote.keptArguments.open('call_0', by));
  await step('keptArguments.forget', () => remote.keptArguments.forget(0, by));

  const token = at<{ entry: { id: string }; token: string }>(
    await step('tokens.create', () =>
      remote.tokens.create({ name: 'laptop', role: 'agent', expiresAt: null, by }),
    ),
  );
  await step('tokens.create: the key of a client', async () => {
    const key = { kind: 'stdio', user: 'alice', name: 'desk', role: 'agent', expiresAt: null } as const;
    const first = await remote.tokens.create({ ...key, mayApprove: true, by });
    const second = await remote.tokens.create({ ...key, replaces: first.entry.id, by });
    for (const { entry } of [first, second]) await remote.tokens.revoke(entry.id, 'user/test');
    return [first, second].map(({ entry }) => [entry.kind, entry.principal, entry.mayApprove]);
  });
  await step('tokens.create: a key for an operator', () =>
    remote.tokens.create({ kind: 'stdio', user: 'alice', name: 'x', role: 'operator', expiresAt: null, by }),
  );
  await step('tokens.create: a token that replaces none', () =>
    remote.tokens.create({ name: 'x', role: 'agent', expiresAt: null, replaces: 'tok_gone', by }),
  );
  await step('tokens.list', () => remote.tokens.list());
  await step('tokens.check', () => remote.tokens.check(token.token));
  await step('tokens.check: unknown', () => remote.tokens.check('tw_unknown'));
  await step('tokens.revoke', () => remote.tokens.revoke(token.entry.id, 'user/test'));
  const fixedText = { 'word_count/word_count': { arguments: { text: 'a b c' } } };
  const set = { name: 'counting', only: ['word_count'], tools: fixedText };
  await step('sets.check', () => remote.sets.check(set));
  await step('sets.save', () => remote.sets.save(set, by));
  await step('sets.save: a wrong fixed argument', () =>
    remote.sets.save({ ...set, tools: { 'word_count/word_count': { arguments: { text: 1 } } } }, by),
  );
  await step('sets.save: a member that does not exist', () =>
    remote.sets.save({ ...set, tools: { 'word_count/word_count': { hide: true } } } as never, by),
  );
  const somebody = { kind: 'principal', name: 'somebody' } as const;
  await step('sets.bind', () => remote.sets.bind({ set: 'counting', ...somebody, by }));
  await step('sets.bind: unknown', () => remote.sets.bind({ set: 'nothing', ...somebody, by }));
  await step('sets.list', () => remote.sets.list());
  await step('sets.remove: in use', () => remote.sets.remove('counting', by));
  await step('sets.unbind', () => remote.sets.unbind({ ...somebody, by }));
  await step('sets.unbind: again', () => remote.sets.unbind({ ...somebody, by }));
  await step('sets.remove', () => remote.sets.remove('counting', by));
  await step('processes', () => remote.processes());
  await step('verifyAudit', () => remote.verifyAudit());
  await step('auditStatus', () => remote.auditStatus());
  await step('auditTail', () => remote.auditTail(2));
  await step('openSessions', () => remote.openSessions());
  await step('health.overview', () => remote.health.overview());
  await step('health.check', () => remote.health.check());
  const { calls = [] } = (await step('activity.calls', () =>
    remote.activity.calls({ limit: 5, statuses: ['ok'] }),
  )) as Partial<ActivityPage>;
  expect(calls[0]).toMatchObject({ status: 'ok' });
  await step('activity.summary', () => remote.activity.summary({ since: 0, buckets: 4 }));
  await step('activity.summary: end before start', () => remote.activity.summary({ since: 2, until: 1 }));
  await step('activity.entries', () => remote.activity.entries(calls[0]?.call ?? ''));
  await step('activity.entries: unknown', () => remote.activity.entries('call_nothing'));

  await step('manifests.formats', () => remote.manifests.formats());
  const draft = (await step('manifests.start', () =>
    remote.manifests.start('patch', 'word-tools'),
  )) as ManifestDraft;
  await step('manifests.start: bad name', () => remote.manifests.start('patch', '../x'));
  await step('manifests.start: unknown format', () => remote.manifests.start('nothing', 'x'));
  await step('manifests.check', () => remote.manifests.check(draft));
  await step('manifests.check: broken', () =>
    remote.manifests.check({ ...draft, files: [{ path: draft.manifest, text: '# ---' }] }),
  );

  const manifest = draft.files.find((it) => it.path === draft.manifest)?.text ?? '';
  const { value } = (await step('manifests.read', () =>
    remote.manifests.read('patch', manifest),
  )) as ReadDraft;
  await step('manifests.read: broken', () => remote.manifests.read('patch', 'print()'));
  await step('manifests.write', () =>
    remote.manifests.write('patch', manifest, { ...value, version: '2.0.0' }),
  );
  await step('manifests.write: broken', () => remote.manifests.write('patch', 'print()', {}));
  await step('session.source', () => session.source('word_count'));
  await step('session.source: unknown', () => session.source('nothing'));

  const { learning } = session;
  await step('session.learning.watch', () => learning.watch({ package: 'word_count', seconds: 1 }));
  await step('session.learning.propose', () => learning.propose({ package: 'word_count' }));
  await step('session.learning.propose: unknown', () => learning.propose({ package: 'nothing' }));
  const narrow = { package: 'word_count', network: null, noWriting: true };
  await step('session.learning.apply', () => learning.apply({ ...narrow, by }));
  await step('session.learning.undo', () => learning.undo('word_count', by));

  const needed = { source: 'npm:left@1', reason: 'I need it.' };
  await step('session.requestInstall', () => session.requestInstall(needed));
  await step('session.requestInstall: not a source', () =>
    session.requestInstall({ ...needed, source: 'http://a' }),
  );
  const [wish] = await remote.installRequests.list();
  await step('installRequests.list', () => remote.installRequests.list());
  await step('installRequests.refuse', () => remote.installRequests.refuse(wish?.id as string, 'No.', by));
  await step('installRequests.refuse: unknown', () => remote.installRequests.refuse('req_0', undefined, by));

  await step('labels.list', () => remote.labels.list());
  await step('labels.get: unknown', () => remote.labels.get('lab_0'));
  await step('labels.reset: unknown', () => remote.labels.reset('lab_0', by));
  await step('labels.endorsements', () => remote.labels.endorsements());
  await step('labels.revoke: unknown', () => remote.labels.revoke('end_0', by));

  const { registries } = session;
  await step('session.registries.list', () => registries.list());
  await step('session.registries.search', () => registries.search({ words: 'counter' }));
  await step('session.registries.search: a limit out of range', () =>
    registries.search({ words: 'counter', limit: 0 }),
  );
  await step('session.registries.info', () => registries.info({ name: 'acme/counter' }));
  await step('session.registries.info: unknown', () => registries.info({ name: 'acme/nothing' }));
  const { waiting: publications } = at<PublicationReviews>(
    await step('session.registries.reviews', () => registries.reviews()),
  );
  const [toApprove, toGuard] = publications.map(({ registry, id, sha256 }) => ({ registry, id, sha256 }));
  if (toApprove === undefined || toGuard === undefined) throw new Error('nothing waits');
  await step('session.registries.decideReview', () =>
    registries.decideReview({ ...toApprove, decision: 'approved', note: 'Looked at it.', by }),
  );
  await step('session.registries.decideReview: again', () =>
    registries.decideReview({ ...toApprove, decision: 'rejected', by }),
  );
  await step('session.registries.decideReview: another archive', () =>
    registries.decideReview({ ...toGuard, sha256: 'f'.repeat(64), decision: 'approved', by }),
  );
  await step('session.registries.decideReview: an unknown registry', () =>
    registries.decideReview({ ...toGuard, registry: 'nothing', decision: 'rejected', by }),
  );

  const { signIns } = session;
  const signIn = {
    ...{ package: 'counter', issuer: 'https://auth.example.com' },
    redirectUri: 'http://127.0.0.1:9/callback',
  };
  await step('session.signIns.list', () => signIns.list());
  await step('session.signIns.check: no server', () => signIns.check({ package: 'counter' }));
  await step('session.signIns.begin: no server', () => signIns.begin({ ...signIn, by }));
  await step('session.signIns.finish: unknown', () =>
    signIns.finish({ id: 'sgn_0', callback: signIn.redirectUri }),
  );
  await step('session.signIns.signOut', () => signIns.signOut({ package: 'counter', by }));

  const { installations } = session;
  const offered = (name: string) => ({ source: join(folder, 'offered', `${name}.py`) });
  const plan = at<{ digest: string }>(
    await step('session.installations.plan', () => installations.plan(offered('shout'))),
  );
  const agreed = { ...offered('shout'), agree: plan.digest };
  const server = { name: 'tracker', url: 'https://mcp.example.com/mcp' };
  await step('session.installations.draftServer', () => installations.draftServer(server));
  await step('session.installations.tryServer', () => installations.tryServer({ ...server, by }));
  await step('session.installations.checkValue: unknown', () =>
    installations.checkValue({ agree: plan.digest, name: 'KEY', value: 'a' }),
  );
  await step('session.installations.install: another plan', () =>
    installations.install({ ...agreed, agree: 'f'.repeat(64), by }),
  );
  await step('session.installations.install', () => installations.install({ ...agreed, by }));
  await step('session.installations.install: again', () => installations.install({ ...agreed, by }));
  const allow = ['env:LANG'];
  const wider = {
    ...offered('shout'),
    allow,
    agree: (await installations.plan({ ...offered('shout'), allow })).digest,
  };
  await step('session.installations.install: with a grant', () => installations.install({ ...wider, by }));
  const lines: string[] = [];
  const onProgress = (it: ChangeProgress) => void lines.push(`${it.step}: ${it.detail}`);
  const { digest } = await installations.plan({ ...offered('whisper'), onProgress });
  const other = { ...offered('whisper'), agree: digest };
  await installations.install({ ...other, skipSmoke: true, by, onProgress });
  expect(lines).toContain('environment: fetch dependencies');
  await step('session.installations.install: the lines of its progress', async () => lines);
  await step('session.installations.install: an error with progress', () =>
    installations.install({ ...other, agree: 'f'.repeat(64), by, onProgress }),
  );
  await step('session.installations.list', () => installations.list());
  await step('session.installations.why', () => installations.why('whisper'));
  await step('session.installations.why: unknown', () => installations.why('nothing'));
  await step('session.installations.planRestore: no lock file', () => installations.planRestore({}));
  await installations.install({ ...other, skipSmoke: true, save: true, by });
  const locked = at<{ digest: string }>(
    await step('session.installations.planRestore', () => installations.planRestore({})),
  );
  await step('session.installations.restore', () => installations.restore({ agree: locked.digest, by }));
  await step('session.installations.restore: another digest', () =>
    installations.restore({ agree: 'f'.repeat(64), by }),
  );
  const lockText = readFileSync(join(folder, 'toolwharf.lock'), 'utf8');
  await step('session.installations.history', () => installations.history('shout'));
  await step('session.installations.history: unknown', () => installations.history('nothing'));
  await step('session.installations.verify', () => installations.verify('shout'));
  const shout = { package: 'shout', by, onProgress };
  lines.length = 0;
  await step('session.installations.outdated', () => installations.outdated({ onProgress }));
  await step('session.installations.rollback', () => installations.rollback(shout));
  await step('session.installations.collectGarbage', () => installations.collectGarbage(by));
  await step('session.installations.remove', () =>
    installations.remove({ package: 'whisper', by, onProgress }),
  );
  await step('session.installations.revoke', () => installations.revoke(shout));
  expect(lines).toEqual([
    ...['check: the source of shout', 'check: the source of whisper', 'check: the files of generation 1'],
    ...['clean up: remove the files of whisper', 'clean up: remove the files of shout'],
  ]);
  // Again, for the same operations with the PIN.
  for (const it of [agreed, wider, other]) await installations.install({ ...it, by });

  const aborted = new Cancellation();
  aborted.abort();
  await step('session.call: canceled before it starts', async () => {
    const answer = await session
      .call({ tool: 'word_count', arguments: { text: 'x' }, signal: aborted })
      .catch((error: unknown) => ({ error }));
    return 'error' in answer ? (answer.error as { code: string }).code : answer.status;
  });

  await step('operator.pin', () => remote.operator.pin());
  await step('operator.setPin', () => remote.operator.setPin(pin, by));
  await remote.kills.set('counter', 'user/test');
  const fourth = await session.call({ tool: 'send_note', arguments: { text: 'four' } });
  if (fourth.status !== 'confirmation_required') throw new Error('the call is not held');
  const { token: last } = fourth.confirmation;
  const guarded: Readonly<Record<string, (actor: Actor) => Promise<unknown>>> = {
    'approvals.approve': (actor) => remote.approvals.approve(last, actor),
    'approvals.approveWith': (actor) => remote.approvals.approveWith(last, { text: 'five' }, actor),
    'session.registries.decideReview': (actor) =>
      registries.decideReview({ ...toGuard, decision: 'approved', by: actor }),
    'approvals.noticeKey': async (actor) => (await remote.approvals.noticeKey(actor)).length,
    'approvals.rules.add': (actor) => remote.approvals.rules.add(rule, actor),
    'secrets.set': (actor) => remote.secrets.set({ ...secret, by: actor }),
    'secrets.unset': (actor) => remote.secrets.unset('word_count', 'key', actor),
    'secrets.rekey': (actor) => remote.secrets.rekey({ to: 'file', by: actor }),
    'switches.set': (actor) => remote.switches.set('counter', true, actor),
    'kills.lift': (actor) => remote.kills.lift('counter', actor),
    'quarantine.restore': (actor) => remote.quarantine.restore('mov_0', actor),
    'quarantine.delete': (actor) => remote.quarantine.delete('mov_0', actor),
    'labels.reset': (actor) => remote.labels.reset('lab_0', actor),
    'rollbacks.acknowledge': (actor) => remote.rollbacks.acknowledge(1, actor),
    'keptArguments.open': (actor) => remote.keptArguments.open('call_0', actor),
    'keptArguments.forget': (actor) => remote.keptArguments.forget(0, actor),
    'tokens.create': (actor) =>
      remote.tokens.create({ name: 'phone', role: 'agent', expiresAt: null, by: actor }),
    'sets.save': (actor) => remote.sets.save(set, actor),
    'sets.bind': (actor) => remote.sets.bind({ set: 'counting', ...somebody, by: actor }),
    'sets.unbind': (actor) => remote.sets.unbind({ ...somebody, by: actor }),
    'session.acceptWaiver': (actor) => session.acceptWaiver(waiver?.id as string, actor),
    'session.accept': (actor) => session.accept('late', 'f'.repeat(64), actor),
    'session.learning.apply': (actor) => learning.apply({ ...narrow, by: actor }),
    'session.learning.undo': (actor) => learning.undo('word_count', actor),
    'session.installations.tryServer': (actor) => installations.tryServer({ ...server, by: actor }),
    'session.signIns.begin': (actor) => signIns.begin({ ...signIn, by: actor }),
    'session.signIns.signOut': (actor) => signIns.signOut({ package: 'counter', by: actor }),
    'session.installations.install': (actor) => installations.install({ ...agreed, by: actor }),
    'session.installations.restore': async (actor) => {
      await installations.remove({ package: 'whisper', by: withPin() }).catch(() => {});
      writeFileSync(join(folder, 'toolwharf.lock'), lockText);
      const { digest: agree } = await installations.planRestore({});
      return installations.restore({ agree, by: actor });
    },
    'session.installations.rollback': (actor) => installations.rollback({ package: 'shout', by: actor }),
    'session.installations.collectGarbage': (actor) => installations.collectGarbage(actor),
    'session.installations.remove': (actor) => installations.remove({ package: 'whisper', by: actor }),
    'session.installations.revoke': (actor) => installations.revoke({ package: 'shout', by: actor }),
    'operator.setPin': (actor) => remote.operator.setPin('271828', actor),
    'operator.removePin': (actor) => remote.operator.removePin(actor),
  };
  const rows = operations.filter((it) => it.pin === 'if-set').map((it) => it.name);
  expect(Object.keys(guarded).sort()).toEqual([...rows].sort());
  for (const [name, perform] of Object.entries(guarded)) {
    await step(`${name}: without the PIN`, () => perform(by));
    // The new PIN of setPin must not lock out what follows.
    if (name === 'operator.setPin') continue;
    await step(`${name}: with the PIN`, () => perform(withPin()));
  }
  expect(folder).not.toBe('');
}

interface Entry {
  readonly step: string;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

const benches = new Map<Surface, Bench>();
const transcripts = new Map<Surface, readonly Entry[]>();
const misfits: string[] = [];

beforeAll(async () => {
  for (const surface of surfaces) {
    const bench = await openBench(surface);
    benches.set(surface, bench);
    const entries: Entry[] = [];
    await scenario(bench, async (step, perform) => {
      try {
        const result = await perform();
        const operation = findOperation(step);
        const problem = operation?.result.problem(JSON.parse(JSON.stringify(result ?? null)), 'result');
        if (problem !== undefined) misfits.push(`${surface} ${step}: ${problem}`);
        // Processes end, and the audit log is written, in their own time; sessions differ by surface.
        const isVolatile =
          ['processes', 'auditTail', 'auditStatus', 'openSessions'].includes(step) ||
          /^(?:activity|health)\./.test(step);
        entries.push({ step, result: isVolatile ? 'see its shape' : normalized(result, bench.folder) });
        return result;
      } catch (error) {
        if (!(error instanceof HostError)) throw error;
        const { code, message } = error;
        entries.push({ step, error: normalized({ code, message }, bench.folder) as Entry['error'] & object });
        return undefined;
      }
    });
    transcripts.set(surface, entries);
  }
}, 240_000);

afterAll(async () => {
  for (const bench of benches.values()) await bench.close();
});

describe('every operation', () => {
  test('is performed by the scenario', () => {
    const performed = new Set(transcripts.get('local')?.map((it) => it.step.split(':')[0]));
    expect(operations.map((it) => it.name).filter((it) => !performed.has(it))).toEqual([]);
  });

  test.each(['socket', 'http'] as const)(
    'gives the same result through the %s as in this process',
    (surface) => {
      expect(transcripts.get(surface)).toEqual(transcripts.get('local'));
    },
  );

  test('returns what its shape describes', () => expect(misfits).toEqual([]));

  test('did not fail for a reason that nobody expected', () => {
    const failed = transcripts.get('local')?.filter((it) => it.error !== undefined) ?? [];
    for (const { step, error } of failed) {
      expect(step, JSON.stringify(error)).toContain(':');
      expect(error?.code, step).not.toBe('internal');
    }
    const withoutPin = failed.filter((it) => it.step.endsWith('without the PIN'));
    expect(withoutPin.map((it) => it.error?.code)).toEqual(withoutPin.map(() => 'pin_required'));
    const guarded = operations.filter((it) => it.pin === 'if-set').map((it) => it.name);
    expect(withoutPin.map((it) => it.step.split(':')[0])).toEqual(expect.arrayContaining(guarded));
  });

  test.each(
    operations
      .filter((it) => it.input.schema.required !== undefined && it.name !== 'session.call')
      .map((it) => it.name),
  )('%s rejects missing input in the same words everywhere', async (name) => {
    const operation = findOperation(name);
    if (operation === undefined) throw new Error('unknown');
    const messages: string[] = [];
    for (const { remote, session } of benches.values()) {
      const method = methodOf(operation.scope === 'session' ? session : remote, operation);
      const failure = await method().then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({ code: 'usage' });
      messages.push((failure as Error).message);
    }
    expect(messages[0]).toContain(name);
    expect(new Set(messages).size).toBe(1);
  });

  test.each(operations.filter((it) => it.role === 'operator').map((it) => it.name))(
    '%s is denied to an agent',
    async (name) => {
      const operation = findOperation(name);
      const bench = benches.get('http');
      if (operation === undefined || bench === undefined) throw new Error('unknown');
      const target =
        operation.scope === 'session' ? await bench.agent.session({ directories: [] }) : bench.agent;
      await expect(methodOf(target, operation)()).rejects.toMatchObject({ code: 'denied' });
    },
  );
});
