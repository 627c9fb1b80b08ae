// Configuration: which settings each source may set, which source wins, and that errors stop every command.
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { builtInFormats } from '../../../../src/formats/built-in-formats.js';
import { parseToml } from '../../../../src/formats/document/toml.js';
import { HostError } from '../../../../src/model/host-error.js';
import { defaultSandboxLimits } from '../../../../src/sandbox/sandbox.js';
import { parseArguments } from '../../../../src/serve/cli/command/arguments.js';
import type { Arguments, Command } from '../../../../src/serve/cli/command/command.js';
import { config as configCommand } from '../../../../src/serve/cli/commands/config.js';
import { validateCommand } from '../../../../src/serve/cli/commands/validate.js';
import { sessionOptions, sessionSettings } from '../../../../src/serve/cli/config/config.js';
import { configKeys } from '../../../../src/serve/cli/config/config-keys.js';
import { sessionFor } from '../../../../src/serve/cli/config/session-options.js';
import type { Terminal } from '../../../../src/serve/cli/terminal/terminal.js';
import { testTerminal } from '../../../support/terminal.js';
import { patchTool, temporaryFolder } from '../../../support/toolwharf.js';

const validate = validateCommand(builtInFormats);
let folder: ReturnType<typeof temporaryFolder>;
/** Output of the last command. */
let printed: { out: string; err: string };
afterEach(() => folder?.remove());

/** Creates the files of a home folder. The working directory is `work/deep` in it. */
function home(files: Record<string, string>): void {
  folder = temporaryFolder(files);
  mkdirSync(join(folder.path, 'work', 'deep'), { recursive: true });
}

function terminalOf(environment: Record<string, string> = {}, columns = 100): Terminal {
  const cwd = join(folder.path, 'work', 'deep');
  const terminal = testTerminal({ cwd, environment: { HOME: folder.path, ...environment }, columns });
  printed = terminal.printed;
  return terminal;
}

const command = { name: 'test', options: sessionOptions } as unknown as Command;
const parsed = (...args: string[]): Arguments => parseArguments(command, args);
const settings = async (args: string[] = [], environment: Record<string, string> = {}) => {
  const {
    defaultPaths,
    defaultAcceptNewIn: _,
    ...rest
  } = await sessionSettings(parsed(...args), terminalOf(environment));
  return { ...rest, defaultPaths: defaultPaths() };
};

async function errorOf(promise: Promise<unknown>): Promise<HostError> {
  const error = await promise.catch((it: unknown) => it);
  expect(error).toBeInstanceOf(HostError);
  return error as HostError;
}

const user = '.config/toolwharf/config.toml';
const project = 'work/toolwharf.toml';

describe('defaults', () => {
  test('without configuration, packages are searched in the working directory', async () => {
    home({});
    expect(await settings()).toEqual({
      allow: [],
      environment: {},
      policy: {},
      defaultPaths: [join(folder.path, 'work', 'deep')],
    });
  });

  test('an empty file is valid', async () => {
    home({ [user]: '\n', [project]: '# nothing yet\n' });
    expect((await settings()).policy).toEqual({});
  });

  test('the default limits are those of the sandbox', () => {
    const defaults = Object.fromEntries(
      configKeys.map((it) => [it.name, 'default' in it ? it.default : undefined]),
    );
    expect(defaults).toMatchObject({
      'limits.cpu_seconds': defaultSandboxLimits.cpuSeconds,
      'limits.processes': defaultSandboxLimits.processes,
      'limits.open_files': defaultSandboxLimits.openFiles,
      'limits.memory_mb': defaultSandboxLimits.memoryBytes / 1024 / 1024,
      'limits.disk_mb': defaultSandboxLimits.diskBytes / 1024 / 1024,
    });
  });
});

