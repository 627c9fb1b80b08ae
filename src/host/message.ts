import type { JsonObject } from '../model/json.js';
import type { HookPoint } from '../model/package.js';

/** Points at which the program around the agent asks by itself. */
export type MessagePoint = Extract<HookPoint, 'before_message' | 'after_message'>;

export type MessageVerdict =
  | { readonly kind: 'go'; readonly message: JsonObject; readonly changedBy: readonly string[] }
  | { readonly kind: 'abort'; readonly reason: string; readonly by: string };
