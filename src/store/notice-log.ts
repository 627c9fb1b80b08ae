import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, tryParseStored } from '../model/json.js';
import { notifySecretOwner } from '../model/notify-target.js';
import { openSqlite } from './sqlite.js';

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
  const path = join(state, 'toolwharf.db');
  if (!existsSync(path)) return { last: [], secrets: [] };
  const connection = openSqlite(path);
  try {
    connection.exec('pragma busy_timeout = 2000; pragma query_only = on;');
    const tables = connection.all("select name from sqlite_master where name in ('audit', 'secret')", []);
    if (tables.length < 2) return { last: [], secrets: [] };
    const rows = connection.all(
      "select body from audit where kind in ('hold', 'violation') and instr(body, '\"notice\"') > 0 order by seq desc limit ?",
      [maxEntries],
    );
    const last = new Map<string, LastNotice>();
    for (const { body } of rows) {
      const entry = tryParseStored(String(body));
      if (!isObject(entry) || typeof entry.to !== 'string' || last.has(entry.to)) continue;
      const problem = entry.notice === 'sent' ? undefined : String(entry.reason ?? 'it was not sent');
      last.set(entry.to, { to: entry.to, problem });
    }
    const secrets = connection.all('select slot from secret where package = ?', [notifySecretOwner]);
    return { last: [...last.values()], secrets: secrets.map((it) => String(it.slot)) };
  } finally {
    connection.close();
  }
}
