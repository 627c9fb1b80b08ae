// Indexes and servers that answer slowly, wrongly or not at all: a clear error that names the place, and nothing is left.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Source } from '../../../src/model/source.js';
import { acquireSource } from '../../../src/sources/acquire.js';
import { hostErrorOf, type SourcesBench, sourcesBench } from '../../support/sources-bench.js';
import { loopbackServer } from '../../support/toolwharf.js';

let bench: SourcesBench;
beforeEach(async () => {
  bench = await sourcesBench((origin) => ({
    npmRegistry: `${origin}/npm/`,
    pythonIndex: `${origin}/simple`,
  }));
});
afterEach(() => bench.close());

const sources: Readonly<
  Record<Source['kind'] & ('https' | 'npm' | 'pypi' | 'oci' | 'git'), (host: string) => Source>
> = {
  https: (host) => ({ kind: 'https', url: `https://${host}/a.zip` }),
  npm: () => ({ kind: 'npm', name: 'tool', range: '^1.0.0' }),
  pypi: () => ({ kind: 'pypi', name: 'tool', range: '>=1' }),
  oci: (host) => ({ kind: 'oci', image: `${host}/tool`, reference: 'latest' }),
  git: (host) => ({ kind: 'git', url: `https://${host}/tool.git`, revision: 'main' }),
};

/** What the server does, and which codes are right for it. */
const faults: Readonly<
  Record<string, { answer: SourcesBench['handler'] | 'refused'; codes: readonly string[] }>
> = {
  'never answers': { answer: () => {}, codes: ['timeout'] },
  'begins to answer and stops': { answer: (_, response) => void response.write('{'), codes: ['timeout'] },
  'answers with something else': {
    answer: (_, response) => void response.setHeader('content-type', 'text/html').end('<h1>Sign in</h1>'),
    codes: ['network_failed', 'not_found', 'invalid_archive', 'integrity'],
  },
  'answers with an error': {
    answer: (_, response) => void response.writeHead(503).end(),
    codes: ['network_failed', 'unavailable'],
  },
  'accepts no connection': { answer: 'refused', codes: ['network_failed'] },
};

const cases = Object.keys(sources).flatMap((kind) =>
  Object.keys(faults).map((fault) => [kind, fault] as const),
);

test.each(cases)('%s: a server that %s', async (kind, fault) => {
  const { answer, codes } = faults[fault] as (typeof faults)[string];
  // Image registries on this machine answer without TLS.
  const plain = kind === 'oci' ? await loopbackServer((...args) => bench.handler(...args)) : undefined;
  const port = plain?.port ?? Number(new URL(bench.origin).port);
  const host = `127.0.0.1:${port}`;
  if (answer === 'refused') await Promise.all([bench.stopServer(), plain?.close()]);
  else bench.handler = answer;
  const before = bench.listing().filter((it) => !/^(store|store\/\w+|building)$/.test(it));
  const services = bench.with({
    granted: [{ host: '127.0.0.1', port }],
    timeouts: { idleMs: 300, totalMs: 1000 },
  });
  const source = sources[kind as keyof typeof sources](host);
  const { signal } = new AbortController();
  const error = await hostErrorOf(acquireSource(source, { services, signal }));
  if (answer !== 'refused') await plain?.close();
  expect(codes, error.message).toContain(error.code);
  expect(error.message).toMatch(/127\.0\.0\.1|tool/);
  expect(bench.listing().filter((it) => !/^(store|store\/\w+|building)$/.test(it))).toEqual(before);
});

test.each([
  ['/tool-404.git', 503, /git could not read/],
  ['/tool-403.git', 503, /git could not read/],
  ['/tool-503.git', 404, /there is no git repository/],
])('git: the address %s does not decide what the answer %i means', async (path, status, message) => {
  bench.handler = (_, response) => void response.writeHead(status).end();
  const port = Number(new URL(bench.origin).port);
  const services = bench.with({ granted: [{ host: '127.0.0.1', port }] });
  const source = { kind: 'git', url: new URL(path, bench.origin).href, revision: 'main' } as const;
  const { signal } = new AbortController();
  expect((await hostErrorOf(acquireSource(source, { services, signal }))).message).toMatch(message);
});