describe('the user file', () => {
  test('the user file may set everything', async () => {
    home({
      [user]: `paths = ["~/tools", "near"]
allow = ["net:127.0.0.1:8080", "read:~/notes", "write:out", "env:COLOR", "env:ABSENT"]
[packages]
only = ["a", "b"]
disabled = ["c"]
[discovery]
ignore = ["vendor"]
depth = 3
[agent]
version = "2.1.0"
reserved = ["core2"]
[python]
index = "https://packages.example/simple"
find_links = ["wheels"]
[npm]
registry = "http://127.0.0.1:4873"
[limits]
seconds = 120
cpu_seconds = 30
memory_mb = 2048
processes = 10
open_files = 100
disk_mb = 5
output_mb = 1
[runtime]
strict = true
`,
    });
    const own = join(folder.path, '.config', 'toolwharf');
    expect(await settings([], { COLOR: 'red' })).toEqual({
      allow: [
        'net:127.0.0.1:8080',
        `read:${folder.path}/notes`,
        `write:${own}/out`,
        // ABSENT is not set. A variable that a file grants may be missing.
        'env:COLOR',
      ],
      environment: { COLOR: 'red' },
      defaultPaths: [join(folder.path, 'tools'), join(own, 'near')],
      policy: {
        only: ['a', 'b'],
        disabled: ['c'],
        ignore: ['vendor'],
        depth: 3,
        agentVersion: '2.1.0',
        reservedIds: ['core2'],
        strictRuntime: true,
        limits: {
          wallSeconds: 120,
          cpuSeconds: 30,
          memoryBytes: 2 ** 31,
          processes: 10,
          openFiles: 100,
          diskBytes: 5 * 2 ** 20,
          outputBytes: 2 ** 20,
        },
        indexes: {
          pythonIndex: 'https://packages.example/simple',
          findLinks: [join(own, 'wheels')],
          npmRegistry: 'http://127.0.0.1:4873',
        },
      },
    });
  });

  test('the user file is in the XDG configuration folder, or named by --config', async () => {
    home({
      [user]: '[discovery]\ndepth = 3\n',
      'elsewhere/toolwharf/config.toml': '[discovery]\ndepth = 4\n',
      'work/deep/mine.toml': '[discovery]\ndepth = 5\n',
    });
    const elsewhere = { XDG_CONFIG_HOME: join(folder.path, 'elsewhere') };
    expect((await settings()).policy.depth).toBe(3);
    expect((await settings([], elsewhere)).policy.depth).toBe(4);
    expect((await settings(['--config', 'mine.toml'], elsewhere)).policy.depth).toBe(5);
    expect(await errorOf(settings(['--config', 'gone.toml']))).toMatchObject({ code: 'not_found' });
  });
});

