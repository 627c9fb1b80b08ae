import type { JsonObject } from '../model/json.js';
import type { HookPoint } from '../model/package.js';

/** Hook points that a program embedding the host triggers itself. */
export type MessagePoint = Extract<HookPoint, 'before_message' | 'after_message'>;

/** What the hooks decided about a message: it continues, perhaps changed, or an extension stopped it. */
export type MessageVerdict =
  | { readonly kind: 'go'; readonly message: JsonObject; readonly changedBy: readonly string[] }
  | { readonly kind: 'abort'; readonly reason: string; readonly by: string };
