import { describe, expect, test } from 'vitest';
import { parseSource } from './parse-source.js';
import { isLocked, type LockedSource, type Source, sourceText } from './source.js';

const hash = 'a'.repeat(64);
const commit = 'b'.repeat(40);
const lookUp = (path: string) =>
  ({
    kind:
      path.includes('missing') || path.includes('.com/')
        ? 'missing'
        : /\.\w+$/.test(path)
          ? 'file'
          : 'folder',
    path: `/here/${path}`,
  }) as const;
const parse = (text: string, sha256?: string) => parseSource(text, { lookUp, sha256 });

const valid: readonly (readonly [text: string, source: Source, again?: string])[] = [
  ['pack', { kind: 'folder', path: '/here/pack' }, '/here/pack'],
  ['pack/toolspace.json', { kind: 'file', path: '/here/pack/toolspace.json' }, '/here/pack/toolspace.json'],
  ['a.zip', { kind: 'archive', path: '/here/a.zip' }, '/here/a.zip'],
  ['a.tar.gz', { kind: 'archive', path: '/here/a.tar.gz' }, '/here/a.tar.gz'],
  ['A.MCPB', { kind: 'archive', path: '/here/A.MCPB' }, '/here/A.MCPB'],
  ['https://example.com/a.zip', { kind: 'https', url: 'https://example.com/a.zip' }],
  [
    `https://example.com/a.zip#sha256=${hash}`,
    { kind: 'https', url: 'https://example.com/a.zip', sha256: hash },
  ],
  ['git+https://example.com/a.git#v1', { kind: 'git', url: 'https://example.com/a.git', revision: 'v1' }],
  [
    `git+https://example.com/a#${commit}:tools/one`,
    { kind: 'git', url: 'https://example.com/a', revision: commit, subfolder: 'tools/one' },
  ],
  [
    'git+https://example.com/a#feature/x',
    { kind: 'git', url: 'https://example.com/a', revision: 'feature/x' },
  ],
  ['npm:left-pad@^1.3', { kind: 'npm', name: 'left-pad', range: '^1.3' }],
  ['npm:@scope/pack@1.0.0', { kind: 'npm', name: '@scope/pack', range: '1.0.0' }],
  ['npm:@scope/pack', { kind: 'npm', name: '@scope/pack', range: 'latest' }, 'npm:@scope/pack@latest'],
  ['npm:left-pad@>=1 <2 || 3.x', { kind: 'npm', name: 'left-pad', range: '>=1 <2 || 3.x' }],
  ['pypi:Some_Pack==1.0', { kind: 'pypi', name: 'Some_Pack', range: '==1.0' }],
  ['pypi:pack >=1.4, <2', { kind: 'pypi', name: 'pack', range: '>=1.4,<2' }, 'pypi:pack>=1.4,<2'],
  ['pypi:pack', { kind: 'pypi', name: 'pack', range: '' }],
  ['oci:registry.example.com/a/b:1.2', { kind: 'oci', image: 'registry.example.com/a/b', reference: '1.2' }],
  [
    'oci:localhost:5000/a',
    { kind: 'oci', image: 'localhost:5000/a', reference: 'latest' },
    'oci:localhost:5000/a:latest',
  ],
  [
    `oci:localhost:5000/a@sha256:${hash}`,
    { kind: 'oci', image: 'localhost:5000/a', reference: `sha256:${hash}` },
  ],
];

describe('a source', () => {
  for (const [text, source, again = text] of valid)
    test(`${text} is read`, () => {
      expect(parse(text)).toEqual(source);
      expect(sourceText(source)).toBe(again);
    });

  test('takes a hash that is given beside it', () => {
    expect(parse('https://example.com/a.zip', hash.toUpperCase())).toMatchObject({ sha256: hash });
    expect(parse('a.zip', hash)).toMatchObject({ kind: 'archive', sha256: hash });
  });
});

const invalid: readonly (readonly [text: string, problem: string, sha256?: string])[] = [
  ['', 'the source is empty'],
  ['missing', 'there is no file or folder missing'],
  ['example.com/a.zip', 'there is no file or folder example.com/a.zip'],
  ['a\u001bb', 'the source contains a control character'],
  ['http://example.com/a.zip', 'plain http can be changed on its way'],
  ['https://me:secret@example.com/a.zip', 'the URL contains a user name or password'],
  ['https://example.com/a.zip#top', 'https://example.com/a.zip#top ends with #top, which means nothing here'],
  ['https://example.com/a.zip#sha256=12', '"12" is not a SHA-256 hash'],
  [
    `https://example.com/a.zip#sha256=${hash}`,
    'the URL and the option name different hashes',
    'c'.repeat(64),
  ],
  ['git+ssh://example.com/a#v1', 'git sources use https, not git+ssh'],
  ['git+file:///tmp/a#v1', 'git sources use https, not git+file'],
  ['git+http://example.com/a#v1', 'plain http can be changed on its way'],
  ['git+https://example.com/a', 'the git source has no revision'],
  ['git+https://example.com/a#--upload-pack=x', '"--upload-pack=x" is not a commit, tag or branch'],
  ['git+https://example.com/a#a..b', '"a..b" is not a commit, tag or branch'],
  ['git+https://example.com/a#v1:../x', '"../x" is not a folder of the repository'],
  ['git+https://example.com/a#v1:/x', '"/x" is not a folder of the repository'],
  ['npm:--help', '"--help" is not the name of an npm package'],
  ['npm:a@git+https://x', '"git+https://x" is not a version, a range or a tag'],
  ['npm:a@file:../x', '"file:../x" is not a version, a range or a tag'],
  ['pypi:-r', '"-r" is not a Python package with versions'],
  ['pypi:a @ https://x', '"a @ https://x" is not a Python package with versions'],
  ['pypi:a==', '"a==" is not a Python package with versions'],
  ['pypi:a==1', 'a hash was given for a source that is not an archive or a URL', hash],
  ['oci:name:1', '"name" is not an image with its registry'],
  ['oci:registry.example.com/a@sha256:12', '"sha256:12" is not a digest of an image'],
];

describe('a text that is not a source', () => {
  for (const [text, problem, sha256] of invalid)
    test(`${JSON.stringify(text)}: ${problem}`, () => {
      expect(parse(text, sha256)).toEqual({ problem, hint: expect.stringMatching(/\w/) });
    });
});

test('a source is locked if it names exact bytes, or is a folder or file of this machine', () => {
  const locked: readonly LockedSource[] = [
    { kind: 'folder', path: '/a' },
    { kind: 'file', path: '/a' },
    { kind: 'archive', path: '/a.zip', sha256: hash },
    { kind: 'https', url: 'https://example.com/a', sha256: hash },
    { kind: 'git', url: 'https://example.com/a', revision: 'v1', commit },
    { kind: 'npm', name: 'a', range: '^1', version: '1.0.0', integrity: 'sha512-x' },
    { kind: 'pypi', name: 'a', range: '', version: '1', file: 'a-1.tar.gz', sha256: hash },
    { kind: 'oci', image: 'localhost/a', reference: 'v1', digest: `sha256:${hash}` },
  ];
  expect(locked.map(isLocked)).toEqual(locked.map(() => true));
  const open = [
    'a.zip',
    'https://example.com/a',
    'git+https://example.com/a#v1',
    'npm:a',
    'pypi:a',
    'oci:localhost/a',
  ];
  expect(open.map((it) => isLocked(parse(it) as Source))).toEqual(open.map(() => false));
});
