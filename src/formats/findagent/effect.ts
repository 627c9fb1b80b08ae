import type { JsonObject } from '../../model/json.js';
import type { Annotations, Effect } from '../../model/tool.js';
import { objectOf, textOf } from './shape.js';

export interface Effects {
  readonly effect: Effect;
  readonly effectDeclared: boolean;
  readonly idempotent: boolean;
  readonly approval: 'none' | 'human';
  readonly annotations: Annotations;
  /** `readOnlyHint: true` stands on something that changes things. */
  readonly readOnlyOverridden: boolean;
}

/** What does the work of a tool, as far as effects go. */
export type Worker = 'http' | 'prompt' | 'compose' | 'code' | 'none';

/**
 * What a tool does to the world. The method of a request is evidence and hints are words, so a hint can make
 * an effect graver and never lighter. `reaches` says whether the code of the package has any network.
 */
export function effectsOf(tool: JsonObject, rule: JsonObject, worker: Worker, reaches: boolean): Effects {
  const hints = objectOf(tool.annotations);
  const method = textOf(objectOf(tool.action).method);
  const [effect, effectDeclared] = judge(hints, worker, method, reaches);
  const quiet = effect === 'none' || effect === 'read';
  const declaredIdempotent = [rule.idempotent, hints.idempotentHint].filter((it) => typeof it === 'boolean');
  const idempotent =
    declaredIdempotent.length > 0 ? declaredIdempotent.every((it) => it) : effectDeclared && quiet;
  return {
    effect,
    effectDeclared,
    idempotent,
    approval: rule.approval === 'human' || effect === 'destructive' ? 'human' : 'none',
    annotations: {
      ...(typeof hints.title === 'string' ? { title: hints.title } : {}),
      ...(effectDeclared ? { readOnlyHint: quiet, destructiveHint: effect === 'destructive' } : {}),
      ...(effectDeclared || declaredIdempotent.length > 0 ? { idempotentHint: idempotent } : {}),
      ...(typeof hints.openWorldHint === 'boolean'
        ? { openWorldHint: hints.openWorldHint }
        : worker === 'http'
          ? { openWorldHint: true }
          : {}),
    },
    readOnlyOverridden: hints.readOnlyHint === true && (worker === 'http' || worker === 'compose') && !quiet,
  };
}

function judge(
  hints: JsonObject,
  worker: Worker,
  method: string | undefined,
  reaches: boolean,
): [Effect, boolean] {
  if (hints.destructiveHint === true || (worker === 'http' && method === 'DELETE'))
    return ['destructive', true];
  switch (worker) {
    case 'prompt':
      return ['none', true];
    case 'http':
      return method === 'GET' && hints.readOnlyHint !== false ? ['read', true] : ['write', true];
    case 'code':
      if (hints.readOnlyHint === true) return [reaches ? 'read' : 'none', true];
      return ['write', hints.readOnlyHint === false || hints.destructiveHint === false];
    case 'compose':
    case 'none':
      return ['write', false];
  }
}

export function workerOf(tool: JsonObject, hasProgram: boolean): Worker {
  switch (textOf(objectOf(tool.action).type)) {
    case 'http':
      return 'http';
    case 'prompt-template':
      return 'prompt';
    case 'compose':
      return 'compose';
    default:
      return hasProgram ? 'code' : 'none';
  }
}
