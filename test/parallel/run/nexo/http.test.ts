// Behavior specific to HTTP: statuses, broken connections, addresses that need a grant.
import { afterEach, expect, test } from 'vitest';
import type { HostError } from '../../../../src/model/host-error.js';
import { Rig } from '../../../support/nexo/bench.js';
import { loopbackServer } from '../../../support/toolwharf.js';

const rig = new Rig();

afterEach(() => rig.close());

function failure(work: Promise<unknown>): Promise<HostError> {
  return work.then(
    () => Promise.reject(new Error('no failure')),
    (error) => error,
  );
}

test('an extension that ends during a call fails all pending calls at once', async () => {
  const bench = await rig.connect('http');
  const open = failure(bench.call('never'));
  expect(await failure(bench.call('crash'))).toMatchObject({ code: 'network_failed' });
  expect(await open).toMatchObject({ code: 'network_failed' });
  expect(await failure(bench.call('echo'))).toMatchObject({ code: 'network_failed' });
});

test('an error status is reported; an error in the body is reported with its own text', async () => {
  const bench = await rig.connect('http', { behavior: { status: 500 } });
  expect((await failure(bench.call('fail', { message: 'no such city' }))).message).toContain('no such city');
  const server = await loopbackServer((_request, response) => response.writeHead(503).end('busy'));
  rig.later(() => server.close());
  expect(await failure(rig.reach('http', {}, { port: server.port }))).toMatchObject({
    code: 'upstream_failed',
    message: expect.stringContaining('got HTTP status 503 Service Unavailable'),
  });
});

test('an answer that is not JSON is rejected', async () => {
  const server = await loopbackServer((_request, response) => response.end('<html>hello</html>'));
  rig.later(() => server.close());
  expect(await failure(rig.reach('http', {}, { port: server.port }))).toMatchObject({
    code: 'tool_bad_output',
    message: expect.stringContaining('<html>hello</html>'),
  });
});

test('loopback and plain http need a grant; with it the same request is sent', async () => {
  const { port } = await rig.start('http');
  const error = await failure(rig.reach('http', { granted: [] }, { port }));
  expect(error).toMatchObject({
    code: 'network_denied',
    hint: expect.stringContaining(`--allow net:127.0.0.1:${port}`),
  });
  const bench = await rig.reach('http', {}, { port });
  expect((await bench.call('shape', { value: 1 })).value).toBe(1);
});

test('a redirect to another address is not followed', async () => {
  const other = await loopbackServer((_request, response) => response.end('{}'));
  const server = await loopbackServer((_request, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${other.port}/` }).end(),
  );
  rig.later(() => Promise.all([other.close(), server.close()]));
  expect(await failure(rig.reach('http', {}, { port: server.port }))).toMatchObject({
    code: 'network_denied',
  });
  expect(other.requests).toEqual([]);
});
