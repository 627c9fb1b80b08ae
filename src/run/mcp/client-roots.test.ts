import { expect, test } from 'vitest';
import { rootsWithin } from './client-roots.js';

const workspace = { outside: '/home/me/desk', inside: '/workspace' };
const uris = (...offered: string[]) =>
  rootsWithin(
    offered.map((uri) => ({ uri })),
    workspace,
  ).map((it) => it.uri);

test('a root that contains the workspace is the workspace, as the server sees it', () => {
  expect(rootsWithin([{ uri: 'file:///home/me', name: 'me' }], workspace)).toEqual([
    { uri: 'file:///workspace', name: 'me' },
  ]);
});

test('a root in the workspace is that folder', () => {
  expect(uris('file:///home/me/desk/a%20b')).toEqual(['file:///workspace/a%20b']);
});

test('nothing outside of the workspace is passed on', () => {
  expect(
    uris('file:///etc', 'file:///home/me/desk2', 'file:///home/me/desk/../keys', 'https://a/home/me', 'x'),
  ).toEqual([]);
  expect(rootsWithin([{ uri: 'file:///home/me' }], null)).toEqual([]);
  expect(rootsWithin('all', workspace)).toEqual([]);
});
