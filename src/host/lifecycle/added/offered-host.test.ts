import { expect, test } from 'vitest';
import { isOfferedHost } from './offered-host.js';

test.each([
  'api.example.com',
  'API.Example.com',
  'db.example.com:5432',
  'xn--bcher-kva.example',
  'a.b.co.uk',
])('%s is offered', (host) => {
  expect(isOfferedHost(host)).toBe(true);
});

test.each([
  ...['public', 'public:8080', 'PUBLIC', 'public.', 'localhost', 'localhost:6379', 'intranet', 'metadata'],
  ...[
    '127.0.0.1:6379',
    '127.1',
    '10.0.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '8.8.8.8',
    '0x7f.1',
    '1.2.3.0x4',
  ],
  ...[
    '[::1]:80',
    '::1',
    'fe80::1',
    'app.localhost',
    'nas.local',
    'metadata.google.internal',
    '1.0.0.127.in-addr.arpa',
  ],
  ...[
    '',
    '.',
    '.com',
    'a..com',
    '-a.com',
    '*.example.com',
    'a b.com',
    'example.com/x',
    'u@example.com',
    'example.com:0',
  ],
  ...['example.com:123456', 'example.com\nnet:public'],
])('%j is not offered', (host) => {
  expect(isOfferedHost(host)).toBe(false);
});