describe('the project file', () => {
  test('a project file makes the configuration stricter', async () => {
    home({
      [user]: `[packages]
only = ["a", "b"]
disabled = ["x"]
[discovery]
ignore = ["vendor"]
depth = 3
[limits]
seconds = 120
processes = 10
`,
      [project]: `[packages]
only = ["b", "c"]
disabled = ["y"]
[discovery]
ignore = ["third"]
depth = 2
[limits]
seconds = 30
processes = 20
[runtime]
strict = true
`,
    });
    expect((await settings()).policy).toEqual({
      only: ['b'],
      disabled: ['x', 'y'],
      ignore: ['vendor', 'third'],
      depth: 2,
      strictRuntime: true,
      limits: { wallSeconds: 30, processes: 10 },
    });
  });

  test('a project file cannot raise a limit above its default', async () => {
    home({
      [project]: '[limits]\nseconds = 3600\nprocesses = 5000\nmemory_mb = 512\n[discovery]\ndepth = 30\n',
    });
    expect((await settings()).policy).toEqual({ limits: { memoryBytes: 512 * 2 ** 20 } });
  });

  test.each([
    ['allow = ["net:api.example.com"]', 'allow cannot be set in a project file'],
    ['paths = ["/"]', 'paths cannot be set in a project file'],
    ['[agent]\nversion = "9.0.0"', 'agent.version cannot be set in a project file'],
    ['[agent]\nreserved = []', 'agent.reserved cannot be set in a project file'],
    ['[python]\nindex = "https://evil.example/simple"', 'python.index cannot be set in a project file'],
    ['[python]\nfind_links = ["wheels"]', 'python.find_links cannot be set in a project file'],
    ['[npm]\nregistry = "https://evil.example"', 'npm.registry cannot be set in a project file'],
    [
      '[audit]\narguments = "encrypted"',
      'audit.arguments = "encrypted" is less strict than the user\'s configuration',
    ],
    ['[runtime]\nstrict = false', "runtime.strict = false is less strict than the user's configuration"],
  ])('a project file cannot contain %j', async (text, message) => {
    home({ [project]: `${text}\n` });
    expect(await errorOf(settings())).toMatchObject({ code: 'invalid_config' });
    expect(printed.err).toContain(message);
    expect(printed.err).toContain('can only make settings stricter');
    // Control: the user file may contain the same line.
    folder.remove();
    home({ [user]: `${text}\n` });
    await settings();
  });

  test('a project file may stop packages that act against their grants, but not revoke them', async () => {
    home({ [project]: 'on_violation = "kill"\npackages.on_violation = ["notes=kill"]\n' });
    const stricter = { default: 'kill', packages: ['notes=kill'] };
    expect((await settings()).policy.onViolation).toEqual(stricter);
    folder.remove();
    // The user's stricter action stays.
    home({ [user]: 'on_violation = "revoke"\n', [project]: 'on_violation = "kill"\n' });
    expect((await settings()).policy.onViolation).toEqual({ default: 'revoke' });
    for (const text of ['on_violation = "revoke"', 'packages.on_violation = ["notes=revoke"]']) {
      folder.remove();
      home({ [project]: `${text}\n` });
      expect(await errorOf(settings())).toMatchObject({ code: 'invalid_config' });
      expect(printed.err).toContain('cannot be "revoke" in a project file');
      folder.remove();
      home({ [user]: `${text}\n` });
      await settings();
    }
  });

  test('the nearest project file in the parent folders is used, and none above the home folder', async () => {
    home({ [project]: '[discovery]\ndepth = 2\n', 'work/deep/toolwharf.toml': '[discovery]\ndepth = 1\n' });
    expect((await settings()).policy.depth).toBe(1);
    folder.remove();
    home({ 'toolwharf.toml': '[discovery]\ndepth = 2\n' });
    expect((await settings()).policy.depth).toBe(2);
    expect((await settings([], { HOME: join(folder.path, 'work') })).policy.depth).toBeUndefined();
  });
});

describe('flags and environment variables', () => {
  const files = {
    [user]: `allow = ["net:a.example"]
[agent]
version = "1.1.0"
[python]
index = "https://user.example/simple"
find_links = ["wheels"]
[npm]
registry = "https://user.example"
`,
  };
  const environment = {
    TOOLWHARF_AGENT_VERSION: '1.2.0',
    TOOLWHARF_PYTHON_INDEX: 'https://variable.example/simple',
    TOOLWHARF_FIND_LINKS: 'one:/two',
    TOOLWHARF_NPM_REGISTRY: 'https://variable.example',
    TOOLWHARF_STRICT_RUNTIME: '1',
  };

  test('environment variables override files, and flags override environment variables', async () => {
    home(files);
    const work = join(folder.path, 'work', 'deep');
    expect((await settings([], environment)).policy).toEqual({
      agentVersion: '1.2.0',
      strictRuntime: true,
      indexes: {
        pythonIndex: 'https://variable.example/simple',
        findLinks: [join(work, 'one'), '/two'],
        npmRegistry: 'https://variable.example',
      },
    });
    const args = [
      '--agent-version',
      '1.3.0',
      '--index',
      'https://flag.example/simple',
      '--unsafe-no-sandbox',
    ];
    args.push('--find-links', 'x', '--find-links', 'y', '--npm-registry', 'https://flag.example');
    expect((await settings(args, environment)).policy).toEqual({
      agentVersion: '1.3.0',
      strictRuntime: true,
      unsafeNoSandbox: true,
      indexes: {
        pythonIndex: 'https://flag.example/simple',
        findLinks: [join(work, 'x'), join(work, 'y')],
        npmRegistry: 'https://flag.example',
      },
    });
  });

  test('grants of files and flags are combined', async () => {
    home(files);
    const { allow, environment: values } = await settings(['--allow', 'env:WORD', '--allow', 'read:.'], {
      WORD: 'x',
      OTHER: 'y',
    });
    expect(allow).toEqual(['net:a.example', 'env:WORD', `read:${join(folder.path, 'work', 'deep')}`]);
    expect(values).toEqual({ WORD: 'x' });
  });

  test.each([
    [['--allow', 'env:MISSING'], {}, '--allow env:MISSING: the variable MISSING is not set'],
    [['--allow', 'env:toString'], {}, '--allow env:toString: the variable toString is not set'],
    [['--allow', 'nett:a.example'], {}, '--allow: "nett:a.example" is not a grant'],
    [['--agent-version', 'two'], {}, '--agent-version: agent.version is "two"'],
    [['--index', 'ftp://x.example'], {}, '--index: python.index is not a URL'],
    [['--index', 'http://x.example'], {}, '--index: python.index is not encrypted'],
    [['--index', 'https://a:b@x.example'], {}, '--index: python.index contains a user name or password'],
    [[], { TOOLWHARF_STRICT_RUNTIME: 'maybe' }, 'TOOLWHARF_STRICT_RUNTIME: runtime.strict is a string'],
  ] as [string[], Record<string, string>, string][])(
    'args %j with variables %j are rejected',
    async (args, variables, message) => {
      home({});
      const error = await errorOf(settings(args, variables));
      expect(error.code).toBe('usage');
      expect(error.message).toContain(message);
    },
  );
});

