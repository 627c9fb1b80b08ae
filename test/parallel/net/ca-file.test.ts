// Servers with a certificate of a private authority: only the operator's own setting makes them trusted.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { settingsInForce, waiversOf } from '../../../src/host/session-waivers.js';
import { httpsServer, type TestAuthority, testAuthority } from '../../support/certificate-authority.js';
import { temporaryFolder, toolwharf } from '../../support/toolwharf.js';
import { failureOf, pythonTool, resultOf, workbench } from '../../support/workbench.js';

let authority: TestAuthority;
let stranger: TestAuthority;
let server: Awaited<ReturnType<typeof httpsServer>>;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  authority = testAuthority();
  stranger = testAuthority('Somebody Else');
  server = await httpsServer(authority, (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (it) => pieces.push(it));
    request.on('end', () => {
      const { id, method } = JSON.parse(Buffer.concat(pieces).toString() || '{"id":0}');
      const result = method === 'initialize' ? { tools: [{ name: 'echo' }], hooks: [] } : 'over https';
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
});

afterEach(async () => {
  for (const it of closing.splice(0).reverse()) await it();
});

afterAll(async () => {
  await server.close();
  authority.remove();
  stranger.remove();
});

const extension = () => `[plugin]
id = "desk"
version = "1.0.0"
[capabilities]
tools = ["echo"]
[transport]
type = "http"
url = "https://localhost:${server.port}/rpc"
`;

/** Asks the https server from inside its sandbox, with the TLS of Python. */
const python = () =>
  pythonTool({
    name: 'ask_desk',
    network: true,
    head: ['import urllib.request'],
    body: [
      `with urllib.request.urlopen("https://localhost:${server.port}/", data=b'{"id": 7}') as answer:`,
      '    return {"status": answer.status, "extra": os.environ.get("NODE_EXTRA_CA_CERTS", "")}',
    ],
  });

async function session(caCertificates: string | undefined, files: Record<string, string>) {
  const made = await workbench(files);
  closing.push(() => made.close());
  const policy = caCertificates === undefined ? {} : { caCertificates };
  return made.session({ allow: [`net:localhost:${server.port}`], policy });
}

test('an extension at https://localhost works with the certificate of its authority, and only with it', async () => {
  const files = { 'desk/plugin.toml': extension() };
  const trusting = await session(authority.pem, files);
  expect(await resultOf(trusting.call({ tool: 'desk/echo', arguments: {} }))).toBe('over https');
  for (const pem of [undefined, stranger.pem]) {
    const failed = await failureOf((await session(pem, files)).call({ tool: 'desk/echo', arguments: {} }));
    expect(failed.message).toMatch(/failed \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\).*--ca-file FILE/);
  }
});

test('a tool in a sandbox that verifies the server itself trusts it too, and only with the setting', async () => {
  const files = { 'ask_desk.py': python() };
  const trusting = await session(authority.pem, files);
  expect(await resultOf(trusting.call({ tool: 'ask_desk', arguments: {} }))).toEqual({
    status: 200,
    extra: '/toolwharf/certificates/extra.pem',
  });
  const other = await session(undefined, files);
  const failed = await failureOf(other.call({ tool: 'ask_desk', arguments: {} }));
  expect(failed.message).toContain('CERTIFICATE_VERIFY_FAILED');
});

test('a session with invalid certificates does not open', async () => {
  for (const [pem, why] of [
    ['', /contains no certificate/],
    [`${authority.pem}${authority.server.key}`, /contains a private key/],
    [authority.pem.replace(/\nM.{20}/, '\nMAAAAAAAAAAAAAAAAAAAA'), /invalid certificate \(number 1\)/],
    [authority.pem.slice(0, -40), /contains no certificate/],
  ] as const)
    await expect(session(pem, { 'desk/plugin.toml': extension() })).rejects.toThrow(why);
});

test('the setting is a waiver that is bound to the certificates; without acceptance it is not in force', () => {
  const settings = { policy: { caCertificates: authority.pem }, allow: [], root: '/' };
  const [waiver, ...more] = waiversOf(settings);
  expect(more).toEqual([]);
  expect(waiver).toMatchObject({
    kind: 'ca',
    text: 'https trusts certificates of CN=Test Authority',
    content: [expect.stringMatching(/^[0-9a-f]{64}$/)],
  });
  expect(settingsInForce(settings, () => false).policy).toEqual({});
  expect(settingsInForce(settings, (id) => id === waiver?.id).policy).toEqual(settings.policy);
  const again = { ...settings, policy: { caCertificates: `# a comment\n${authority.pem}${authority.pem}` } };
  expect(waiversOf(again).map((it) => it.id)).toEqual([waiver?.id]);
  const other = { ...settings, policy: { caCertificates: stranger.pem } };
  expect(waiversOf(other)[0]?.id).not.toBe(waiver?.id);
});

test('the command takes it from the user configuration or a flag; a project file cannot set it', async () => {
  const folder = temporaryFolder({ 'desk/plugin.toml': extension(), 'bad.pem': 'no certificate\n' });
  closing.push(folder.remove);
  const write = (name: string, file: string) => {
    const path = join(folder.path, name);
    writeFileSync(
      path,
      `allow = ["net:localhost:${server.port}"]\n[net]\nca_file = ${JSON.stringify(file)}\n`,
    );
    return path;
  };
  const call = (...more: string[]) =>
    toolwharf(
      [
        'call',
        join(folder.path, 'desk'),
        'echo',
        '{}',
        '--json',
        '--state',
        join(folder.path, 'state'),
        ...more,
      ],
      {
        cwd: folder.path,
      },
    );
  const granted = ['--allow', `net:localhost:${server.port}`];
  const rules = join(folder.path, 'rules.toml');
  writeFileSync(rules, '[[rules]]\ntool = "*"\nundeclared_effect = "read"\n');

  const flagged = await call('--ca-file', authority.file, ...granted, '--config', rules);
  expect(JSON.parse(flagged.stdout)).toMatchObject({ status: 'ok', result: 'over https' });

  const user = write('user.toml', authority.file);
  writeFileSync(user, `${'[[rules]]\ntool = "*"\nundeclared_effect = "read"\n'}`, { flag: 'a' });
  expect(JSON.parse((await call('--config', user)).stdout)).toMatchObject({ status: 'ok' });

  for (const [file, why] of [
    [join(folder.path, 'missing.pem'), /net\.ca_file cannot be read/],
    [join(folder.path, 'bad.pem'), /bad\.pem contains no certificate/],
  ] as const) {
    const stopped = await call('--ca-file', file, ...granted, '--config', rules);
    expect(JSON.parse(stopped.stdout).error).toMatchObject({
      code: 'invalid_config',
      message: expect.stringMatching(why),
    });
  }

  write('toolwharf.toml', authority.file);
  const project = await call(...granted);
  expect(project.code).not.toBe(0);
  expect(project.stdout).toMatch(/net\.ca_file/);
});
