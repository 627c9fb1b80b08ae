import { expect, test } from 'vitest';
import { isHarmlessGitConfig } from './git-config.js';

const clone = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
[remote "origin"]
	url = https://example.com/a/b.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
`;

test('what git writes for a new repository and for a clone is harmless', () => {
  expect(isHarmlessGitConfig(clone)).toBe(true);
  expect(isHarmlessGitConfig('')).toBe(true);
  expect(isHarmlessGitConfig('[remote "o"]\n\turl = git@example.com:a/b.git\n')).toBe(true);
});

test.each([
  '[core]\n\tfsmonitor = evil',
  '[core]\n\thooksPath = hooks',
  '[core]\n\tsshCommand = evil',
  '[core]\n\tworktree = /home',
  '[Core]\n\tfsmonitor = evil',
  '[core] fsmonitor = evil',
  '[alias]\n\tst = !evil',
  '[include]\n\tpath = evil',
  '[filter "x"]\n\tsmudge = evil',
  '[credential]\n\thelper = evil',
  '[remote "o"]\n\turl = ext::sh -c evil',
  '[remote "o"]\n\turl = --upload-pack=evil',
  '[remote "o"]\n\turl = /home/evil',
  '[remote "o"]\n\turl = ssh://-oProxyCommand=evil/x',
  '[remote "o"]\n\tuploadpack = evil',
  '[remote "o]"]\n\tvcs = evil',
  '[branch "a"]\n\tmerge = x\\\n\tfsmonitor = evil',
  'fsmonitor = evil',
  '[core]\n\tbare = false ; x\n',
  '[submodule "x"]\n\tupdate = !evil',
])('not harmless: %j', (text) => {
  expect(isHarmlessGitConfig(text)).toBe(false);
});
