import { isObject, type JsonObject } from '../../model/json.js';
import { answerLimits, tryParseBounded } from '../../model/json-bounds.js';
import { watchedLists } from '../mcp/change-notifier.js';
import { metaKeys } from '../mcp/era-2026/envelope.js';
import { notification } from '../mcp/json-rpc.js';
import type { ClientLine } from './client-line.js';

/** Whether a message of the server says that a subscription began. */
export function acknowledges(text: string): boolean {
  const value = tryParseBounded(text, answerLimits);
  return isObject(value) && value.method === 'notifications/subscriptions/acknowledged';
}

/** What a subscriber is told after the connection was gone: everything that it watches may have changed. */
export function changesFor({ ids, params }: ClientLine): readonly JsonObject[] {
  const { notifications } = params;
  const [id] = ids;
  if (!isObject(notifications) || id === undefined) return [];
  const meta = { _meta: { [metaKeys.subscriptionId]: id } };
  const uris = notifications.resourceSubscriptions;
  const updates = (Array.isArray(uris) ? uris : []).map((uri) =>
    notification('notifications/resources/updated', { uri, ...meta }),
  );
  const changes = watchedLists
    .filter((list) => notifications[`${list}ListChanged`] === true)
    .map((list) => notification(`notifications/${list}/list_changed`, meta));
  return [...changes, ...updates];
}
