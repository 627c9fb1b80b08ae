import { expect, test } from 'vitest';
import { installerNetwork } from './installer-network.js';
import { explainPip } from './pip-failure.js';

const network = installerNetwork('https://user:hidden@packages.example.com/simple/', 'none');
const failure = {
  stderr: '',
  log: '',
  deniedHosts: [],
  deniedPrivate: false,
  requirements: ['a==1.0'],
  python: '3.11',
  network,
};

test('no message shows the password of an index URL', () => {
  const errors = [
    explainPip(failure),
    explainPip({ ...failure, deniedHosts: ['other.example.com:443'] }),
    explainPip({ ...failure, log: 'Could not fetch URL https://x/: 401 Client Error - skipping' }),
    explainPip({ ...failure, stderr: 'ERROR: No matching distribution found for a==1.0' }),
  ];
  expect(errors.map((it) => it.code)).toEqual([
    'upstream_failed',
    'network_denied',
    'network_failed',
    'not_found',
  ]);
  for (const it of errors) expect(`${it.message} ${it.hint}`).not.toContain('hidden');
  expect(errors[2]?.message).toContain('401');
});

test('a package that the index does not have is not_found, not network_failed', () => {
  const error = explainPip({
    ...failure,
    log: 'Could not fetch URL https://x/a/: 404 Client Error: Not Found for url: https://x/a/ - skipping',
    stderr: 'ERROR: No matching distribution found for a==1.0',
  });
  expect(error.code).toBe('not_found');
});

test('a dependency that exists only as source is named, also with another spelling', () => {
  const error = explainPip({
    ...failure,
    log: 'Skipping link: No sources permitted for my-part: https://x/my_part-2.0.tar.gz',
    stderr: 'ERROR: No matching distribution found for My_Part>=1 (from a)',
  });
  expect(error.code).toBe('not_supported');
  expect(error.message).toContain('My_Part>=1');
});

test.each(['ftp://example.com/', 'packages.example.com', 'file:///srv/wheels', ''])(
  '%j is rejected as an index URL',
  (text) => {
    expect(() => installerNetwork(text, 'public')).toThrow(
      expect.objectContaining({ code: 'invalid_config' }),
    );
  },
);

test('an index on a private address is explained with the setting that helps', () => {
  const denied = { ...failure, deniedHosts: ['mirror.internal:443'], deniedPrivate: true };
  const open = explainPip({ ...denied, network: installerNetwork(undefined, 'public') });
  expect(open.hint).toBe(
    'it is on a private address; if it is your own index, name it: --index https://mirror.internal/simple/, or python.index in your configuration; --allow does not apply to installations',
  );
  // A configured index is allowed wherever it is; another host that it refers to is not.
  expect(explainPip(denied).hint).toContain('configure an index that serves the files itself');
});
