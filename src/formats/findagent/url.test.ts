import { describe, expect, test } from 'vitest';
import { textTemplate } from '../../model/template.js';
import { parseUrl } from './url.js';

const codes = (url: string) => parseUrl(url, 'url').problems.map((it) => it.code.replace('findagent.', ''));

describe('the destination of a request', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com', 'api.example.com', null],
    ['HTTPS://API.Example.com/x', 'https://api.example.com', 'api.example.com', null],
    ['https://api.example.com:443/x', 'https://api.example.com', 'api.example.com', null],
    ['https://api.example.com:8443/x', 'https://api.example.com:8443', 'api.example.com', 8443],
    ['https://api.example.com./x', 'https://api.example.com', 'api.example.com', null],
    ['https://münchen.de/x', 'https://xn--mnchen-3ya.de', 'xn--mnchen-3ya.de', null],
    ['http://127.0.0.1:8080/x', 'http://127.0.0.1:8080', '127.0.0.1', 8080],
    ['http://localhost/x', 'http://localhost', 'localhost', null],
    ['http://[::1]:9/x', 'http://[::1]:9', '[::1]', 9],
    ['https://api.example.com?q=1', 'https://api.example.com', 'api.example.com', null],
  ])('a request to %s has the origin %s', (url, origin, host, port) => {
    expect(parseUrl(url, 'url').target).toMatchObject({ origin, host, port });
  });

  test.each([
    ['http://api.example.com/', ['url-not-https']],
    ['http://127.0.0.1.evil.example/', ['url-not-https']],
    ['http://localhost.evil.example/', ['url-not-https']],
    ['http://127.1/', ['url-not-https']],
    ['http://2130706433/', ['url-not-https']],
    ['http://127.0.0.1@evil.example/', ['url-user-info']],
    ['javascript://x/%0aalert(1)', ['url-not-https']],
    ['file:///etc/passwd', ['url-form']],
    ['wss://api.example.com/', ['url-not-https']],
    ['//api.example.com/', ['url-form']],
    ['api.example.com/v1', ['url-form']],
    ['https:/api.example.com', ['url-form']],
    ['https:\\\\api.example.com', ['url-form']],
    ['https://api.example.com\\.evil.example/', ['url-form']],
    ['https://api.example.com/a b', ['url-form']],
    ['https://api.example.com/\n', ['url-form']],
    ['https://[::1/', ['url-form']],
    ['https://a:b@api.example.com/', ['url-user-info']],
    ['https://{h}/', ['url-hole']],
    ['https://{h}.example.com/', ['url-hole']],
    ['https://api.example.com{p}', ['url-hole']],
    ['https://api.example.com:{p}/', ['url-hole']],
    ['https://{u}@api.example.com/', ['url-hole']],
    ['{s}://api.example.com/', ['url-hole']],
    ['{whole}', ['url-hole']],
    ['https://{{h}}/', ['url-hole']],
    ['https://api.example.com/{a.b}', ['placeholder-form']],
    ['https://api.example.com/{{a}}', ['placeholder-form']],
    ['https://api.example.com/{a', ['placeholder-form']],
    ['https://api.example.com/a}?b={c}', ['placeholder-form']],
    ['https://api.example.com/{}', ['placeholder-form']],
    ['https://api.example.com/?{a}=1', ['placeholder-place']],
    ['https://api.example.com/#x', ['url-fragment']],
    ['https://10.0.0.1/', ['private-url']],
    ['https://127.0.0.1/', ['loopback-url']],
    ['http://127.0.0.1:80/', ['loopback-url']],
  ])('%j has the problems %j', (url, expected) => {
    expect(codes(url)).toEqual(expected);
  });

  test.each([
    ['https://{a}:1/', 'host'],
    ['https://x:{a}/', 'port'],
    ['https://{a}@x/', 'user name'],
    ['{a}://x/', 'scheme'],
  ])('the message for %s names the %s', (url, part) => {
    expect(parseUrl(url, 'url').problems[0]?.message).toMatch(new RegExp(`its ${part}$`));
  });
});

test('the path and the query are parsed', () => {
  const parsed = parseUrl(
    'https://x.example/v1/{id}/a%20b?q={q}&lang=en-{lang}&fix=a+b%26c&flag&n%61me=1&&',
    'url',
  );
  expect(parsed.names).toEqual(['id', 'q', 'lang']);
  expect(parsed.pathNames).toEqual(['id']);
  expect(parsed.target?.path.parts).toEqual([
    { kind: 'text', text: '/v1/' },
    { kind: 'input', path: ['id'] },
    { kind: 'text', text: '/a%20b' },
  ]);
  expect(parsed.target?.query).toEqual([
    { name: 'q', value: { parts: [{ kind: 'input', path: ['q'] }] } },
    {
      name: 'lang',
      value: {
        parts: [
          { kind: 'text', text: 'en-' },
          { kind: 'input', path: ['lang'] },
        ],
      },
    },
    { name: 'fix', value: textTemplate('a%20b%26c') },
    { name: 'flag', value: textTemplate('') },
    { name: 'name', value: textTemplate('1') },
  ]);
});

test('the hint for a loopback URL shows the flag that allows it', () => {
  expect(parseUrl('http://localhost:8123/x', 'url').problems[0]?.hint).toContain(
    '--allow net:localhost:8123',
  );
});
