// Settings share the vault with secrets. Their values are ordinary text and must survive in every answer.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resultOf, talos, type Workbench, workbench } from '../../support/workbench.js';

const zone = 'America/New_York';
const key = 'the-key-of-the-clock-77';

const clock = () =>
  talos({
    id: 'clock',
    code: 'export const zone = (_, { config }) => ({ zone: config.zone, key: config.key });',
    functions: ['zone'],
    rest: {
      credentials: [{ name: 'key', label: 'Key', required: true }],
      settings: [{ name: 'zone', label: 'Zone', type: 'string', default: '' }],
    },
  });

let bench: Workbench;

beforeAll(async () => {
  bench = await workbench({
    ...clock(),
    ...talos({ id: 'echo', code: 'export const say = ({ text }) => `so: ${text}`;', functions: ['say'] }),
  });
  const all = await bench.session();
  await all.packages();
  for (const [slot, value] of [
    ['zone', zone],
    ['key', key],
  ] as const)
    await bench.host.secrets.set({
      package: 'clock',
      slot,
      value,
      audience: { kind: 'manifest' },
      by: 'test',
    });
});

afterAll(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

const echo = async () => {
  const session = await bench.session({ directories: [join(bench.packages, 'echo')] });
  // Repeating the secret of another package is denied before the tool runs.
  const echoed = (text: string) =>
    session.call({ tool: 'echo/say', arguments: { text } }).then(
      (answer) => (answer.status === 'ok' ? answer.result : answer.status),
      (error: { code: string }) => error.code,
    );
  return [await echoed(`it is noon in ${zone}`), await echoed(`the key is ${key}`)];
};

test('the value of a setting is not redacted in the answers of its own package', async () => {
  const session = await bench.session();
  expect(await resultOf(session.call({ tool: 'clock/zone', arguments: {} }))).toMatchObject({ zone });
});

test('a session without the package knows from the agreement that the value is a setting', async () => {
  const [withSetting, withSecret] = await echo();
  expect(withSetting).toBe(`so: it is noon in ${zone}`);
  expect(withSecret).toBe('denied');
});

test('an edit that nobody accepted does not turn a secret into a setting', async () => {
  const edited = Object.entries(clock()).map(
    ([path, text]) => [path, text.replace(/"required": ?true/, '"required":true,"secret":false')] as const,
  );
  expect(edited.some(([, text]) => text.includes('"secret":false'))).toBe(true);
  bench.write(Object.fromEntries(edited));
  const { packages } = await (await bench.session({ accept: null })).packages();
  expect(packages.find((it) => it.id === 'clock')?.state).toBe('needs-review');
  const [withSetting, withSecret] = await echo();
  expect(withSetting).toBe(`so: it is noon in ${zone}`);
  expect(withSecret).toBe('denied');
});
