// What every store does, whatever database it is in: each class of rows, the audit log and the limits.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AcceptedWaivers } from '../../../src/store/accepted-waivers.js';
import { AgreementRows, LinkRows } from '../../../src/store/agreements.js';
import { AnchorRows } from '../../../src/store/anchor-rows.js';
import { AnnouncementRows } from '../../../src/store/announcements.js';
import { ApprovalQueue } from '../../../src/store/approvals.js';
import { readAuditTail, unfinishedCalls } from '../../../src/store/audit-entries.js';
import { AuditLog, type NewAuditEntry } from '../../../src/store/audit-log.js';
import { BrokenWhenNamed } from '../../../src/store/broken-when-named.js';
import { observedUses } from '../../../src/store/call-history.js';
import { CallTable } from '../../../src/store/call-table.js';
import { ChangeJournal } from '../../../src/store/change-journal.js';
import type { Database } from '../../../src/store/database.js';
import { DenialRows } from '../../../src/store/denials.js';
import { DisabledPackages } from '../../../src/store/disabled-packages.js';
import { EndorsementRows } from '../../../src/store/endorsements.js';
import { FailedStartRows } from '../../../src/store/failed-starts.js';
import { HostKeys } from '../../../src/store/host-keys.js';
import { InstallationRows } from '../../../src/store/installations.js';
import { KillRows } from '../../../src/store/kills.js';
import { KnownNames } from '../../../src/store/known-names.js';
import { LabelSessionRows } from '../../../src/store/label-sessions.js';
import { LimitLedger } from '../../../src/store/limit-ledger.js';
import type { Meter } from '../../../src/store/meter.js';
import { MovedFileRows } from '../../../src/store/moved-files.js';
import { Narrowings } from '../../../src/store/narrowings.js';
import { OperatorPin } from '../../../src/store/operator-pin.js';
import { packageEntries } from '../../../src/store/package-entries.js';
import { ParseCacheRows } from '../../../src/store/parse-cache.js';
import { ReleaseWarningRows } from '../../../src/store/release-warnings.js';
import { RepeatableCallRows } from '../../../src/store/repeatable-calls.js';
import { RequestedInstallations } from '../../../src/store/requested-installations.js';
import { RevokedPackages } from '../../../src/store/revoked-packages.js';
import { SealedArgumentRows } from '../../../src/store/sealed-arguments.js';
import { SecretRows } from '../../../src/store/secrets.js';
import { SignInRequestRows } from '../../../src/store/sign-in-requests.js';
import { StandingRules } from '../../../src/store/standing-rules.js';
import { TaintHoldRows } from '../../../src/store/taint-holds.js';
import { TaskRows } from '../../../src/store/tasks.js';
import { TokenRows } from '../../../src/store/tokens.js';
import { ToolSetRows } from '../../../src/store/tool-sets.js';
import { UnknownOutcomeRows } from '../../../src/store/unknown-outcomes.js';
import { ViolationRows } from '../../../src/store/violations.js';
import { WatchedPackages } from '../../../src/store/watched-packages.js';
import {
  agreement,
  generation,
  heldCall,
  me,
  repeatableCall,
  sealedArguments,
  secret,
  startTime,
} from '../stored-rows.js';

export interface OpenedStore {
  readonly database: Database;
  /** The same state in another process. */
  again(): Promise<Database>;
  close(): Promise<void>;
}

