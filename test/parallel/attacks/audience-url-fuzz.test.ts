// SECURITY.md: "A secret leaves only to its audience". The host checks the destination that Node would use,
// also for unusual URLs.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { mayReceive } from '../../../src/model/host-name.js';
import { type Destination, parseDestination } from '../../../src/net/destination.js';
import { requestTarget, tunnelTarget } from '../../../src/net/egress-policy.js';

const file = join(import.meta.dirname, '../../../../shared/data/wpt-urltestdata.json.gz');
const absent = !existsSync(file);

interface Case {
  readonly input: string;
  readonly base: string | null;
}

function cases(): Case[] {
  const all = JSON.parse(gunzipSync(readFileSync(file)).toString()) as (string | Case)[];
  return all.filter((it): it is Case => typeof it !== 'string');
}

function sameAsNode(found: Destination, text: string): void {
  const real = new URL(text);
  expect(found.host).toBe(real.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''));
  expect(found.port).toBe(real.port === '' ? (real.protocol === 'https:' ? 443 : 80) : Number(real.port));
  expect(['http:', 'https:']).toContain(real.protocol);
  expect(real.username + real.password).toBe('');
}

test.skipIf(absent)(
  'every URL of the web platform tests has the same destination as in Node (needs ../shared/data)',
  () => {
    let checked = 0;
    for (const { input, base } of cases()) {
      let text = input;
      if (base !== null) {
        try {
          text = new URL(input, base).href;
        } catch {
          continue;
        }
      }
      for (const it of [text, input]) {
        let found: Destination | undefined;
        try {
          found = parseDestination(it);
        } catch (error) {
          expect((error as { code?: string }).code, it).toBe('network_denied');
        }
        if (found !== undefined) {
          checked++;
          sameAsNode(found, it);
          const { host } = found;
          const below = host === 'example.com' || host.endsWith('.example.com');
          expect(
            mayReceive({ kind: 'hosts', hosts: ['example.com'] }, host.includes(':') ? `[${host}]` : host),
          ).toBe(below);
        }
        const asked = requestTarget(it);
        if (asked !== null) sameAsNode(asked, it);
        const tunnel = tunnelTarget(it);
        if (tunnel !== null) sameAsNode(tunnel, tunnel.url.href);
      }
    }
    expect(checked).toBeGreaterThan(300);
  },
);
