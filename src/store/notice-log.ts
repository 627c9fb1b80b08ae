import { isObject, tryParseStored } from '../model/json.js';
import { notifySecretOwner } from '../model/notify-target.js';
import { storedNotices } from './sqlite/stored-state.js';

/** How the last notice to one target ended. */
export interface LastNotice {
  readonly to: string;
  /** Undefined if it was sent. */
  readonly problem: string | undefined;
}

export interface NoticeState {
  readonly last: readonly LastNotice[];
  /** Names of the values that are set for notices. */
  readonly secrets: readonly string[];
}

/** Entries of the audit log that are searched, from the newest. */
const maxEntries = 500;

/** What the state directory knows about notices. Works while another process has the database open. */
export function noticeState(state: string): NoticeState {
  const { entries, secrets } = storedNotices(state, notifySecretOwner, maxEntries);
  const last = new Map<string, LastNotice>();
  for (const body of entries) {
    const entry = tryParseStored(body);
    if (!isObject(entry) || typeof entry.to !== 'string' || last.has(entry.to)) continue;
    const problem = entry.notice === 'sent' ? undefined : String(entry.reason ?? 'it was not sent');
    last.set(entry.to, { to: entry.to, problem });
  }
  return { last: [...last.values()], secrets };
}
