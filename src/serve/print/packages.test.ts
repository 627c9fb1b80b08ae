import { describe, expect, test } from 'vitest';
import type { PackageReport, PackageState } from '../../host/host.js';
import { printPackageState } from './package.js';
import { printPackages } from './packages.js';
import { makeStyle } from './style.js';
import { width, wrap } from './width.js';

const plain = makeStyle(false);
const setup =
  'weather needs WEATHER_API_KEY (API key). Set it: toolwharf secret set weather WEATHER_API_KEY --host api.example.com';

function state(
  id: string,
  stateName: PackageState['state'],
  reasons: string[] = [],
  tools = ['run'],
): PackageState {
  return {
    id,
    version: '1.0.0',
    format: 'toolspace',
    path: `/tools/${id}`,
    state: stateName,
    reasons,
    sandbox: 'enforced',
    tools: tools.map((name) => ({ name, exposed: name, description: '' })),
    diagnostics: [],
  };
}

const packages = [
  state('weather', 'needs-setup', [setup], ['get_forecast', 'get_alerts', 'get_marine_forecast']),
  state('a-package-with-quite-a-long-name-indeed', 'ready', ['it asks for python 3.12; 3.11 is used']),
  state('mailer', 'needs-review', ['it may reach mail.example.com now. See it: toolwharf review mailer']),
  state('old', 'disabled', ['it is disabled. Enable it: toolwharf enable old']),
  state('evil\u001B[2J', 'broken', ['a reason\nover two lines']),
];
const report = { packages, summary: { scanned: 9, found: 5 } } as unknown as PackageReport;

test('columns stay in line with versions such as 2026.8.31', () => {
  const dated = [{ ...state('one', 'ready', []), version: '2026.8.31' }, state('two', 'ready', [])];
  const lines = printPackages({ ...report, packages: dated }, plain, 100).split('\n');
  expect(lines[0]?.indexOf(' ready')).toBe(lines[1]?.indexOf(' ready'));
});

describe.each([60, 80, 100, 120])('%d columns', (columns) => {
  const text = printPackages(report, plain, columns);

  test('every line fits the width', () => {
    for (const line of text.split('\n')) expect(width(line), line).toBeLessThanOrEqual(columns);
  });

  test('every reason is shown in full, with its command', () => {
    const flat = text.replaceAll(/\n +/g, ' ');
    for (const it of packages)
      for (const reason of it.reasons) expect(flat).toContain(reason.replace('\n', ' ⏎ '));
  });

  test('every state is shown, ready packages come first, and control characters are escaped', () => {
    for (const it of packages) expect(text).toContain(it.state);
    expect(text).toMatch(/^a-package-with/);
    expect(text).not.toContain('\u001B');
    expect(text).toMatch(/\n5 packages: 1 ready, 4 need attention\n$/);
  });
});

test('version and format are shown if there is room', () => {
  expect(printPackages(report, plain, 100)).toMatch(/weather +1\.0\.0 +toolspace +needs-setup +get_forecast/);
  expect(printPackages(report, plain, 60)).toMatch(/weather +needs-setup +get_forecast/);
});

test('the state of one package has one line per reason', () => {
  expect(printPackageState(packages[0] as PackageState, plain, 60)).toBe(
    [
      'It needs setup. Its sandbox is enforced.',
      '  - weather needs WEATHER_API_KEY (API key). Set it:',
      '    toolwharf secret set weather WEATHER_API_KEY --host',
      '    api.example.com',
      '',
    ].join('\n'),
  );
  expect(printPackageState(state('a', 'ready'), plain, 60)).toBe('It is ready. Its sandbox is enforced.\n');
});

test.each([
  ['a bb ccc', 4, ['a bb', 'ccc']],
  ['abcdefgh', 3, ['abc', 'def', 'gh']],
  ['a 名前名前', 4, ['a', '名前', '名前']],
  ['', 4, ['']],
  ['名', 1, ['名']],
])('wraps %j to %d cells', (text, cells, lines) => {
  expect(wrap(text, cells)).toEqual(lines);
});

test('a degraded sandbox is said once for all packages, and in the state of each', () => {
  const degraded = ['a', 'b'].map((id): PackageState => ({ ...state(id, 'ready'), sandbox: 'degraded' }));
  const list = printPackages({ ...report, packages: degraded }, plain, 80);
  expect(list.match(/degraded/g)).toHaveLength(1);
  expect(list).toMatch(/2 packages: 2 ready\ntheir sandbox is degraded: toolwharf doctor says why\n$/);
  expect(printPackages(report, plain, 80)).not.toContain('degraded');
  expect(printPackageState(degraded[0] as PackageState, plain, 80)).toBe(
    'It is ready. Its sandbox is degraded (toolwharf doctor says why).\n',
  );
});

test('a reason that several packages have is shown once, with one command for all of them', () => {
  const reason = 'nobody has accepted it yet';
  const fresh = ['one', 'two', 'three'].map((id) =>
    state(id, 'needs-review', [reason, `review it: toolwharf review ${id}`, `only ${id} says this`]),
  );
  const list = printPackages({ ...report, packages: fresh }, plain, 80, ['my tools']);
  expect(list.match(new RegExp(reason, 'g'))).toHaveLength(1);
  expect(list).toContain(
    `3 packages need review, each because: ${reason}\n  review them: toolwharf review 'my tools'\n`,
  );
  expect(list).not.toContain('review it:');
  for (const it of ['one', 'two', 'three']) expect(list).toContain(`only ${it} says this`);
  // Two packages keep their own commands.
  const two = printPackages({ ...report, packages: fresh.slice(1) }, plain, 80);
  expect(two).toContain('review it: toolwharf review two');
});