describe('mistakes', () => {
  test('all mistakes are reported at once, with their places and suggestions', async () => {
    home({
      [user]: `alow = ["net:a.example"]
allow = ["net:a.example", "nat:b.example", 3]
[limit]
seconds = 1
[limits]
second = 30
memory_mb = "1 GB"
processes = 0
disk_mb = 1.5
[python]
index = "simple"
registry = "https://x.example"
`,
      [project]: 'nonsense = 1\n',
    });
    const error = await errorOf(settings());
    expect(error).toMatchObject({
      code: 'invalid_config',
      message: 'the configuration has 11 errors; nothing runs until this is fixed',
    });
    const heads = printed.err
      .match(/^error.*\n.*$/gm)
      ?.map((it) => it.replaceAll(`${folder.path}/`, '').replace(/\n *--> /, ' @ '));
    expect(heads).toEqual([
      `error[schema.closed] unknown setting alow @ ${user}:1:1`,
      `error[schema.pattern] "nat:b.example" is not a grant @ ${user}:2:27`,
      `error[schema.type] allow contains a number @ ${user}:2:44`,
      `error[schema.closed] unknown setting limit @ ${user}:3:2`,
      `error[schema.closed] unknown setting limits.second @ ${user}:6:1`,
      `error[schema.type] limits.memory_mb is a string @ ${user}:7:13`,
      `error[schema.range] limits.processes is 0 @ ${user}:8:13`,
      `error[schema.range] limits.disk_mb is 1.5 @ ${user}:9:11`,
      `error[schema.format] python.index is not a URL: "simple" @ ${user}:11:9`,
      `error[schema.closed] unknown setting python.registry @ ${user}:12:1`,
      `error[schema.closed] unknown setting nonsense @ ${project}:1:1`,
    ]);
    expect(printed.err).toContain('did you mean allow?');
    expect(printed.err).toContain('did you mean [limits]?');
    expect(printed.err).toContain('did you mean limits.seconds?');
    expect(printed.err).toContain('did you mean npm.registry?');
  });

  test('with --json the mistakes are in the error message', async () => {
    home({ [user]: 'x = 1\n' });
    const error = await errorOf(settings(['--json']));
    expect(error.message).toContain(`${join(folder.path, user)}:1:1 unknown setting x`);
  });

  test('a configuration that is not TOML, has a byte order mark or is not a file is an error', async () => {
    home({ [user]: 'paths = [\n' });
    await errorOf(settings());
    expect(printed.err).toContain('error[syntax.toml]');
    folder.remove();
    home({ [user]: '\ufeffpaths = []\n' });
    await errorOf(settings());
    expect(printed.err).toContain('error[file.byte-order-mark]');
    folder.remove();
    home({ [`${user}/not-a-file`]: '' });
    await errorOf(settings());
    expect(printed.err).toContain('error[file.not-regular]');
    folder.remove();
    home({});
    symlinkSync('toolwharf.toml', join(folder.path, project));
    await errorOf(settings());
    expect(printed.err).toContain('error[file.unreadable]');
  });
});

