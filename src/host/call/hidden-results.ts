// Results that the agent passes on without reading them. It gets a handle; only inputs that the operator named accept it.

import { HostError } from '../../model/host-error.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Answer, Confirmation } from '../host.js';
import type { LabelSession } from '../operator/label-session.js';
import type { CallableTool } from './callable-tool.js';

type OkAnswer = Extract<Answer, { status: 'ok' }>;

const handle = /^hidden_[0-9a-f]{32}$/;

/** Whether the result of a call is hidden. */
export function isHidden({ hiding: { from } }: Pick<CallableTool, 'hiding'>, { result }: OkAnswer): boolean {
  return from !== null && canonicalJson(result).length >= from;
}

/** The answer with a handle in place of everything that the tool wrote. */
export function hiddenAnswer({ tool, callId, durationMs }: OkAnswer, id: string): OkAnswer {
  const result = { hidden: id, note: 'you cannot read this result; pass "hidden" on as a whole argument' };
  return { tool, callId, durationMs, status: 'ok', result, warnings: [] };
}

/** The arguments with hidden results in place of their handles, and which handles were used. */
export function withHidden(
  { name, hiding }: Pick<CallableTool, 'name' | 'hiding'>,
  args: Json,
  labels: Pick<LabelSession, 'hidden'>,
): { readonly args: Json; readonly used: readonly string[] } {
  const used = new Set<string>();
  if (!isObject(args) || !hasHandle(args, 0)) return { args, used: [] };
  const open = (value: Json, input: string, level: number): Json => {
    if (typeof value === 'string') {
      if (!handle.test(value)) return value;
      if (!hiding.inputs.has(input))
        throw new HostError('invalid_input', `/${input} of ${name} accepts no hidden result`, {
          hint: `an operator can allow it: taint.hidden_inputs = ["${name} ${input}"]`,
        });
      const hidden = labels.hidden(value);
      if (hidden === undefined)
        throw new HostError('invalid_input', `/${input}: this hidden result is not kept any more`, {
          hint: 'make the call again that returned it',
        });
      used.add(value);
      return hidden;
    }
    if (level > maxLevels) return value;
    if (Array.isArray(value)) return value.map((it) => open(it, input, level + 1));
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, open(it, input, level + 1)]));
    return value;
  };
  const opened = Object.fromEntries(Object.entries(args).map(([key, it]) => [key, open(it, key, 0)]));
  return used.size === 0 ? { args, used: [] } : { args: opened, used: [...used] };
}

/** Arguments with more levels are rejected by the check of arguments, which comes later. */
const maxLevels = 150;

function hasHandle(value: Json, level: number): boolean {
  if (typeof value === 'string') return handle.test(value);
  if (typeof value !== 'object' || value === null || level > maxLevels) return false;
  const members = Array.isArray(value) ? value : Object.values(value);
  return members.some((it) => hasHandle(it, level + 1));
}

/** Facts that do not come from the arguments. */
const knownKinds: readonly string[] = ['effect', 'destination', 'workspace', 'grant', 'fixed'];

/** What the agent may see of a held call: handles in place of hidden results, and no fact that was taken from one. */
export function concealed(
  confirmation: Confirmation,
  labels: Pick<LabelSession, 'hiddenResults'>,
): Confirmation {
  const known = labels.hiddenResults().map(([id, value]) => [canonicalJson(value), id] as const);
  if (known.length === 0) return confirmation;
  let isFound = false;
  const conceal = (value: Json): Json => {
    const text = canonicalJson(value);
    const id = known.find(([it]) => it === text)?.[1];
    if (id !== undefined) {
      isFound = true;
      return id;
    }
    if (Array.isArray(value)) return value.map(conceal);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value as JsonObject).map(([key, it]) => [key, conceal(it)]));
  };
  const args = conceal(confirmation.arguments);
  if (!isFound) return confirmation;
  const evidence = confirmation.evidence.filter((it) => knownKinds.includes(it.kind));
  return { ...confirmation, arguments: args, evidence };
}
