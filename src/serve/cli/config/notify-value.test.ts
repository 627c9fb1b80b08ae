import { describe, expect, test } from 'vitest';
import type { Json } from '../../../model/json.js';
import { checkNotifyTargets } from './notify-value.js';

const problemsOf = (value: Json) => {
  const checked = checkNotifyTargets(value);
  return checked.ok ? [] : checked.problems.map((it) => `${(it.at ?? []).join('.')}: ${it.message}`);
};

describe('[[notify]]', () => {
  test('accepts the three kinds', () => {
    expect(
      checkNotifyTargets([
        { kind: 'ntfy', url: 'https://ntfy.example.com/topic', token_secret: 'ntfy' },
        { kind: 'slack', url_secret: 'slack' },
        { kind: 'webhook', url: 'http://127.0.0.1:9000/held', arguments: true },
      ]),
    ).toEqual({
      ok: true,
      value: [
        { kind: 'ntfy', url: 'https://ntfy.example.com/topic', tokenSecret: 'ntfy' },
        { kind: 'slack', urlSecret: 'slack' },
        { kind: 'webhook', url: 'http://127.0.0.1:9000/held', arguments: true },
      ],
    });
  });

  test.each<[string, Json, string]>([
    ['a table', { kind: 'ntfy' }, ': notify is not a list of tables'],
    ['an unknown kind', [{ kind: 'mail', url: 'https://a.example/b' }], '0.kind: kind is "mail"'],
    ['no kind', [{ url: 'https://a.example/b' }], '0: the target has no kind'],
    ['no URL', [{ kind: 'webhook' }], '0: the target has no URL'],
    [
      'two URLs',
      [{ kind: 'webhook', url: 'https://a.example/b', url_secret: 'x' }],
      '0: the target has url and url_secret',
    ],
    [
      'a topic that is missing',
      [{ kind: 'ntfy', url: 'https://ntfy.example.com/' }],
      '0.url: url has no topic',
    ],
    [
      'a plain connection',
      [{ kind: 'webhook', url: 'http://a.example/b' }],
      '0.url: url is not encrypted (http): "http://a.example/b"',
    ],
    ['a token', [{ kind: 'ntfy', url: 'https://a.example/b', token: 'tk' }], '0.token: unknown member token'],
    [
      'a value as a name',
      [{ kind: 'slack', url_secret: 'https://a' }],
      '0.url_secret: url_secret is not the name of a value',
    ],
    [
      'a token for Slack',
      [{ kind: 'slack', url_secret: 'a', token_secret: 'b' }],
      '0.token_secret: token_secret has no use for slack',
    ],
  ])('rejects %s', (_name, value, problem) => {
    expect(problemsOf(value)).toEqual([problem]);
  });

  test('rejects the URL of a Slack webhook in clear, and does not repeat it', () => {
    const url = ['https://hooks.slack.com/services', 'T0', 'B0', 'abc'].join('/');
    const [problem = ''] = problemsOf([{ kind: 'slack', url }]);
    expect(problem).toContain('is a secret and must not be in this file');
    expect(problem).not.toContain('abc');
  });
});
