import { describe, expect, test } from 'vitest';
import { memoryBundle } from '../../bundle/memory-bundle.js';
import { findagent } from './format.js';
import { readFrontmatter } from './frontmatter.js';
import { importRepository } from './import.js';

const imported = (files: Record<string, string>, name = 'team-skills') =>
  importRepository({ name, paths: Object.keys(files), read: (path) => files[path] });

describe('a repository', () => {
  const files = {
    'README.md': '# Team',
    'skills/review/SKILL.md':
      '---\nname: Review a change\ndescription: Reads a diff.\ntags: [review, quality]\n---\n# X\n',
    'plugins/a/deploy/SKILL.md': '# Deploy\n\nPuts a release on a server.\n',
    'plugins/b/deploy/SKILL.md': '---\nname: Other\n---\n- list\n',
    '.cursor/rules/style.mdc':
      '---\ndescription: How we write\nglobs: *.ts,*.tsx\nalwaysApply: false\n---\nUse tabs.\n',
    '.cursorrules': 'Always answer in English.\n',
    'AGENTS.md': '# For agents\n\nRun the tests first.\n',
    'packages/web/AGENTS.md': 'Use the web rules.\n',
    'node_modules/x/SKILL.md': 'not ours',
  };

  test('with skills, rules and instructions becomes a skills-bundle with their frontmatter', () => {
    const found = imported(files);
    expect(found?.manifest).toMatchObject({ name: 'team-skills', kind: 'skills-bundle' });
    expect(found?.manifest.skills).toEqual([
      { id: 'style', name: 'style', description: 'How we write' },
      { id: 'cursor-rules', name: 'cursor-rules', description: 'Always answer in English.' },
      { id: 'agents', name: 'For agents', description: 'Run the tests first.' },
      { id: 'agents-packages-web', name: 'agents-packages/web', description: 'Use the web rules.' },
      { id: 'deploy', name: 'Deploy', description: 'Puts a release on a server.' },
      { id: 'deploy-2', name: 'Other', description: 'A skill of this repository.' },
      { id: 'review', name: 'Review a change', description: 'Reads a diff.', tags: ['review', 'quality'] },
    ]);
    const added = found?.added.map((it) => it.path) ?? [];
    expect(added).not.toContain('skills/review/SKILL.md');
    expect(added).toContain('skills/deploy-2/SKILL.md');
    expect(added.at(-1)).toBe('findagent.json');
  });

  test('gives a manifest without errors, whose prompts have the texts of the files', () => {
    const all: Record<string, string> = { ...files };
    for (const it of imported(files)?.added ?? []) all[it.path] = it.text;
    const bundle = memoryBundle(all, 'findagent.json');
    const { package: pkg, diagnostics } = findagent.parse(bundle, { agentVersion: '1.0.0', reservedIds: [] });
    expect(diagnostics.filter((it) => it.severity === 'error')).toEqual([]);
    const style = pkg?.prompts.find((it) => it.name === 'style');
    expect(style?.body).toEqual({ kind: 'file', path: 'skills/style/SKILL.md' });
    expect(all['skills/style/SKILL.md']).toBe(files['.cursor/rules/style.mdc']);
  });

  test('without skills and rules stays as it is', () => {
    expect(imported({ 'README.md': '# x', 'src/a.ts': '' })).toBeUndefined();
    expect(imported({ 'node_modules/x/SKILL.md': 'x' })).toBeUndefined();
  });

  test('cannot put its own files or hidden text into the manifest', () => {
    const found = imported(
      {
        'a/skill/SKILL.md': '---\nname: "x\\u202ey\\u0007"\ndescription: "a\\nb"\n---\n',
        'skills/skill/other.md': 'in the way',
        'skills/SKILL/notes.md': 'in the way too',
      },
      'x',
    );
    expect(found?.manifest).toMatchObject({
      name: 'x skills',
      skills: [{ id: 'skill-2', name: 'xy', description: 'a b' }],
    });
  });
});

describe('frontmatter', () => {
  const table: readonly (readonly [text: string, fields: object, body: string])[] = [
    ['---\na: 1\n---\nbody', { a: 1 }, 'body'],
    ['\uFEFF---\r\na: x\r\n---\r\nbody', { a: 'x' }, 'body'],
    ['no marks', {}, 'no marks'],
    ['---\nnever closed', {}, '---\nnever closed'],
    ['---\n: [\n---\nbody', {}, 'body'],
    ['---\n- list\n---\nbody', {}, 'body'],
    ['---\nglobs: **/*.py\n---\n', { globs: '**/*.py' }, ''],
  ];
  test.each(table)('%j is read', (text, fields, body) => {
    expect(readFrontmatter(text)).toEqual({ fields, body });
  });
});