describe('discovery.only', () => {
  const here = () => join(folder.path, 'work', 'deep');

  test('discovery.only limits which paths in the working directory are searched', async () => {
    home({ [project]: '[discovery]\nonly = ["deep/tools", "other", "deep/one.py"]\n' });
    expect((await settings()).defaultPaths).toEqual([join(here(), 'tools'), join(here(), 'one.py')]);
  });

  test('a working directory inside a listed folder is searched whole', async () => {
    home({ [project]: '[discovery]\nonly = ["."]\n' });
    expect((await settings()).defaultPaths).toEqual([here()]);
  });

  test('discovery.only never leads out of the working directory', async () => {
    home({ [project]: '[discovery]\nonly = ["..", "/"]\n' });
    expect((await settings()).defaultPaths).toEqual([here()]);
  });

  test('discovery.only does not change the paths of the user file', async () => {
    home({ [user]: 'paths = ["/mine"]\n', [project]: '[discovery]\nonly = ["deep"]\n' });
    expect((await settings()).defaultPaths).toEqual(['/mine']);
  });

  test('if no path is left, the error names the line of the setting', async () => {
    home({ [project]: '[discovery]\nonly = ["elsewhere"]\n' });
    expect(await errorOf(settings())).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining(`work/toolwharf.toml:2`),
      hint: expect.stringContaining(join(folder.path, 'work', 'elsewhere')),
    });
    // The setting does not affect a path that is named on the command line.
    const named = await sessionFor(parsed(), terminalOf(), ['.']);
    expect(named.directories).toEqual([here()]);
  });

  test('validate searches the same paths, and all of a path on the command line', async () => {
    home({
      'work/toolwharf.toml': '[discovery]\nonly = ["deep/tools"]\nignore = ["old"]\n',
      'work/deep/tools/good.py': patchTool({ name: 'good' }),
      'work/deep/tools/old/bad.py': patchTool({ name: 'Not A Name' }),
      'work/deep/test/bad.py': patchTool({ name: 'Not A Name' }),
    });
    const files = async (...args: string[]) => {
      const code = await validate.run(parseArguments(validate, ['--json', ...args]), terminalOf());
      return { code, files: JSON.parse(printed.out).files.map((it: { file: string }) => it.file) };
    };
    expect(await files()).toEqual({ code: 0, files: ['tools/good.py'] });
    expect(await files('.')).toEqual({
      code: 3,
      files: ['test/bad.py', 'tools/good.py', 'tools/old/bad.py'],
    });
  });

  test('in a checkout of this project the examples are searched', async () => {
    const root = join(import.meta.dirname, '../../../..');
    const terminal = testTerminal({ cwd: root, environment: { HOME: join(root, 'none') } });
    const { directories } = await sessionFor(parsed(), terminal, []);
    expect(directories).toEqual([join(root, 'examples')]);
  });
});

