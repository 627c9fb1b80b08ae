import { createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openEnvelope, parseEnvelope, preAuthEncoding, signEnvelope } from './dsse.js';

/** The keys of RFC 8032, section 7.1, tests 1 and 2, as the vectors of the DSSE project use them. */
const seeds = [
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
];
const pairs = seeds.map((seed) => {
  const der = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.from(seed, 'hex'),
  ]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { privateKey, publicKey: createPublicKey(privateKey) };
});
const keys = pairs.map((it) => it.publicKey);
const [a, b] = pairs as [(typeof pairs)[0], (typeof pairs)[0]];
const [keyA, keyB] = keys as [KeyObject, KeyObject];

const payloadType = 'application/vnd.in-toto+json';
const payload = 'eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEifQ==';
const sigA = '2WAfaHm5jluo0w+0rk8uVkluELJYWjSmU9x7EUzx+AyteDGJ4/nqyJXfmAUVFIAoQafWm7AxBZNw5M9ixNHiCA==';
const sigB = 'c1+67/aT0yqEpwx8PsVY3MLHsj9D0CZ014/Fv/QlG59P+9CobUZ7xECJ/V3USG0Ob9CiE5LjReEZUzNF2l7eBw==';

describe('the vectors of the DSSE project', () => {
  test('the example of the specification has this encoding, and its signature is one over it', () => {
    const body = Buffer.from('hello world');
    const encoded = preAuthEncoding('http://example.com/HelloWorld', body);
    expect(encoded.toString()).toBe('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
    const number = (text: string) =>
      Buffer.from(BigInt(text).toString(16).padStart(64, '0'), 'hex').toString('base64url');
    const key = createPublicKey({
      format: 'jwk',
      key: {
        kty: 'EC',
        crv: 'P-256',
        x: number('46950820868899156662930047687818585632848591499744589407958293238635476079160'),
        y: number('5640078356564379163099075877009565129882514886557779369047442380624545832820'),
      },
    });
    const signature =
      'A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA==';
    expect(
      verify('sha256', encoded, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64')),
    ).toBe(true);
  });

  test('the length of a type counts bytes, not characters', () => {
    expect(preAuthEncoding('application/vnd.exämple+json', Buffer.alloc(0)).toString('hex')).toBe(
      '445353457631203239206170706c69636174696f6e2f766e642e6578c3a46d706c652b6a736f6e203020',
    );
  });

  const one = (sig: string, more: object = {}) => ({
    payload,
    payloadType,
    signatures: [{ sig, keyid: 'A' }],
    ...more,
  });
  test.each([
    ['one signature', one(sigA), {}, true],
    [
      'URL-safe base64',
      one('P-_KHICeR7tI6S_YyejJTRtrXhcQyQ2LYPaL8h90KjC9qN8HU_svOQ6TuDOT1HIrsGW886DbWNWcCmX5twLrAw==', {
        payload: '-_-_Pj8=',
      }),
      {},
      true,
    ],
    [
      'an empty payload',
      one('gSggCAaTLTYyRH6FIDBem6meyIynsYy8RTHVzwx9tnTb7Bg/1jMWnuVgI/gffqmbsC2VX5/jHfkkDqsj7CDbDg==', {
        payload: '',
      }),
      {},
      true,
    ],
    [
      'another type',
      one(sigA, { payloadType: 'application/vnd.example.other+json' }),
      { payloadType: 'application/vnd.example.other+json' },
      false,
    ],
    [
      'two keys of two',
      { payload, payloadType, signatures: [{ sig: sigA }, { sig: sigB }] },
      { threshold: 2 },
      true,
    ],
    [
      'one key twice',
      { payload, payloadType, signatures: [{ sig: sigA }, { sig: sigA }] },
      { threshold: 2 },
      false,
    ],
    ['a key that is not trusted', one(sigA), { keys: [keyB] }, false],
  ])('%s', (_, envelope, trust, accepted) => {
    const read = parseEnvelope(JSON.stringify(envelope));
    expect(read).toBeDefined();
    expect(
      openEnvelope(read as NonNullable<typeof read>, { keys, payloadType, ...trust }) !== undefined,
    ).toBe(accepted);
  });
});

test('what was signed is the same as in the vectors, because Ed25519 signatures are deterministic', () => {
  const envelope = signEnvelope(payloadType, Buffer.from(payload, 'base64'), [a, b]);
  expect(envelope.payload).toBe(payload);
  expect(envelope.signatures.map((it) => it.sig)).toEqual([sigA, sigB]);
});

test('a changed payload, an empty list of keys and a threshold of zero open nothing', () => {
  const envelope = signEnvelope(payloadType, Buffer.from('{"a":1}'), [a]);
  const open = (change: object, trust: object = {}) =>
    openEnvelope({ ...envelope, ...change }, { keys: [keyA], payloadType, ...trust });
  expect(open({})?.payload.toString()).toBe('{"a":1}');
  expect(open({ payload: Buffer.from('{"a":2}').toString('base64') })).toBeUndefined();
  expect(open({ payload: `${envelope.payload}!` })).toBeUndefined();
  expect(open({}, { keys: [] })).toBeUndefined();
  expect(open({}, { threshold: 0 })).toBeUndefined();
});

test.each([
  '',
  '{}',
  '[]',
  '{"payload":"","payloadType":"","signatures":[]}',
  '{"payload":1,"payloadType":"","signatures":[{"sig":""}]}',
  '{"payload":"","payloadType":"","signatures":[{}]}',
])('%s is not an envelope', (text) => expect(parseEnvelope(text)).toBeUndefined());
