// The rules of ARCHITECTURE.md, as a test. Each failure says what is allowed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const src = join(import.meta.dirname, '../../src');

/** What each folder may import besides itself. A folder that is not listed may not exist. */
const allowedImports: Record<string, readonly string[]> = {
  model: [],
  generated: ['formats'],
  formats: ['model', 'generated'],
  policy: ['model'],
  schema: ['model'],
  wire: ['model'],
  files: ['model'],
  net: ['model'],
  sandbox: ['model', 'files'],
  store: ['model', 'files'],
  secrets: ['model', 'files'],
  environment: ['model', 'files', 'net', 'sandbox'],
  bundle: ['model', 'formats', 'files'],
  sources: ['model', 'formats', 'files', 'net', 'sandbox', 'environment', 'bundle'],
  run: ['model', 'files', 'net', 'sandbox', 'wire'],
  registry: ['model', 'formats', 'policy', 'files', 'net', 'store', 'secrets', 'bundle', 'sources'],
  host: [
    'model',
    'formats',
    'policy',
    'schema',
    'bundle',
    'files',
    'net',
    'sandbox',
    'store',
    'run',
    'secrets',
    'environment',
    'sources',
    'registry',
  ],
  serve: ['model', 'formats', 'bundle', 'files', 'wire', 'host', 'registry'],
  // Of host and serve only types; see below.
  console: ['model', 'host', 'serve'],
};

const pure = ['model', 'formats', 'policy'];
/** Folders of formats/ that belong to all of them. */
const shared = ['document', 'javascript', 'python'];
const roots = ['main.ts', 'publishing.ts', 'launch.ts', 'index.ts', 'connect.ts', 'version.ts', 'pure.d.ts'];

interface Import {
  readonly target: string;
  readonly typeOnly: boolean;
}

const files = listFiles(src).map((path) => {
  const text = readFileSync(join(src, path), 'utf8');
  return {
    path,
    folder: path.includes('/') ? (path.split('/')[0] as string) : '',
    text,
    imports: importsOf(path, text),
  };
});
const sources = files.filter((it) => !it.path.endsWith('.test.ts') && it.folder !== 'generated');

