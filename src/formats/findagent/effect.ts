import type { JsonObject } from '../../model/json.js';
import type { Annotations, Effect } from '../../model/tool.js';
import { objectOf, stringOf } from './manifest-fields.js';

export interface ToolEffects {
  readonly effect: Effect;
  readonly effectDeclared: boolean;
  readonly idempotent: boolean;
  readonly idempotentDeclared?: true;
  readonly approval: 'none' | 'human';
  readonly annotations: Annotations;
  /** The tool has `readOnlyHint: true`, but its action can change data. */
  readonly readOnlyOverridden: boolean;
}

/** What executes a tool. The effect depends on it. */
export type ToolBackend = 'http' | 'prompt' | 'compose' | 'code' | 'none';

/**
 * The effects of a tool. The HTTP method is stronger evidence than a hint: a hint can only raise the effect, never
 * lower it. `hasNetwork`: the package's code can reach the network.
 */
export function effectsOf(
  tool: JsonObject,
  rule: JsonObject,
  backend: ToolBackend,
  hasNetwork: boolean,
): ToolEffects {
  const hints = objectOf(tool.annotations);
  const method = stringOf(objectOf(tool.action).method);
  const [effect, effectDeclared] = classify(hints, backend, method, hasNetwork);
  const readOnly = effect === 'none' || effect === 'read';
  const declaredIdempotent = [rule.idempotent, hints.idempotentHint].filter((it) => typeof it === 'boolean');
  const idempotent =
    declaredIdempotent.length > 0 ? declaredIdempotent.every((it) => it) : effectDeclared && readOnly;
  return {
    effect,
    effectDeclared,
    idempotent,
    ...(declaredIdempotent.length > 0 && idempotent ? { idempotentDeclared: true } : {}),
    approval: rule.approval === 'human' || effect === 'destructive' ? 'human' : 'none',
    annotations: {
      ...(typeof hints.title === 'string' ? { title: hints.title } : {}),
      ...(effectDeclared ? { readOnlyHint: readOnly } : {}),
      ...(effect === 'destructive' || typeof hints.destructiveHint === 'boolean'
        ? { destructiveHint: effect === 'destructive' }
        : {}),
      ...(idempotent || declaredIdempotent.length > 0 ? { idempotentHint: idempotent } : {}),
      ...(typeof hints.openWorldHint === 'boolean'
        ? { openWorldHint: hints.openWorldHint }
        : backend === 'http'
          ? { openWorldHint: true }
          : {}),
    },
    readOnlyOverridden:
      hints.readOnlyHint === true && (backend === 'http' || backend === 'compose') && !readOnly,
  };
}

function classify(
  hints: JsonObject,
  backend: ToolBackend,
  method: string | undefined,
  hasNetwork: boolean,
): [Effect, boolean] {
  if (hints.destructiveHint === true || (backend === 'http' && method === 'DELETE'))
    return ['destructive', true];
  switch (backend) {
    case 'prompt':
      return ['none', true];
    case 'http':
      return method === 'GET' && hints.readOnlyHint !== false ? ['read', true] : ['write', true];
    case 'code':
      if (hints.readOnlyHint === true) return [hasNetwork ? 'read' : 'none', true];
      return ['write', hints.readOnlyHint === false || hints.destructiveHint === false];
    case 'compose':
    case 'none':
      return ['write', false];
  }
}

export function backendOf(tool: JsonObject, hasProgram: boolean): ToolBackend {
  switch (stringOf(objectOf(tool.action).type)) {
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
