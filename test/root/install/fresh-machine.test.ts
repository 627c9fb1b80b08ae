// README: "npm ci && npm start" is enough. On a Debian that has only Node and Python, it installs the sandbox and serves
// every example that needs no set-up. The test fetches packages from the mirror that this machine uses, and nothing else.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DebianRoot, debianRoot } from '../../support/debian-root.js';

const minutes = 60_000;
let debian: DebianRoot;

beforeAll(() => {
  debian = debianRoot(['python3']);
}, 10 * minutes);

afterAll(() => debian?.remove());

const file = (path: string) => readFileSync(join(debian.path, path), 'utf8');

/** Starts it as this user without a terminal, waits until it serves, runs the commands, and stops it by its process id. */
const serving = (user: string, ...commands: string[]) => `
  : >/tmp/start.log
  ${user} npm start -- --port 0 </dev/null >/tmp/start.log 2>&1 &
  started=$!
  until grep -q '^Serving' /tmp/start.log; do
    kill -0 $started || { cat /tmp/start.log; exit 1; }
    sleep 0.2
  done
  ${commands.join('\n')}
  kill $started
  wait $started
  true`;

interface Listed {
  readonly packages: readonly { readonly id: string; readonly state: string }[];
}

/** What `toolwharf list --json` wrote, by state. */
function listedIn(path: string): Record<string, string[]> {
  const { packages } = JSON.parse(file(path)) as Listed;
  const states: Record<string, string[]> = {};
  for (const { id, state } of packages) states[state] = [...(states[state] ?? []), id].sort();
  return states;
}

const needSetup = ['assigned_issues', 'machine-watch', 'webhook-signatures', 'yaml_to_json'];

test(
  'an ordinary user gets the one command to run, and what needs no sandbox is served',
  async () => {
    const user =
      'setpriv --reuid 65532 --regid 65532 --clear-groups env HOME=/tmp/user npm_config_cache=/tmp/user/.npm';
    const list = `${user} node dist/main.cjs list examples --json >/tmp/list.json`;
    const done = await debian.run(serving(user, list));
    expect(done, done.output).toMatchObject({ code: 0 });
    expect(file('tmp/start.log')).toContain('sudo apt-get install bubblewrap python3-pip');
    expect(existsSync(join(debian.path, 'usr/bin/bwrap'))).toBe(false);
    const { ready, unavailable } = listedIn('tmp/list.json');
    expect(ready).toEqual(['holiday-desk', 'minutes-keeper', 'review-skills', 'weather-desk']);
    expect(unavailable).toContain('word_count');
  },
  5 * minutes,
);

test(
  'root gets the sandbox installed, every example that needs no set-up is ready, and a tool runs',
  async () => {
    const list = 'node dist/main.cjs list examples --json >/tmp/list.json';
    const call = `node dist/main.cjs call word_count '{"text":"to be"}' --json >/tmp/call.json`;
    const done = await debian.run(serving('', list, call));
    expect(done, done.output).toMatchObject({ code: 0 });
    expect(file('tmp/start.log')).toMatch(/^Installing bubblewrap, python3-pip with apt-get\.$/m);
    expect(existsSync(join(debian.path, 'usr/bin/bwrap')), file('tmp/start.log')).toBe(true);
    const states = listedIn('tmp/list.json');
    expect(Object.keys(states).sort()).toEqual(['needs-setup', 'ready']);
    expect(states['needs-setup']).toEqual(needSetup);
    expect(states.ready).toHaveLength(17);
    expect(JSON.parse(file('tmp/call.json'))).toMatchObject({ status: 'ok', result: { words: 2 } });
  },
  5 * minutes,
);