describe('imports', () => {
  test('go only along the arrows', () => {
    const wrong = sources.flatMap(({ path, folder, imports }) => {
      if (folder === '') return [];
      const allowed = allowedImports[folder];
      if (allowed === undefined)
        return [`${path}: the folder ${folder} is not in the picture; add it to ARCHITECTURE.md and here`];
      return imports.flatMap(({ target }) => {
        const to = target.split('/')[0] as string;
        if (!target.startsWith('..') && (isPackage(target) || to === folder || allowed.includes(to)))
          return [];
        return [`${path} imports ${target}; ${folder} may import ${allowed.join(', ') || 'nothing'}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  test('surfaces see the host through its interface and the table of operations only', () => {
    const wrong = sources
      .filter((it) => it.folder === 'serve')
      .flatMap(({ path, imports }) =>
        imports
          .filter(
            (it) =>
              it.target.startsWith('host/') &&
              it.target !== 'host/host.ts' &&
              !it.target.startsWith('host/operations/'),
          )
          .map((it) => `${path} imports ${it.target}; use host/host.ts or host/operations/`),
      );
    expect(wrong).toEqual([]);
  });

  test('the console runs in a browser: it takes only types from the host, and values from the pure model', () => {
    const wrong = sources
      .filter((it) => it.folder === 'console')
      .flatMap(({ path, imports }) =>
        imports
          .filter(
            ({ target, typeOnly }) =>
              target.startsWith('node:') || (/^(host|serve)\//.test(target) && !typeOnly),
          )
          .map((it) => `${path} imports ${it.target}; import only types`),
      );
    expect(wrong).toEqual([]);
  });

  test('a page of the console never imports another, except what the inbox keeps up to date', () => {
    const wrong = sources.flatMap(({ path, imports }) => {
      const own = /^console\/pages\/([a-z]+)\//.exec(path)?.[1];
      if (own === undefined) return [];
      return imports
        .filter(
          ({ target }) =>
            /^console\/pages\/[a-z]+\//.test(target) &&
            !target.startsWith(`console/pages/${own}/`) &&
            target !== 'console/pages/inbox/inbox.ts',
        )
        .map((it) => `${path} imports ${it.target}`);
    });
    expect(wrong).toEqual([]);
  });

  test('there is one composition root', () => {
    const wrong = sources
      .filter((it) => !roots.includes(it.path) && it.imports.some((to) => to.target === 'host/create.ts'))
      .map((it) => it.path);
    expect(wrong).toEqual([]);
  });

  test('contain no cycle, not even of types', () => {
    expect(cycles(sources.map(({ path, imports }) => [path, imports.map((it) => it.target)]))).toEqual([]);
  });

  test('go down between the rooms of the host', () => {
    // A room may import the rooms before it, and the small root of types and setup.
    const rooms = ['operator', 'packages', 'sandboxing', 'call', 'upstream', 'catalog', 'lifecycle'];
    const root = [
      'host.ts',
      'session-setup.ts',
      'session-options.ts',
      'session-policy.ts',
      'session-waivers.ts',
      'options.ts',
      'queue.ts',
    ];
    const wrong = sources.flatMap(({ path, imports }) => {
      const room = rooms.indexOf(/^host\/([a-z]+)\//.exec(path)?.[1] ?? '');
      if (room === -1) return [];
      return imports.flatMap(({ target }) => {
        const to = /^host\/(?:([a-z]+)\/)?([a-z-]+\.ts)$/.exec(target);
        if (to === null) return [];
        const isAllowed = to[1] === undefined ? root.includes(to[2] as string) : rooms.indexOf(to[1]) <= room;
        return isAllowed && to[1] !== 'operations' && to[1] !== 'doctor' ? [] : [`${path} imports ${target}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  test('a format never imports another', () => {
    const wrong = sources.flatMap(({ path, imports }) => {
      const own = /^formats\/([a-z]+)\//.exec(path)?.[1];
      if (own === undefined || shared.includes(own)) return [];
      return imports
        .filter(
          ({ target }) =>
            /^formats\/([a-z]+)\//.test(target) &&
            !target.startsWith(`formats/${own}/`) &&
            !shared.some((it) => target.startsWith(`formats/${it}/`)),
        )
        .map((it) => `${path} imports ${it.target}`);
    });
    expect(wrong).toEqual([]);
  });

  test('pure folders know no platform', () => {
    const wrong = sources
      .filter((it) => pure.includes(it.folder))
      .flatMap(({ path, imports }) =>
        imports
          .filter((it) => it.target.startsWith('node:'))
          .map((it) => `${path} imports ${it.target}; pass it in`),
      );
    expect(wrong).toEqual([]);
  });

  test('processes are started in the sandbox folder only', () => {
    const allowed = (path: string) => path.startsWith('sandbox/') || path === 'serve/socket/start-host.ts';
    expect(importers('node:child_process').filter((it) => !allowed(it))).toEqual([]);
  });

  test('sockets are opened in net, sandbox, run and serve only', () => {
    const modules = [
      'node:net',
      'node:http',
      'node:https',
      'node:tls',
      'node:dgram',
      'node:dns',
      'node:dns/promises',
      'node:http2',
      'undici',
    ];
    const wrong = modules.flatMap(importers).filter((it) => !/^(net|sandbox|run|serve)\//.test(it));
    expect(wrong).toEqual([]);
  });
});

describe('databases', () => {
  const dialects = /^store\/(?:sqlite|postgres)\//;
  /** Scripts for all databases. */
  const scripts = /^store\/(?:migrations|installation-migrations|[a-z-]+-tables)\.ts$/;
  /** Databases of their own, which are not the store. */
  const registry =
    /^registry\/(?:listing\/(?:sqlite|postgres)-listing|client\/(?:package-search|registry-store))\.ts$/;
  const others = sources.filter(
    ({ path }) => !dialects.test(path) && !scripts.test(path) && !registry.test(path),
  );

  test('are spoken to in their own language by the dialects only', () => {
    const statement =
      /['"`]\s*(?:select\s[^'"`]*\sfrom|insert\s+(?:or \w+ )?into|update\s+\w+\s+set|delete\s+from|(?:create|drop|alter)\s+(?:table|index)|pragma\s+\w|with\s+\w+\s+as\s*\()\b/i;
    const words = /\b(?:sqlite_master|json_extract|instr\(|pg_\w+|wal_checkpoint)/;
    const wrong = others.flatMap(({ path, text }) => {
      const code = codeOf(text);
      const found = statement.exec(code) ?? words.exec(code);
      return found === null ? [] : [`${path} contains SQL: ${found[0].trim()}`];
    });
    expect(wrong).toEqual([]);
  });

  test('are opened, and queried without Kysely, by the dialects only', () => {
    const wrong = others.flatMap(({ path, text, imports }) => [
      ...imports.filter((it) => it.target === 'pg').map(() => `${path} imports pg`),
      ...[...codeOf(text).matchAll(/import (?!type)[^;]*\b(sql|CompiledQuery)\b[^;]*from 'kysely'/g)].map(
        (it) => `${path} imports ${it[1]} of Kysely`,
      ),
      ...[...codeOf(text).matchAll(/\bopenSqlite\(|\.withConnection\(|\.withDelayedSync\(/g)].map(
        (it) => `${path} uses ${it[0]}`,
      ),
    ]);
    expect(wrong).toEqual([]);
  });
});

describe('effects', () => {
  test('exit, console, environment and the clock are used at the edges only', () => {
    // The last two are texts of scripts that are a process of their own inside the sandbox.
    const edges =
      /^(main\.ts|publishing\.ts|serve\/cli\/|console\/|sandbox\/relay\/relay-code\.ts|run\/worker\/)/;
    const wrong = sources.flatMap(({ path, text }) => {
      if (edges.test(path)) return [];
      const used =
        codeOf(text).match(
          /\b(?:process\.exit\b(?!Code)|console\.|process\.env\b|Date\.now\(|Math\.random\()/g,
        ) ?? [];
      return used.map((it) => `${path} uses ${it}; take it as an argument`);
    });
    expect(wrong).toEqual([]);
  });
});

describe('JSON from outside', () => {
  /** Files that parse text which the host itself wrote, with what it is. All others use `model/json-bounds.ts`. */
  const ownText: Record<string, string> = {
    'console/pages/inbox/argument-editor.tsx': 'what a person writes; the host checks it',
    'console/shell/connection.ts': 'events of our own host',
    'console/shell/operations.ts': 'answers of our own host',
    'host/call/call-repeats.ts': 'arguments and answers that were sealed by the host',
    'environment/environment-store.ts': 'the lock in the state directory',
    'host/call/kept-arguments.ts': 'arguments that were sealed by the host',
    'host/operator/host-audit.ts': 'the audit log',
    'host/operator/label-sessions.ts': 'the database',
    'host/operator/taint-holds.ts': 'the database',
    'host/operator/waiver-gate.ts': 'the database',
    'host/operator/tool-sets.ts': 'the database',
    'host/packages/parse-cache.ts': 'the cache in the state directory',
    'host/policy-check.ts': 'a copy of a value',
    'host/upstream/announcement-difference.ts': 'a copy of a value',
    'model/lock-file.ts': 'a copy of a value',
    'store/package-entries.ts': 'the audit log',
    'host/doctor/unfinished-changes.ts': 'the audit log',
    'sandbox/probe-memory.ts': 'a file that the host wrote',
    'model/json-bounds.ts': 'the function that checks the limits first',
    'model/json.ts': 'the function for stored text',
    'policy/review/package-text.ts': 'stored with an agreement',
    'policy/review/request.ts': 'stored with an agreement',
    'policy/rules/waiving-rule.ts': 'a copy of a value',
    'secrets/audience.ts': 'the vault',
    'secrets/key-storage.ts': 'the state directory',
    'secrets/sign-in-record.ts': 'the vault',
    'serve/cli/commands/audit-call.ts': 'the audit log',
    'serve/cli/commands/audit-list.ts': 'the audit log',
    'serve/cli/commands/audit.ts': 'the audit log',
    'serve/clients/outcome.ts': 'a copy of a value',
    'serve/imports/import-backup.ts': 'a private file of our own',
    'serve/mcp/state-signer.ts': 'signed by the host',
    'serve/mcp/tasks/task-view.ts': 'the database',
    'serve/socket/connect.ts': 'the first line of our own host, limited in size',
    'serve/socket/socket-host.ts': 'answers of our own host',
    'store/call-history.ts': 'the audit log',
    'store/narrowings.ts': 'the database',
    'store/agreements.ts': 'the database',
    'store/approval-row.ts': 'the database',
    'store/broken-when-named.ts': 'the database',
    'store/change-journal.ts': 'the database',
    'store/installations.ts': 'the database',
    'store/audit-check.ts': 'the audit log',
    'store/audit-entries.ts': 'the audit log',
    'store/call-table.ts': 'the audit log',
    'host/operator/activity-operations.ts': 'the audit log',
    'store/moved-files.ts': 'the database',
    'store/notice-log.ts': 'the audit log',
    'store/standing-rules.ts': 'the database',
    'store/stored-audit-log.ts': 'the audit log',
    'store/sqlite/audit-search.ts': 'the audit log',
    'store/postgres/postgres-audit.ts': 'the audit log',
  };

  test('is parsed only after a check of its depth, values and size', () => {
    // Templates contain the code of starter packages and of programs inside the sandbox.
    const users = sources
      .filter(({ text }) => /\bJSON\.parse\(|\btryParseStored\(/.test(codeOf(text).replace(/`[^`]*`/g, '')))
      .map((it) => it.path);
    expect(users.filter((it) => !(it in ownText))).toEqual([]);
    expect(Object.keys(ownText).filter((it) => !users.includes(it))).toEqual([]);
  });
});

describe('files', () => {
  test('have kebab-case names of one noun', () => {
    const banned = /(^|[-/])(utils?|helpers?|common|misc|managers?)([-./]|$)/;
    const wrong = sources.map((it) => it.path).filter((it) => banned.test(it) || !/^[a-z0-9./-]+$/.test(it));
    expect(wrong).toEqual([]);
  });

  /** Longer than 300 lines, with the reason. */
  const long: Record<string, string> = {
    'formats/python/expression.ts':
      'one recursive grammar: every part of an expression can contain every other',
    'index.ts': 'the list of everything that the library exports',
    'host/host.ts': 'the whole interface of the host, and every type that surfaces use',
    'run/rpc/rpc-peer.ts': 'one peer with both directions of the protocol',
    'formats/check.ts': 'one exhaustive translation of schema complaints',
    'host/upstream/package-upstreams.ts': 'one class: everything that a session does with its programs',
    'policy/review/widening.ts': 'one comparison of everything that a package can request',
  };

  test('stay short', () => {
    const wrong = sources
      .filter((it) => it.text.split('\n').length > 300 && !(it.path in long))
      .map((it) => it.path);
    expect(wrong).toEqual([]);
    const stale = Object.keys(long).filter(
      (path) => !sources.some((it) => it.path === path && it.text.split('\n').length > 300),
    );
    expect(stale).toEqual([]);
  });

  test('load modules of Node at once', () => {
    // The built command is a script that was compiled ahead, and such a script cannot import them later.
    const wrong = sources
      .filter(({ text }) => /\bimport\(\s*['"]node:/.test(codeOf(text)))
      .map((it) => `${it.path} imports a module of Node later; put it into a file that is loaded later`);
    expect(wrong).toEqual([]);
  });

  test('export by name, one by one', () => {
    const patterns: readonly (readonly [RegExp, string])[] = [
      [/^export \* from/m, 'export *'],
      [/^export default/m, 'a default export'],
      [/^(export )?(const )?enum /m, 'an enum'],
      [/: any\b|<any>|as any\b/, 'any'],
    ];
    const wrong = sources.flatMap(({ path, text }) =>
      patterns
        .filter(([pattern]) => pattern.test(withoutTexts(codeOf(text))))
        .map(([, what]) => `${path} has ${what}`),
    );
    expect(wrong).toEqual([]);
  });

  test('formats have the same file names', () => {
    const folders = new Set(sources.flatMap((it) => /^formats\/([a-z]+)\//.exec(it.path)?.[1] ?? []));
    for (const it of shared) folders.delete(it);
    for (const folder of folders) {
      const names = sources.map((it) => it.path);
      for (const name of [
        'claim.ts',
        'codes.ts',
        'descriptor.ts',
        'format.ts',
        'rules.ts',
        'lower.ts',
        'starter.ts',
      ])
        expect(names).toContain(`formats/${folder}/${name}`);
    }
  });
});

/** Groups of files that import each other. */
function cycles(graph: readonly (readonly [file: string, imports: readonly string[]])[]): string[] {
  const edges = new Map(graph);
  const done = new Set<string>();
  const found: string[] = [];
  const follow = (file: string, trail: readonly string[]): void => {
    const from = trail.indexOf(file);
    if (from !== -1) found.push([...trail.slice(from), file].join(' → '));
    if (from !== -1 || done.has(file)) return;
    for (const next of edges.get(file) ?? []) follow(next, [...trail, file]);
    done.add(file);
  };
  for (const file of edges.keys()) follow(file, []);
  return found;
}

test('the search for cycles finds them', () => {
  const graph = [
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a']],
    ['d', []],
  ] as const;
  expect(cycles(graph)).toEqual(['a → b → c → a']);
});

function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

/** Without the content of string literals. */
function withoutTexts(code: string): string {
  return code.replace(/'[^'\n]*'|`[^`]*`/g, "''");
}

function importers(module: string): string[] {
  return sources.filter((it) => it.imports.some((to) => to.target === module)).map((it) => it.path);
}

function isPackage(target: string): boolean {
  return !/\.(tsx?|json)$/.test(target);
}

/** Targets are paths below src/, or the names of packages. */
function importsOf(path: string, text: string): Import[] {
  const found: Import[] = [];
  for (const match of text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(type\s+)?[^;'"]*?from\s+'([^']+)'|import\('([^']+)'\)|(?:^|\n)import\s+'([^']+)'/g,
  )) {
    const specifier = (match[2] ?? match[3] ?? match[4]) as string;
    const target = specifier.startsWith('.')
      ? sourceOf(relative('.', normalize(join(dirname(path), specifier))))
      : specifier;
    found.push({ target, typeOnly: match[1] !== undefined });
  }
  return found;
}

/** The path of a source file by the name that imports use. */
function sourceOf(target: string): string {
  const path = target.replace(/\.js$/, '.ts');
  return path.startsWith('console/') && !existsSync(join(src, path)) ? `${path}x` : path;
}

function listFiles(folder: string, prefix = ''): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((it) => {
    const path = `${prefix}${it.name}`;
    return it.isDirectory()
      ? listFiles(join(folder, it.name), `${path}/`)
      : /\.tsx?$/.test(path)
        ? [path]
        : [];
  });
}
