import { isAbsolute } from 'node:path';
import { realPathOf } from '../../files/real-path.js';
import { HostError } from '../../model/host-error.js';
import { shellQuote } from '../../model/shell-quote.js';
import type { SetBinding, ToolSet } from '../../model/tool-set.js';
import type { CheckValue } from '../../policy/sets/fixed-schema.js';
import { readToolSet } from '../../policy/sets/tool-set-check.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { Invalidate } from './approval-operations.js';
import type { OperatorAuth } from './operator-auth.js';
import { actorName } from './pin-auth.js';
import { assertNoKeys, checkAgainstTools, type KnownTools } from './set-check.js';
import { setDigest, viewDigest } from './set-digest.js';
import type { SetOperations, SetSubjectInput } from './sets.js';
import type { TokenCache } from './token-cache.js';
import type { ToolSets } from './tool-sets.js';

export interface SetServices {
  readonly sets: ToolSets;
  readonly audit: AuditLog;
  readonly operatorAuth: OperatorAuth;
  readonly tokens: TokenCache;
  readonly invalidate: Invalidate;
  readonly notifyChanged: () => void;
  readonly knownTools: KnownTools;
  readonly check: () => Promise<CheckValue>;
}

/** Saves, binds and removes sets, with audit entries. What a set shows can become more, so changes need the PIN. */
export function setOperations(services: SetServices): SetOperations {
  const { sets, audit, operatorAuth, invalidate, notifyChanged } = services;
  const checked = async (given: ToolSet) => {
    const read = readToolSet(given);
    if ('problem' in read) throw new HostError('invalid_input', read.problem);
    const { set } = read;
    assertNoKeys(set);
    return { set, remarks: await checkAgainstTools(set, services.knownTools, services.check) };
  };
  return {
    list: async () => sets.list(),
    check: async (given) => (await checked(given)).remarks,
    async save(given, actor) {
      const { set, remarks } = await checked(given);
      const who = await operatorAuth.verify(actor, 'save a set');
      const before = sets.get(set.name)?.set ?? null;
      const body = { operation: 'set save', set: set.name, digest: setDigest(set), ...who };
      await audit.append({ kind: 'operator', body });
      await sets.put(set, who.by);
      await voidChanged(before, set, invalidate);
      notifyChanged();
      const entry = sets.get(set.name);
      if (entry === undefined) throw new Error('the set was not stored');
      return { entry, remarks };
    },
    async remove(name, actor) {
      const entry = sets.get(name);
      if (entry === undefined) return false;
      if (entry.bindings.length > 0)
        throw new HostError(
          'denied',
          `the set ${name} is in use: ${entry.bindings.map(subjectText).join(', ')}`,
          {
            hint: `end its use first: ${entry.bindings.map(undoCommand).join('; ')}`,
          },
        );
      const body = { operation: 'set remove', set: name, by: actorName(actor) };
      await audit.append({ kind: 'operator', body });
      await sets.remove(name);
      await voidChanged(entry.set, null, invalidate);
      notifyChanged();
      return true;
    },
    async bind({ set, by, ...subject }) {
      if (sets.get(set) === undefined) throw unknownSet(set, sets);
      const binding = { ...(await resolveSubject(subject, services)), set };
      const who = await operatorAuth.verify(by, 'bind a set');
      const { kind, name } = binding;
      await audit.append({ kind: 'operator', body: { operation: 'set bind', set, kind, name, ...who } });
      await sets.bind(binding, who.by);
      notifyChanged();
      return binding;
    },
    async unbind({ by, ...subject }) {
      const { kind, name, subject: who } = await resolveSubject(subject, services);
      const bound = sets.bindings.find((it) => it.kind === kind && it.subject === who);
      if (bound === undefined) return false;
      const actor = await operatorAuth.verify(by, 'end the use of a set');
      const body = { operation: 'set unbind', set: bound.set, kind, name, ...actor };
      await audit.append({ kind: 'operator', body });
      await sets.unbind({ kind, subject: who });
      notifyChanged();
      return true;
    },
  };
}

/** Ends the bindings of tokens and keys that do not exist any more. Nobody else ever gets their principal. */
export async function endTokenBindings({
  sets,
  tokens,
  audit,
}: Pick<SetServices, 'sets' | 'tokens' | 'audit'>): Promise<void> {
  const principals = new Set((await tokens.list()).map((it) => it.principal));
  for (const { kind, name, subject, set } of sets.bindings) {
    if ((kind !== 'token' && kind !== 'client') || principals.has(subject)) continue;
    const body = { operation: 'set unbind', set, kind, name, reason: 'the token was revoked' };
    await audit.append({ kind: 'operator', body });
    await sets.unbind({ kind, subject });
  }
}

export function unknownSet(name: string, sets: ToolSets): HostError {
  const known = sets.list().map((it) => it.name);
  return new HostError('not_found', `there is no set ${JSON.stringify(name)}`, {
    hint: known.length === 0 ? 'save one: toolwharf set save NAME' : `known sets: ${known.join(', ')}`,
  });
}

/** Held calls and standing rules that were made for what the set showed before. */
async function voidChanged(
  before: ToolSet | null,
  after: ToolSet | null,
  invalidate: Invalidate,
): Promise<void> {
  for (const tool of Object.keys(before?.tools ?? {})) {
    const view = before === null ? null : viewDigest(before, tool);
    if (view === null || (after !== null && viewDigest(after, tool) === view)) continue;
    await invalidate({ view }, `the set ${before?.name} shows ${tool} differently now`);
  }
}

/** What the operator wrote, as a principal or a path. */
async function resolveSubject(
  { kind, name = '' }: Omit<SetSubjectInput, 'by'>,
  { tokens }: SetServices,
): Promise<Omit<SetBinding, 'set'>> {
  if ((kind === 'everyone') !== (name === ''))
    throw new HostError('usage', kind === 'everyone' ? 'everyone has no name' : `name the ${kind}`);
  switch (kind) {
    case 'everyone':
    case 'principal':
      return { kind, name, subject: name };
    case 'workspace': {
      if (!isAbsolute(name)) throw new HostError('usage', 'the workspace must be an absolute path');
      return { kind, name, subject: realPathOf(name) ?? name };
    }
    default: {
      const known = (await tokens.list()).filter((it) => it.kind === (kind === 'token' ? 'http' : 'stdio'));
      const found = known.filter((it) => it.id === name || it.name === name);
      const principals = [...new Set(found.map((it) => it.principal))];
      if (principals.length > 1)
        throw new HostError('usage', `several have the name ${name}`, {
          hint: `name one by its id: ${found.map((it) => it.id).join(', ')}`,
        });
      const [principal] = principals;
      if (principal !== undefined) return { kind, name, subject: principal };
      const what = kind === 'token' ? 'token' : 'connected client';
      const names = [...new Set(known.map((it) => it.name))].slice(0, 10).join(', ');
      throw new HostError('not_found', `there is no ${what} with the name or id ${JSON.stringify(name)}`, {
        hint: names === '' ? 'see "toolwharf token list"' : `known: ${names}; see "toolwharf token list"`,
      });
    }
  }
}

/** A binding as people read it. */
function subjectText({ kind, name }: Pick<SetBinding, 'kind' | 'name'>): string {
  return kind === 'everyone' ? 'everyone' : `${kind} ${name}`;
}

function undoCommand({ kind, name }: SetBinding): string {
  if (kind === 'everyone') return 'toolwharf set load --none';
  if (kind === 'workspace') return `toolwharf set load --none --here --cwd ${shellQuote(name)}`;
  return `toolwharf set unbind --${kind} ${shellQuote(name)}`;
}