const bytes = (...values: number[]) => new Uint8Array(values);
const all = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    let store: OpenedStore;
    let database: Database;
    let clock = startTime;
    const now = () => clock;
    const tick = () => clock++;
    beforeEach(async () => {
      clock = startTime;
      store = await open();
      database = store.database;
    });
    afterEach(() => store.close());

    describe('held calls', () => {
      test('of two hundred concurrent approvals and begins, one each succeeds', async () => {
        const queue = new ApprovalQueue(database, now);
        await queue.propose(heldCall('one'));
        expect(await queue.begin('one', heldCall('one'))).toBe(false);
        expect((await all(200, () => queue.decide('one', 'approved', me))).filter(Boolean)).toHaveLength(1);
        expect((await all(200, () => queue.begin('one', heldCall('one')))).filter(Boolean)).toHaveLength(1);
        await queue.finish('one', { done: true });
        expect(await queue.get('one')).toEqual({
          ...heldCall('one'),
          ...{ state: 'executed', answer: { done: true }, voidReason: null, replacement: null },
          decision: { ...me, at: startTime },
        });
      });

      test('an approval does not apply to another call', async () => {
        const queue = new ApprovalQueue(database, now);
        await queue.propose(heldCall('one'));
        await queue.decide('one', 'approved', me, { x: 2 });
        for (const other of [{ principal: 'q' }, { definition: 'e' }, { policy: 'm' }, { credentials: 'n' }])
          expect(await queue.begin('one', { ...heldCall('one'), ...other })).toBe(false);
        expect(await queue.find(heldCall('one'), ['approved'])).toMatchObject({ replacement: { x: 2 } });
        expect(await queue.outstanding(heldCall('one'))).toHaveLength(1);
        expect(await queue.begin('one', heldCall('one'))).toBe(true);
        await queue.revertToApproved('one');
        expect(await queue.begin('one', heldCall('one'))).toBe(true);
      });

      test('they expire, and their arguments are erased an hour later', async () => {
        const queue = new ApprovalQueue(database, now);
        await queue.propose(heldCall('one'));
        clock = heldCall('one').expiresAt;
        expect(await queue.decide('one', 'approved', me)).toBe(false);
        expect(await queue.get('one')).toMatchObject({ state: 'expired', arguments: { x: 1 } });
        clock += 3_600_000;
        expect(await queue.get('one')).toMatchObject({ state: 'expired', arguments: null });
      });

      test('they become void by package, tool and definition', async () => {
        const queue = new ApprovalQueue(database, now);
        const tools = ['pack/a', 'pack/b', 'pack-two/a', 'pack0/a'];
        for (const tool of tools) await queue.propose({ ...heldCall(tool), tool });
        expect((await queue.invalidate({ package: 'pack' }, 'changed')).sort()).toEqual(['pack/a', 'pack/b']);
        expect(await queue.invalidate({ tool: 'pack0/a' }, 'changed')).toEqual(['pack0/a']);
        expect(await queue.invalidate({ definition: 'd' }, 'changed')).toEqual(['pack-two/a']);
        expect((await queue.list(['void'])).map((it) => it.voidReason)).toEqual(tools.map(() => 'changed'));
      });

      test('they are counted by principal and session, and listed by tool', async () => {
        const queue = new ApprovalQueue(database, now);
        await queue.propose(heldCall('one'));
        await queue.propose({ ...heldCall('two'), session: 't' });
        await queue.propose({ ...heldCall('three'), principal: 'q' });
        expect(await queue.counts('p', 's', startTime - 1)).toEqual({
          open: 2,
          ofPrincipal: 2,
          ofSession: 1,
        });
        expect((await queue.ofTool('a/b', startTime)).map((it) => it.id).sort()).toEqual([
          'one',
          'three',
          'two',
        ]);
      });

      test('a denial is told once', async () => {
        const queue = new ApprovalQueue(database, now);
        const denials = new DenialRows(database, now);
        await queue.propose(heldCall('one'));
        await queue.decide('one', 'denied', me);
        await denials.add({ approval: 'one', note: 'not today' });
        expect(await denials.untold(heldCall('one'))).toEqual({ approval: 'one', note: 'not today' });
        expect(await denials.tell('one')).toBe('not today');
        expect(await denials.untold(heldCall('one'))).toBeUndefined();
      });
    });

    describe('rules and settings of the operator', () => {
      test('standing rules count uses until they end', async () => {
        const rules = new StandingRules(database, now);
        const rule = { tool: 'a/b', definition: 'd', principal: null, conditions: [], destructive: false };
        await rules.add('one', { ...rule, expiresAt: startTime + 10 }, me);
        await rules.add('all', { ...rule, tool: 'a/*', definition: null, expiresAt: null }, me);
        expect((await rules.inForce('a/b', 'd', 'p')).map((it) => it.id)).toEqual(['one']);
        expect((await rules.inForce('a/*', null, 'p')).map((it) => it.id)).toEqual(['all']);
        expect((await all(20, () => rules.use('one'))).every(Boolean)).toBe(true);
        clock += 10;
        expect(await rules.use('one')).toBe(false);
        expect(await rules.end({ id: 'all' }, 'revoked')).toEqual(['all']);
        expect((await rules.list()).map((it) => [it.id, it.state, it.used])).toEqual([
          ['all', 'ended', 0],
          ['one', 'expired', 20],
        ]);
      });

      test('parallel guesses of the PIN are all counted', async () => {
        const pin = new OperatorPin(database, now, (failures) => (failures >= 3 ? 60_000 : 0));
        expect(await pin.reserve('elsewhere')).toEqual({ kind: 'unset' });
        await pin.put({ salt: bytes(1, 2), hash: bytes(0, 255) });
        const tried = await all(20, () => pin.reserve('elsewhere'));
        expect(tried.filter((it) => it.kind === 'allowed')).toHaveLength(3);
        expect(tried.filter((it) => it.kind === 'wait')).toHaveLength(17);
        expect((await pin.reserve('page')).kind).toBe('allowed');
        expect(await pin.get()).toMatchObject({ hash: bytes(0, 255), failures: 3, page_failures: 1 });
        await pin.resetFailures();
        expect(await pin.get()).toMatchObject({ failures: 0, page_failures: 0 });
        await pin.remove();
        expect(await pin.get()).toBeUndefined();
      });

      test('waivers, kills and disabled packages are kept', async () => {
        const waivers = new AcceptedWaivers(database, now);
        const waiver = { id: 'w', kind: 'grant', content: { grant: 'net:a' }, text: 'a' } as never;
        await waivers.put(waiver, { by: 'me', verified: false });
        await waivers.put(waiver, { by: 'me', verified: true });
        expect(await waivers.list()).toMatchObject([{ id: 'w', verified: 1, accepted_at: startTime }]);
        expect([await waivers.remove('w'), await waivers.remove('w')]).toEqual([true, false]);
        const kills = new KillRows(database);
        for (const target of ['b', 'a', 'a']) await kills.add({ target, at: startTime, by: 'me' });
        expect(await kills.list()).toEqual(['a', 'b'].map((target) => ({ target, at: startTime, by: 'me' })));
        await kills.remove('a');
        expect(await kills.list()).toHaveLength(1);
        const disabled = new DisabledPackages(database, now);
        expect(await disabled.set('pack', false, 'me')).toBe(true);
        expect(await disabled.set('pack', false, 'me')).toBe(false);
        expect(await disabled.list()).toEqual(['pack']);
        expect(await disabled.set('pack', true, 'me')).toBe(true);
      });

      test('sets are saved and bound', async () => {
        const sets = new ToolSetRows(database, now);
        await sets.put('b', '{}', 'me');
        await sets.put('a', '{}', 'me');
        await sets.put('a', '{"only":[]}', 'me');
        expect((await sets.list()).map((it) => [it.name, it.content])).toEqual([
          ['a', '{"only":[]}'],
          ['b', '{}'],
        ]);
        const binding = { kind: 'token', name: 'laptop', subject: 't', set: 'a' } as const;
        await sets.bind(binding, 'me');
        await sets.bind({ ...binding, set: 'b' }, 'me');
        expect(await sets.bindings()).toEqual([{ ...binding, set: 'b' }]);
        await sets.unbind(binding);
        await sets.remove('a');
        expect([await sets.bindings(), (await sets.list()).length]).toEqual([[], 1]);
      });
    });

    describe('values and tokens', () => {
      test('of concurrent writes of a value, one is stored', async () => {
        const rows = new SecretRows(database);
        expect(await rows.put(secret(1))).toBe(true);
        expect((await all(20, () => rows.put(secret(2)))).filter(Boolean)).toHaveLength(1);
        expect(await rows.get('pack', 'key')).toEqual(secret(2));
        expect(await rows.list()).toEqual([secret(2)]);
        expect([await rows.remove('pack', 'key'), await rows.remove('pack', 'key')]).toEqual([true, false]);
      });

      test('a key is made once', async () => {
        let made = 0;
        const keys = new HostKeys(database, () => bytes(++made, 0, 255));
        const [first] = await all(5, () => keys.get('notices'));
        expect(first).toBeInstanceOf(Uint8Array);
        expect(await new HostKeys(database, () => bytes(9)).get('notices')).toEqual(first);
      });

      test('a principal belongs to its first token forever', async () => {
        const tokens = new TokenRows(database, now);
        const token = (id: string, more: object = {}) => ({
          ...{ id, kind: 'client', name: 'n', role: 'call', may_approve: 0, expires_at: null },
          ...{ created_by: 'me', wantedPrincipal: 'laptop', ...more },
        });
        const made = await all(5, (index) => tokens.add(token(`t${index}`), `secret ${index}`));
        expect(new Set(made.map((it) => it?.principal)).size).toBe(5);
        expect(made.map((it) => it?.principal)).toContain('laptop');
        const [, second] = made;
        const replacing = token('r', { replaces: 't1', expires_at: startTime + 5 });
        expect((await tokens.add(replacing, 'new'))?.principal).toBe(second?.principal);
        expect(await tokens.add(token('x', { replaces: 'nothing' }), 'other')).toBeUndefined();
        expect((await tokens.find('new'))?.id).toBe('r');
        await tokens.noteUse('r', startTime + 1);
        clock += 5;
        expect(await tokens.find('new')).toBeUndefined();
        expect(await tokens.findExpired('new')).toMatchObject({ id: 'r', last_used_at: startTime + 1 });
        expect([await tokens.remove('r'), await tokens.remove('r')]).toEqual([true, false]);
        expect(await new KnownNames(database).tokenPrincipals()).toHaveLength(5);
        expect(await tokens.list()).toHaveLength(5);
      });
    });

    describe('packages', () => {
      test('a generation is served with its values, its agreement and its journal, or not at all', async () => {
        const rows = new InstallationRows(database, now);
        const journal = new ChangeJournal(database, now);
        await journal.begin({ id: 'j', package: 'pack', operation: 'install' });
        await journal.add('j', { trees: ['t1'] });
        await journal.add('j', { trees: ['t2'], engine: 'podman' });
        expect(await journal.get('j')).toMatchObject({ made: { trees: ['t1', 't2'], engine: 'podman' } });
        await rows.switchTo(generation(1), null, 'j', [secret(1)], 'delayed');
        await rows.sync();
        expect(await journal.list()).toEqual([]);
        expect(await rows.get('pack')).toMatchObject({ current: 1, roots: null, state: 'active' });
        expect(await rows.generation('pack', 1)).toEqual(generation(1));
        // The stored value has another version by now.
        await journal.begin({ id: 'k', package: 'pack', operation: 'update', made: { trees: ['t3'] } });
        await expect(rows.switchTo(generation(2), ['/a'], 'k', [secret(1)])).rejects.toMatchObject({
          code: 'state_unusable',
        });
        expect([(await rows.generations()).length, (await journal.list()).length]).toEqual([1, 1]);
        await rows.switchTo(generation(2), ['/a'], 'k', [secret(2)]);
        expect(await rows.countFailedStart('pack', 2, 'no')).toMatchObject({ failures: 1, reason: 'no' });
        await rows.setSmoke('pack', 2, { status: 'failed', at: 1 });
        const trial = { state: 'failed', failures: 1, at: 2 } as const;
        await rows.pointTo(generation(1), ['/a'], 'none', { number: 2, trial });
        expect((await rows.generations('pack')).map((it) => [it.number, it.trial, it.smoke.status])).toEqual([
          [1, null, 'none'],
          [2, trial, 'failed'],
        ]);
        await rows.keep(generation(1), ['/b'], 'none', []);
        expect(await rows.list()).toMatchObject([{ package: 'pack', current: 1, roots: ['/b'] }]);
        // The one that is served stays.
        await expect(rows.removeGenerations([generation(1)])).rejects.toThrow();
        await rows.removeGenerations([generation(2)]);
        await rows.markRevoking('pack');
        await rows.remove('pack');
        expect(await new AgreementRows(database, now).get(agreement(1).manifest)).toBeUndefined();
        expect(await rows.generations()).toEqual([]);
      });

      test('agreements, named paths and announcements are kept', async () => {
        const rows = new AgreementRows(database, now);
        const { acceptedAt: _, ...accepted } = agreement(1);
        await rows.put(accepted);
        await rows.put({ ...accepted, digest: 'new' });
        expect(await rows.get(accepted.manifest)).toEqual({ ...agreement(1), digest: 'new' });
        expect(await rows.places()).toEqual([{ manifest: accepted.manifest, paths: accepted.paths }]);
        const links = new LinkRows(database, now);
        expect((await all(5, () => links.add('/a'))).filter(Boolean)).toHaveLength(1);
        expect([await links.isKnown('/a'), await links.folders()]).toEqual([true, ['/a']]);
        const broken = new BrokenWhenNamed(database, now);
        await broken.add({ manifest: '/b', paths: ['/b'] });
        expect(await broken.has('/b')).toBe(true);
        await broken.remove('/b');
        const announcements = new AnnouncementRows(database, now);
        const announced = {
          manifest: accepted.manifest,
          program: 'p',
          digest: 'd',
          agreed: '{}',
          waiting: null,
        };
        await announcements.put(announced);
        await announcements.put({ ...announced, waiting: '{"tools":[{"name":"new"}]}' });
        expect(await announcements.list(accepted.manifest)).toMatchObject([{ program: 'p', agreed: '{}' }]);
        const names = new KnownNames(database);
        expect([await names.packages(), await names.tools('pack')]).toEqual([['pack'], ['go', 'new']]);
      });

      test('what happened to packages is kept', async () => {
        const starts = new FailedStartRows(database, now);
        await starts.put({ manifest: '/a', program: 'p', digest: 'd', reason: 'old' });
        await starts.put({ manifest: '/a', program: 'p', digest: 'd', reason: 'new' });
        expect(await starts.list('/a')).toEqual([
          { manifest: '/a', program: 'p', digest: 'd', reason: 'new' },
        ]);
        await starts.remove('/a', 'p');
        const signIns = new SignInRequestRows(database, now);
        const signIn = { package: 'pack', program: 'p', url: 'u', resource_metadata: '', scopes: 'a b' };
        await signIns.put(signIn);
        await signIns.put({ ...signIn, scopes: 'c' });
        expect(await signIns.list()).toEqual([{ ...signIn, scopes: 'c' }]);
        const violations = new ViolationRows(database);
        const seen = {
          package: 'pack',
          kind: 'network' as never,
          detail: 'a',
          count: 1,
          firstAt: 1,
          lastAt: 1,
        };
        await violations.put(seen);
        await violations.put({ ...seen, count: 2, lastAt: 9 });
        expect(await violations.list()).toEqual([{ ...seen, count: 2, lastAt: 9 }]);
        const revoked = new RevokedPackages(database, now);
        await revoked.add('pack', 'me');
        expect(await revoked.list()).toEqual([{ package: 'pack', at: startTime, by: 'me' }]);
        await revoked.remove('pack');
        const warnings = new ReleaseWarningRows(database);
        const warning = { name: 'n', version: '1', sha256: 's', registry: 'r', kind: 'withdrawn' as const };
        await warnings.put({ ...warning, reason: 'a', seenAt: 1 });
        await warnings.put({ ...warning, reason: 'b', seenAt: 2 });
        expect(await warnings.list()).toEqual([{ ...warning, reason: 'b', seenAt: 2 }]);
        await warnings.remove({ ...warning, reason: 'b', seenAt: 2 });
        expect(await warnings.list()).toEqual([]);
        const moved = new MovedFileRows(database);
        const file = { id: 'm', folder: '/w', path: '/w/a', stored: '/q/a', kind: 'file' as const };
        await moved.add({ ...file, packages: ['pack'], at: 1 });
        expect(await moved.get('m')).toEqual({ ...file, packages: ['pack'], at: 1 });
        await moved.remove('m');
        expect(await moved.list()).toEqual([]);
      });

      test('packages are watched and narrowed over restarts', async () => {
        const watched = await WatchedPackages.open(database, now);
        await watched.watch('pack', startTime + 10);
        const narrowings = await Narrowings.open(database);
        const narrowing = {
          package: 'pack',
          network: ['a'],
          grants: ['net:b'],
          noWriting: true,
          at: 1,
          by: 'me',
        };
        await narrowings.set(narrowing);
        const other = await store.again();
        expect((await WatchedPackages.open(other, now)).since('pack')).toBe(startTime);
        expect((await Narrowings.open(other)).of('pack')).toEqual(narrowing);
        expect([await narrowings.remove('pack'), await narrowings.remove('pack')]).toEqual([true, false]);
        await other.destroy();
      });

      test('requests of agents are decided once, and expire', async () => {
        const requests = new RequestedInstallations(database, now);
        const request = (id: string) => ({
          ...{ id, source: 'npm:a', reason: 'r', seenIn: null, principal: 'p', client: '', root: '/w' },
          ...{ createdAt: startTime, expiresAt: startTime + 10, state: 'waiting' as const },
          ...{ decision: null, installed: null },
        });
        for (const id of ['one', 'two', 'three']) await requests.add(request(id));
        expect((await all(10, () => requests.refuse('one', 'me', 'no'))).filter(Boolean)).toHaveLength(1);
        expect(await requests.finish('two', 'me', { package: 'a', plan: 'x' })).toBe(true);
        expect(await requests.counts('p', startTime - 1)).toEqual({ waiting: 1, waitingOfAll: 1, recent: 3 });
        expect(await requests.get('two')).toMatchObject({ state: 'installed', installed: { package: 'a' } });
        clock += 10;
        expect((await requests.list(['expired'])).map((it) => it.id)).toEqual(['three']);
        clock += 7 * 86_400_000;
        expect(await requests.newest('p', 'npm:a')).toBeUndefined();
      });

      test('parsed manifests count only for the build that wrote them', async () => {
        const rows = new ParseCacheRows(database, 'one', now);
        await rows.keep(
          new Map([
            ['a', '1'],
            ['b', '2'],
          ]),
        );
        await rows.keep(new Map([['a', '3']]));
        expect([await rows.get('a'), await rows.get('b')]).toEqual(['3', '2']);
        clock++;
        await rows.keep(new Map(Array.from({ length: 2000 }, (_, index) => [`n${index}`, 'x'])));
        expect([await rows.get('a'), await rows.get('n0')]).toEqual([undefined, 'x']);
        const other = new ParseCacheRows(database, 'two', now);
        expect(await other.get('n0')).toBeUndefined();
        await other.keep(new Map());
        expect(await rows.get('n0')).toBeUndefined();
      });
    });

    describe('sessions and tasks', () => {
      test('labels and endorsements belong to a session', async () => {
        const labels = new LabelSessionRows(database, now);
        const session = { id: 'l', key: '["k"]', principal: 'p', root: '/w' };
        const label = {
          integrity: 'trusted',
          secrecy: 'public',
          untrusted_by: null,
          private_by: null,
          facts: '{}',
        };
        await labels.put(session, label);
        clock++;
        await labels.put(
          { ...session, id: 'ignored' },
          { ...label, integrity: 'untrusted', untrusted_by: 'a/b' },
        );
        const stored = { ...session, ...label, integrity: 'untrusted', untrusted_by: 'a/b' };
        const row = { ...stored, created_at: startTime, changed_at: startTime + 1 };
        expect([await labels.find('["k"]'), await labels.get('l')]).toEqual([row, row]);
        expect(await labels.list()).toEqual([row]);
        const endorsements = new EndorsementRows(database);
        const endorsed = (id: string) => ({
          ...{ id, session: 'l', source: 'words', kind: 'host', value: 'a', level: 'send', input: null },
          ...{ created_at: 1, created_by: 'me', channel: 'terminal', verified: 1 },
        });
        await endorsements.add([endorsed('two'), endorsed('one')]);
        expect(await endorsements.list('l')).toEqual([endorsed('one'), endorsed('two')]);
        expect(await endorsements.remove('one')).toEqual(endorsed('one'));
        expect(await endorsements.remove('one')).toBeUndefined();
        await endorsements.removeOf('l');
        expect(await endorsements.list(null)).toEqual([]);
        const holds = new TaintHoldRows(database);
        await holds.add({ approval: 'a', session: 'l', endorses: '[]' });
        await holds.change('a', '[1]');
        expect(await holds.get('a')).toEqual({ approval: 'a', session: 'l', endorses: '[1]' });
        await labels.remove('l');
        expect(await labels.list()).toEqual([]);
      });

      test('a task that has ended never changes', async () => {
        const tasks = new TaskRows(database, now);
        const task = (id: string) => ({
          ...{ id, principal: 'p', tool: 'a/b', state: 'working' as const, message: '', approval: null },
          ...{ createdAt: startTime, updatedAt: startTime, expiresAt: startTime + 10, outcome: null },
        });
        await tasks.insert(task('one'));
        await tasks.insert({ ...task('two'), createdAt: startTime + 1 });
        const ended = await all(10, () => tasks.change('one', { state: 'completed', outcome: '{}' }));
        expect(ended.filter(Boolean)).toHaveLength(1);
        expect(await tasks.get('one')).toMatchObject({ state: 'completed', outcome: '{}' });
        expect((await tasks.of('p')).map((it) => it.id)).toEqual(['two', 'one']);
        expect(await tasks.count()).toBe(2);
        await tasks.remove(['two']);
        clock += 10;
        await tasks.removeExpired();
        expect(await tasks.count()).toBe(0);
      });
    });

    describe('the audit log', () => {
      const intent = (callId: string, more: object = {}): NewAuditEntry => ({
        kind: 'intent',
        body: { callId, tool: 'pack/go', principal: 'me/laptop', ...more },
      });

      test('keeps the order of arrival, in few commits, and has no gaps', async () => {
        const log = new AuditLog(database, tick);
        const append = database.audit.append.bind(database.audit);
        let commits = 0;
        database.audit.append = (...args) => {
          commits++;
          return append(...args);
        };
        await all(500, (index) => log.append(intent(String(index)), index % 2 === 0 ? 'call' : 'group'));
        const entries = await readAuditTail(database, 1000);
        expect(entries.map((it) => it.seq)).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
        expect(entries.map((it) => JSON.parse(it.body).callId)).toEqual(
          Array.from({ length: 500 }, (_, index) => String(index)),
        );
        expect(commits).toBeLessThan(50);
        for (const [index, it] of entries.entries())
          if (index > 0) expect(it.previous).toBe(entries[index - 1]?.hash);
        await log.close();
      });

      test('goes on after the newest entry of an earlier host, and finds a missing one', async () => {
        const first = new AuditLog(database, tick);
        for (let index = 0; index < 3; index++) await first.append(intent(String(index)));
        const head = await database.audit.head();
        await new AuditLog(database, tick).append(intent('3'));
        expect(await database.audit.newest()).toBe(4);
        const next = await database.audit.head({ rebuild: true });
        expect([head.seq, next.seq, next.before.size]).toEqual([3, 4, 3]);
        expect(await database.audit.hashesAfter(3)).toEqual([{ seq: 4, hash: next.hash }]);
        await database.deleteFrom('audit').where('seq', '=', 2).execute();
        await expect(database.audit.head()).rejects.toMatchObject({ code: 'integrity' });
        await expect(new AuditLog(database, tick).append(intent('4'))).rejects.toMatchObject({
          code: 'integrity',
        });
      });

      test('two hosts never write the same number', async () => {
        const other = await store.again();
        const logs = [new AuditLog(database, tick), new AuditLog(other, tick)];
        await Promise.allSettled(logs.map((it) => it.append(intent('first'))));
        const written = await Promise.allSettled(
          logs.flatMap((log) => Array.from({ length: 20 }, () => log.append(intent('more')))),
        );
        expect(written.some((it) => it.status === 'fulfilled')).toBe(true);
        const entries = await readAuditTail(database, 100);
        expect(entries.map((it) => it.seq)).toEqual(entries.map((_, index) => index + 1));
        for (const [index, it] of entries.entries())
          if (index > 0) expect(it.previous).toBe(entries[index - 1]?.hash);
        await other.destroy();
      });

      test('has a name from the beginning, and says what rolled it back', async () => {
        const names = { count: 0 };
        const name = () => `log ${++names.count}`;
        expect(await database.audit.begin(name)).toMatchObject({ log: 'log 1', checkpoint: 0 });
        expect(await database.audit.begin(name)).toMatchObject({ log: 'log 1' });
        const log = new AuditLog(database, tick);
        const finding = { finding: 'shorter', message: 'm', place: 'p', log: 'log 9' };
        await log.append({ kind: 'rollback', body: finding });
        expect(await database.audit.rollbacks()).toMatchObject([{ kind: 'shorter', isAcknowledged: false }]);
        await log.append({ kind: 'rollback', body: { acknowledges: 1 } });
        expect(await database.audit.rollbacks()).toMatchObject([{ seq: 1, isAcknowledged: true }]);
        expect(await database.audit.logNames('log 1')).toEqual([
          { since: 0, log: 'log 1' },
          { since: 1, log: 'log 9' },
        ]);
        await database.deleteFrom('audit_tree').execute();
        await expect(database.audit.begin(name)).rejects.toMatchObject({ code: 'integrity' });
      });

      test('stores what belongs to an entry with it, or neither', async () => {
        const log = new AuditLog(database, tick);
        const sealed = new SealedArgumentRows(database);
        const repeatable = new RepeatableCallRows(database);
        const unknown = new UnknownOutcomeRows(database);
        await log.append({
          ...intent('a'),
          sealedArguments: sealedArguments('a'),
          repeatable: { kind: 'started', row: repeatableCall('a') },
        });
        expect(await sealed.get('a')).toEqual({
          row: { ...sealedArguments('a'), audit_seq: 1 },
          intent: expect.stringContaining('"callId":"a"'),
        });
        // The row of the call is there already.
        await expect(
          log.append({ ...intent('b'), repeatable: { kind: 'started', row: repeatableCall('a') } }),
        ).rejects.toThrow();
        expect(await database.audit.newest()).toBe(1);
        await log.append({ ...intent('a'), repeatable: { kind: 'started-again', call: 'a' } });
        expect(await repeatable.list()).toEqual([{ ...repeatableCall('a'), starts: 2 }]);
        await unknown.add({ call: 'a', tool: 'pack/go', principal: 'p', at: 1 });
        expect(await unknown.list()).toMatchObject([{ call: 'a', repeats: true }]);
        const outcome = { kind: 'outcome', body: { callId: 'a', status: 'ok' } } as const;
        await log.append({ ...outcome, repeatable: { kind: 'ended', call: 'a' } });
        expect([await repeatable.list(), await unknown.list()]).toEqual([[], []]);
        await repeatable.addAnswer(repeatableCall('c'));
        await repeatable.remove('c');
        expect(await repeatable.list()).toEqual([]);
        const { at } = sealedArguments('a');
        expect([await sealed.count(at), await sealed.count(at + 1)]).toEqual([0, 1]);
        expect([await sealed.forget(at), await sealed.forget(at + 1), await sealed.forget(at + 1)]).toEqual([
          0, 1, 0,
        ]);
        expect([await unknown.remove('a'), (await new AnchorRows(database, now).places()).size]).toEqual([
          false,
          0,
        ]);
        await log.close();
      });

      test('is read by calls, principals, packages and uses', async () => {
        const log = new AuditLog(database, tick);
        await log.append({ kind: 'start', body: { pid: 1 } });
        await log.append(intent('a', { approval: 'h' }));
        await log.append({
          kind: 'hold',
          body: { callId: 'b', tool: 'pack/go', reason: 'r', principal: 'x "y' },
        });
        await log.append({
          kind: 'outcome',
          body: { callId: 'a', tool: 'pack/go', status: 'ok', hosts: ['h.example'], durationMs: 3 },
        });
        await log.append({ kind: 'approval', body: { approval: 'h', text: 'nothing\u0000here' } });
        await log.append({ kind: 'operator', body: { operation: 'install', package: 'pack' } });
        await log.append({ kind: 'operator', body: { operation: 'install', package: 'package' } });
        await log.append(intent('c'));
        const table = new CallTable(database);
        expect((await table.calls()).calls.map((it) => [it.call, it.status])).toEqual([
          ['a', 'ok'],
          ['b', 'held'],
          ['c', 'running'],
        ]);
        expect((await table.entriesOf('a')).map((it) => it.seq)).toEqual([2, 4, 5]);
        expect((await new KnownNames(database).principals()).sort()).toEqual(['me/laptop', 'x "y']);
        expect((await packageEntries(database, 'pack', 5)).map((it) => it.seq)).toEqual([6]);
        expect((await unfinishedCalls(database)).calls.map((it) => it.callId)).toEqual(['c']);
        const uses = { reaches: () => true, writes: () => false };
        expect(await observedUses(database, 'pack', 0, uses)).toMatchObject({
          ...{ calls: { go: 1 }, hosts: ['h.example'], unknownHosts: 0 },
        });
        await log.close();
      });
    });

    describe('limits', () => {
      const windowMs = 3_600_000;
      const calls = (max: number): Meter => ({
        ...{ principal: 'agent', tool: 'desk/pay', kind: 'calls', windowMs, max, amount: 1 },
      });
      const spend = (amount: number, max: number): Meter => ({ ...calls(max), kind: 'amount', amount });
      const ledgerOn = (it: Database) =>
        new LimitLedger(it, { now: Date.now, ticks: () => performance.now() });

      test('of a hundred concurrent calls with a limit of ten, exactly ten pass', async () => {
        const ledger = ledgerOn(database);
        const results = await all(100, () => ledger.reserve([calls(10)]));
        expect(results.filter((it) => it.kind === 'taken')).toHaveLength(10);
        const full = results.find((it) => it.kind === 'full');
        expect(full).toMatchObject({ reading: { used: 10, meter: calls(10) } });
        expect(full?.kind === 'full' && full.reading.waitMs).toBeGreaterThan(windowMs - 60_000);
        expect(await ledger.inUse()).toEqual([
          { principal: 'agent', tool: 'desk/pay', kind: 'calls', windowMs, used: 10, max: 10 },
        ]);
      });

      test('a call that one limit rejects is not counted by the other', async () => {
        const ledger = ledgerOn(database);
        expect((await ledger.reserve([calls(5), spend(0.7, 1)])).kind).toBe('taken');
        expect(await ledger.reserve([calls(5), spend(0.7, 1)])).toMatchObject({
          reading: { used: 0.7, meter: { kind: 'amount' } },
        });
        expect(await ledger.reserve([spend(2, 1)])).toMatchObject({ reading: { waitMs: null } });
        expect((await ledger.reserve([calls(5), spend(0.1, 1)])).kind).toBe('taken');
        expect((await ledger.reserve([spend(0.2, 1)])).kind).toBe('taken');
        expect(await ledger.read([calls(5), spend(0.1, 1)])).toMatchObject([
          { used: 2, waitMs: 0 },
          { used: expect.closeTo(1) },
        ]);
      });

      test('a released share can be taken again, also after a restart', async () => {
        const ledger = ledgerOn(database);
        const taken = await ledger.reserve([calls(1), spend(3, 5000)]);
        expect((await ledgerOn(database).reserve([calls(1)])).kind).toBe('full');
        if (taken.kind === 'taken') await ledger.release(taken.reservation);
        expect((await ledger.reserve([calls(1)])).kind).toBe('taken');
      });

      test('a use stops to count when its window has passed, and its row is deleted', async () => {
        const ledger = ledgerOn(database);
        await ledger.reserve([calls(1)]);
        const past = Date.now() - windowMs - 1000;
        await database.updateTable('limit_use').set({ at: past }).execute();
        await database.updateTable('limit_clock').set({ at: past }).execute();
        const next = ledgerOn(database);
        expect((await next.read([calls(1)]))[0]).toMatchObject({ used: 0, waitMs: 0 });
        expect((await next.reserve([calls(1)])).kind).toBe('taken');
        expect(await database.selectFrom('limit_use').selectAll().execute()).toHaveLength(1);
      });

      test('setting the clock back frees nothing', async () => {
        const ledger = ledgerOn(database);
        await ledger.reserve([calls(1)]);
        // The time was checked in the future once.
        const future = Date.now() + 10 * windowMs;
        await database.updateTable('limit_clock').set({ at: future }).execute();
        await database.updateTable('limit_use').set({ at: future }).execute();
        const full = await ledgerOn(database).reserve([calls(1)]);
        expect(full).toMatchObject({ kind: 'full', reading: { used: 1 } });
      });
    });

    describe('transactions', () => {
      test('what one of them reads and then writes is not changed in between', async () => {
        await database.insertInto('limit_clock').values({ id: 1, at: 0 }).execute();
        await all(20, () =>
          database.transaction().execute(async (transaction) => {
            const row = await transaction.selectFrom('limit_clock').select('at').executeTakeFirstOrThrow();
            await transaction
              .updateTable('limit_clock')
              .set({ at: row.at + 1 })
              .execute();
          }),
        );
        expect(await database.selectFrom('limit_clock').select('at').executeTakeFirst()).toEqual({ at: 20 });
      });

      test('nothing of a failed one is stored', async () => {
        const kills = new KillRows(database);
        for (const run of [
          (work: Parameters<Database['withDelayedTransaction']>[0]) => database.withDelayedTransaction(work),
          (work: Parameters<Database['withDelayedTransaction']>[0]) => database.transaction().execute(work),
        ])
          await expect(
            run(async (transaction) => {
              await transaction.insertInto('kill').values({ target: 'all', at: 1, by: 'me' }).execute();
              throw new Error('no');
            }),
          ).rejects.toThrow('no');
        expect(await kills.list()).toEqual([]);
      });

      test('statements take place in the order in which they began', async () => {
        const kills = new KillRows(database);
        const started = Array.from({ length: 30 }, (_, index) =>
          index % 2 === 0 ? kills.add({ target: 'all', at: index, by: 'me' }) : kills.remove('all'),
        );
        const seen = kills.list();
        await Promise.all(started);
        expect(await seen).toEqual([]);
      });

      test('texts compare as bytes, and large numbers stay numbers', async () => {
        const kills = new KillRows(database);
        const targets = ['ä', 'b', 'Z', 'a', '_', '😀', '\uffee'];
        for (const target of targets) await kills.add({ target, at: 2 ** 52, by: 'me' });
        const order = [...targets].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect((await kills.list()).map((it) => it.target)).toEqual(order);
        expect((await kills.list())[0]?.at).toBe(2 ** 52);
      });
    });
  });
}