describe('config list', () => {
  const list = (args: string[], environment: Record<string, string> = {}, columns = 100) =>
    configCommand.run(parseArguments(configCommand, args), terminalOf(environment, columns));

  const files = {
    [user]: 'paths = ["tools"]\n[limits]\nseconds = 120\n',
    [project]: '[limits]\nmemory_mb = 512\n',
  };

  test('config list prints valid TOML with the effective values', async () => {
    home(files);
    expect(await list(['list'])).toBe(0);
    const { value, problems } = parseToml(printed.out);
    expect(problems).toEqual([]);
    expect(value).toMatchObject({
      paths: [join(folder.path, '.config/toolwharf/tools')],
      limits: { seconds: 120, memory_mb: 512, processes: 64 },
      runtime: { strict: false },
    });
    expect(printed.out).toContain('# python.index is not set\n');
  });

  test.each([64, 120])('--show-origin shows the origin of each value in %d columns', async (columns) => {
    home(files);
    await list(
      ['list', '--show-origin', '--agent-version', '3.0.0'],
      { TOOLWHARF_STRICT_RUNTIME: '1' },
      columns,
    );
    const text = printed.out.replaceAll(folder.path, '~');
    expect(text).toContain('agent.version = "3.0.0"  # flag --agent-version\n');
    expect(text).toContain('runtime.strict = true  # environment TOOLWHARF_STRICT_RUNTIME\n');
    expect(text).toContain('limits.processes = 64  # default\n');
    expect(text).toMatch(/# user ~\/\.config\/toolwharf\/config\.toml:3/);
    expect(text).toMatch(/# project ~\/work\/toolwharf\.toml:2/);
    expect(parseToml(printed.out).problems).toEqual([]);
  });

  test('--json lists all settings with their origins', async () => {
    home(files);
    await list(['--json']);
    const document = JSON.parse(printed.out);
    expect(document).toMatchObject({
      schema: 'toolwharf/config@1',
      files: { user: join(folder.path, user), project: join(folder.path, project) },
    });
    expect(document.settings.map((it: { key: string }) => it.key)).toEqual(configKeys.map((it) => it.name));
    expect(document.settings).toContainEqual({
      key: 'limits.seconds',
      value: 120,
      origins: [{ kind: 'user', file: join(folder.path, user), line: 3 }],
    });
  });

  test('an unknown subcommand is a usage error', async () => {
    home({});
    expect(await errorOf(list(['set', 'x']))).toMatchObject({ code: 'usage' });
  });
});

test('docs/config.md has a row for each setting', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/config.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z_.]+)` +\|/gm)].map((it) => it[1]);
  expect(rows).toEqual(configKeys.map((it) => it.name));
});

describe('rules', () => {
  test('rules are read with file and line, and rules of the project are added', async () => {
    home({
      [user]:
        'deny = ["net:*"]\nroots = ["~/work"]\n\n[[rules]]\ntool = "pay/*"\nrate_limit = "5/minute"\nspend = "12.5/day"\n\n[[rules]]\neffect = "destructive"\napproval = "allow"\noverride_manifest = true\n',
      [project]:
        'deny = ["x=write:out"]\nroots = [".", "/elsewhere"]\n[[rules]]\npii_redaction = ["email"]\n',
    });
    const { policy } = await settings();
    const [mine, theirs] = [join(folder.path, user), join(folder.path, project)];
    expect(policy.rules).toEqual([
      {
        tool: 'pay/*',
        rateLimit: { count: 5, per: 'minute' },
        spend: { amount: 12.5, per: 'day' },
        origin: { kind: 'user', file: mine, line: 4 },
      },
      {
        tool: '*',
        effects: ['destructive'],
        approval: 'allow',
        overManifest: true,
        origin: { kind: 'user', file: mine, line: 9 },
      },
      { tool: '*', redact: ['email'], origin: { kind: 'project', file: theirs, line: 3 } },
    ]);
    expect(policy.deny).toEqual(['net:*', `x=write:${join(folder.path, 'work/out')}`]);
    expect(policy.roots).toEqual([join(folder.path, 'work')]);
  });

  test('if the roots of user and project have nothing in common, no root is left', async () => {
    home({ [user]: 'roots = ["~/a"]\n', [project]: 'roots = ["/elsewhere"]\n' });
    expect((await settings()).policy.roots).toEqual([]);
  });

  test.each([
    ['[[rules]]\ntool = "a"\n', 1, 'this rule has no effect'],
    ['[[rules]]\napproval = "perhaps"\n', 2, 'approval has the invalid value "perhaps"'],
    ['[[rules]]\nrate_limit = "0/minute"\n', 2, 'rate_limit has the invalid value "0/minute"'],
    ['[[rules]]\nrate_limit = "5/year"\n', 2, 'rate_limit has the invalid value "5/year"'],
    ['[[rules]]\nspend = "-5/day"\n', 2, 'spend has the invalid value "-5/day"'],
    ['[[rules]]\nmax_amount = "5"\n', 2, 'max_amount has the invalid value "5"'],
    ['[[rules]]\nmax_amount = nan\n', 2, ''],
    ['[[rules]]\nmax_length = 0\n', 2, 'max_length has the invalid value 0'],
    ['[[rules]]\ntool = "a b"\napproval = "ask"\n', 2, 'tool has the invalid value "a b"'],
    ['[[rules]]\ntool = "a/tool:b"\napproval = "deny"\n', 2, 'tool has the invalid value "a/tool:b"'],
    ['[[rules]]\ntool = "a/prompt:"\napproval = "deny"\n', 2, 'tool has the invalid value "a/prompt:"'],
    ['trusted = ["a/prompt:b"]\n', 1, '"a/prompt:b" is not a tool pattern'],
    ['[[rules]]\ndeny_patterns = ["ok", "(?=x)"]\n', 2, 'deny_patterns contains "(?=x)"'],
    ['[[rules]]\npii_redaction = ["emial"]\n', 2, 'pii_redaction contains the invalid entry "emial"'],
    ['[[rules]]\naproval = "ask"\n', 2, 'unknown field aproval in a rule'],
    ['[[rules]]\napproval = "ask"\noverride_manifest = true\n', 3, 'override_manifest requires approval'],
    ['[[rules]]\neffect = "read"\nundeclared_effect = "read"\n', 2, 'cannot be used in the same rule'],
    ['[[rules]]\noutput_schema = { type = "objct" }\n', 2, ''],
    ['rules = "all"\n', 1, 'rules is a string'],
    ['rules = ["all"]\n', 1, 'a rule must be a table'],
    ['deny = ["web:x"]\n', 1, '"web:x" is not a grant'],
    ['trusted = ["a b"]\n', 1, '"a b" is not a tool pattern'],
    ['[scan]\nno_guesses = ["a b"]\n', 2, '"a b" is not a tool pattern'],
    ['[scan]\nexempt = ["notes result.a jwt"]\n', 2, 'is not an exemption from the scanner'],
    ['[scan]\nno_guesses = true\n', 2, 'scan.no_guesses is true'],
  ])('%j is rejected at line %i', async (text, line, message) => {
    home({ [user]: text });
    await errorOf(settings());
    expect(printed.err).toContain(message);
    expect(printed.err).toContain(`config.toml:${line}:`);
  });

  test('a project file cannot allow calls or name trusted tools', async () => {
    home({ [project]: 'trusted = ["a"]\n[[rules]]\napproval = "allow"\n' });
    await errorOf(settings());
    expect(printed.err).toContain('approval = "allow" is less strict than the user\'s configuration');
    expect(printed.err).toContain('toolwharf.toml:3:');
    expect(printed.err).toContain('trusted cannot be set in a project file');
  });

  test('config list prints rules that can be read again', async () => {
    const text =
      '[[rules]]\ntool = "desk/resource:desk://drawer/*?x=1"\napproval = "deny"\n\n[[rules]]\ntool = "pay/*"\neffect = ["write"]\napproval = "ask"\nask_above = 5\nmax_length = 100\ndeny_patterns = ["a\\\\d"]\npii_redaction = ["email"]\nrate_limit = "5/minute"\nmax_amount = 10\nspend = "50/day"\noutput_schema = { "type" = "object" }\nreason = "Why."\n';
    home({ [user]: text });
    const first = (await settings()).policy.rules;
    await configCommand.run(parseArguments(configCommand, ['list']), terminalOf());
    expect(printed.out).toContain(text);
    const listed = printed.out;
    folder.remove();
    home({ [user]: listed });
    const again = (await settings()).policy.rules;
    const plain = (rules: typeof first) => rules?.map(({ origin: _, ...it }) => it);
    expect(plain(again)).toEqual(plain(first));
  });
});
