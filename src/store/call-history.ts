import type { JsonObject } from '../model/json.js';
import type { ObservedUses } from '../model/learning.js';
import type { Database } from './database.js';

const pageSize = 2000;

/** Which tools could have used something, so that their calls must say what they used. */
export interface PossibleUses {
  readonly reaches: (tool: string) => boolean;
  readonly writes: (tool: string) => boolean;
}

/** What the calls of a package used since a time, from the audit log. */
export async function observedUses(
  database: Database,
  packageId: string,
  since: number,
  { reaches, writes }: PossibleUses,
): Promise<ObservedUses> {
  const tools = new Map<string, string>();
  const calls: Record<string, number> = {};
  const hosts = new Set<string>();
  const deniedHosts = new Set<string>();
  const changed = new Set<string>();
  let unknownHosts = 0;
  let unknownFiles = 0;
  const times: number[] = [];
  let after = 0;
  for (;;) {
    const page = await database
      .selectFrom('audit')
      .select(['seq', 'at', 'kind', 'body'])
      .where('seq', '>', after)
      .where('at', '>=', new Date(since).toISOString())
      .where('kind', 'in', ['intent', 'outcome'])
      .orderBy('seq')
      .limit(pageSize)
      .execute();
    for (const { kind, body: text, at } of page) {
      const body = JSON.parse(text) as JsonObject;
      const call = String(body.callId);
      const tool = String(body.tool);
      if (kind === 'intent') {
        if (tool.startsWith(`${packageId}/`)) tools.set(call, tool.slice(packageId.length + 1));
        continue;
      }
      const name = tools.get(call);
      if (name === undefined) continue;
      tools.delete(call);
      for (const it of textsIn(body.deniedHosts)) deniedHosts.add(it);
      for (const it of textsIn(body.hosts)) hosts.add(it);
      for (const it of textsIn(body.changed)) changed.add(it);
      if (body.status === 'confirmation_required') continue;
      calls[name] = (calls[name] ?? 0) + 1;
      times.push(Date.parse(at));
      // A call that failed may have ended before it used anything.
      if (body.status !== 'ok') continue;
      if (reaches(name) && (!Array.isArray(body.hosts) || body.moreHosts === true)) unknownHosts++;
      if (writes(name) && !Array.isArray(body.changed)) unknownFiles++;
    }
    after = page.at(-1)?.seq ?? after;
    if (page.length < pageSize) break;
  }
  return {
    ...{ from: times[0] ?? null, to: times.at(-1) ?? null, calls, unknownHosts, unknownFiles },
    ...{ hosts: [...hosts].sort(), deniedHosts: [...deniedHosts].sort(), changed: [...changed].sort() },
  };
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((it): it is string => typeof it === 'string') : [];
}
