import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noGuardrails } from '../../model/guardrails.js';
import type { Package } from '../../model/package.js';
import type { Program } from '../../model/program.js';
import type { Slot } from '../../model/slot.js';
import { textTemplate } from '../../model/template.js';
import type { Tool } from '../../model/tool.js';
import {
  nothingRequested,
  type PackageRequest,
  parseRequest,
  requestOf,
  serializeRequest,
} from './request.js';
import { requestedPermissions, widening } from './widening.js';

const program: Program = {
  name: 'main',
  role: 'tool',
  lifetime: 'call',
  protocol: 'argv',
  target: {
    kind: 'process',
    command: [textTemplate('main.py')],
    runtime: { language: 'python', version: '3.12', packages: ['b==1', 'a==1'] },
    directory: '',
    environment: [{ name: 'LANG', value: textTemplate('C') }],
  },
  callerContext: false,
};
const tool: Tool = {
  name: 'send',
  description: 'Sends.',
  input: {},
  annotations: {},
  effect: 'read',
  effectDeclared: true,
  idempotent: false,
  untrustedInputs: [],
  approval: 'human',
  examples: [],
  action: {
    kind: 'exec',
    program: 'main',
    arguments: [],
    stdin: 'json',
    output: { format: 'json', errorEnvelope: false },
  },
};
const slot: Slot = {
  name: 'KEY',
  label: 'API key',
  secret: true,
  required: true,
  type: 'text',
  source: { kind: 'operator' },
  delivery: { kind: 'environment', variable: 'KEY' },
  audience: { kind: 'hosts', hosts: ['api.example.com'] },
};
const base: Package = {
  format: 'patch',
  id: 'mail',
  version: '1.0.0',
  name: 'Mail',
  description: 'Mail.',
  programs: [program],
  tools: [tool],
  prompts: [],
  hooks: [],
  needs: { binaries: [] },
  slots: [slot],
  permissions: {
    origin: 'declared',
    network: { kind: 'hosts', hosts: [{ host: 'API.example.com.', port: null }] },
    filesystem: 'none',
    stateDirectory: false,
    scopes: [{ resource: 'mail', verbs: ['read'], rationale: 'To read it.' }],
  },
  guardrails: { ...noGuardrails, input: { maxLength: 100, denyPatterns: ['x'], redact: ['email'] } },
  install: { kind: 'bundled' },
  announcesTools: false,
  targets: [],
  facts: [],
};

function changed(after: Partial<Package>, before: Partial<Package> = {}) {
  return widening(requestOf({ ...base, ...before }), requestOf({ ...base, ...after }));
}

function process(change: object): readonly Program[] {
  return [{ ...program, target: { ...program.target, ...change } as Program['target'] }];
}

function permissions(change: Partial<Package['permissions']>): Partial<Package> {
  return { permissions: { ...base.permissions, ...change } };
}

const template = (...parts: Parameters<typeof Array.of>) => ({ parts }) as never;
const hosts = (...names: string[]) =>
  permissions({ network: { kind: 'hosts', hosts: names.map((host) => ({ host, port: null })) } });

const wider: readonly (readonly [string, Partial<Package>, string])[] = [
  ['a host', hosts('api.example.com', 'evil.example'), 'it may reach evil.example'],
  [
    'a port',
    permissions({ network: { kind: 'hosts', hosts: [{ host: 'api.example.com', port: 22 }] } }),
    'it may reach api.example.com:22',
  ],
  ['all hosts', permissions({ network: { kind: 'public' } }), 'it may reach any public host'],
  ['reading', permissions({ filesystem: 'read-only' }), 'it may read files of the workspace'],
  ['writing', permissions({ filesystem: 'read-write' }), 'it may change files of the workspace'],
  ['a folder', permissions({ stateDirectory: true }), 'it stores its own files between calls'],
  [
    'a scope',
    permissions({ scopes: [{ resource: 'mail', verbs: ['read', 'send'], rationale: '' }] }),
    'it wants to act on your behalf: send mail',
  ],
  [
    'a slot',
    { slots: [slot, { ...slot, name: 'PIN', label: 'PIN', audience: { kind: 'unbound' } }] },
    'it asks for the secret PIN, whose recipients you choose when you set it',
  ],
  [
    'an audience',
    { slots: [{ ...slot, audience: { kind: 'hosts', hosts: ['evil.example', 'api.example.com'] } }] },
    'KEY may go to evil.example',
  ],
  [
    'a secret that becomes a setting',
    { slots: [{ ...slot, secret: false }] },
    'KEY is no longer treated as a secret',
  ],
  [
    'a delivery',
    { slots: [{ ...slot, delivery: { kind: 'context' } }] },
    'KEY is passed in the call (was: the variable KEY)',
  ],
  [
    'a command',
    { programs: process({ command: [textTemplate('other.py'), textTemplate('a b')] }) },
    'it runs another command: python 3.12: other.py "a b" (was: python 3.12: main.py)',
  ],
  [
    'a placeholder',
    { programs: process({ command: [template({ kind: 'slot', slot: 'KEY' })] }) },
    'it runs another command: python 3.12: <slot KEY> (was: python 3.12: main.py)',
  ],
  [
    'a variable',
    { programs: process({ environment: [{ name: 'LANG', value: textTemplate('D') }] }) },
    'it sets LANG=D for main',
  ],
  [
    'a requirement',
    {
      programs: process({
        runtime: { language: 'python', version: '3.12', packages: ['a==1', 'b==1', 'c==1'] },
      }),
    },
    'it installs c==1 for main',
  ],
  ['a workspace', { programs: process({ inWorkspace: true }) }, 'main works in the workspace'],
  [
    'a caller',
    { programs: [{ ...program, callerContext: true }] },
    'main receives the identity of the caller',
  ],
  ['a program', { programs: [program, { ...program, name: 'more' }] }, 'it runs more: python 3.12: main.py'],
  [
    'a tool',
    { tools: [tool, { ...tool, name: 'drop', approval: 'none', effect: 'write' }] },
    'it has the tool drop, which can change things and runs main',
  ],
  ['an effect', { tools: [{ ...tool, effect: 'write' }] }, 'its tool send can change things now (was: read)'],
  ['no approval', { tools: [{ ...tool, approval: 'none' }] }, 'a person is no longer asked before send'],
  [
    'untrusted text',
    { tools: [{ ...tool, untrustedInputs: ['body'] }] },
    'send accepts untrusted text in body',
  ],
  [
    'arguments',
    {
      tools: [{ ...tool, action: { ...tool.action, arguments: [textTemplate('--all')] } as Tool['action'] }],
    },
    'its tool send runs main --all (was: runs main)',
  ],
  [
    'another tool',
    { tools: [{ ...tool, action: { kind: 'compose', package: 'bank', tool: 'pay' } }] },
    'its tool send calls bank/pay (was: runs main)',
  ],
  ['an id', { id: 'bank' }, 'it is now called bank (was: mail)'],
  [
    'a source',
    { install: { kind: 'pip', package: 'x', version: '1' } },
    'its files come from another source: pip x 1',
  ],
  [
    'a hook',
    { hooks: [{ point: 'before_message', program: 'main', priority: 0 }] },
    'it adds the hook before_message by main',
  ],
  ['later tools', { announcesTools: true }, 'it announces tools while it runs'],
  ['a page', { interface: 'ui/index.html' }, 'it adds a page to the console: ui/index.html'],
  ['a kill switch', { killSwitch: { kind: 'program', program: 'main' } }, 'revoking its access runs main'],
  [
    'a check',
    {
      smoke: {
        check: { kind: 'tool', tool: 'send', arguments: { a: 1 } },
        timeoutSeconds: 1,
        success: { pointers: [], noErrorField: false },
      },
    },
    'its check after installation calls send with {"a":1}',
  ],
  ['no guardrail', { guardrails: noGuardrails }, 'input that matches x is no longer rejected'],
  [
    'a longer input',
    { guardrails: { ...base.guardrails, input: { ...base.guardrails.input, maxLength: 200 } } },
    'the maximum input length is now 200 (was: 100)',
  ],
];

test.each(wider)('%s widens, and taking it back narrows', (_name, change, sentence) => {
  expect(changed(change).widened).toContain(sentence);
  const back = widening(requestOf({ ...base, ...change }), requestOf(base));
  expect([...back.widened, ...back.narrowed]).not.toEqual([]);
});

test('exactly the changed permissions are reported', () => {
  expect(changed(hosts('api.example.com', 'b.example'))).toEqual({
    widened: ['it may reach b.example'],
    narrowed: [],
  });
  expect(changed(hosts())).toEqual({ widened: [], narrowed: ['it may no longer reach api.example.com'] });
  expect(changed({}, permissions({ network: { kind: 'public' } }))).toEqual({
    widened: [],
    narrowed: ['it may no longer reach every public host'],
  });
  expect(changed({ tools: [] })).toEqual({ widened: [], narrowed: ['its tool send is gone'] });
  expect(changed({ slots: [] })).toEqual({ widened: [], narrowed: ['it no longer asks for KEY'] });
  expect(changed({}, { tools: [{ ...tool, effect: 'write' }] })).toEqual({
    widened: [],
    narrowed: ['its tool send reads your data now (was: write)'],
  });
});

test('a destructive tool that becomes read-only is reported, because nobody is asked any more', () => {
  const before = { tools: [{ ...tool, approval: 'none', effect: 'destructive' } as Tool] };
  const after = { tools: [{ ...tool, approval: 'none', effect: 'read' } as Tool] };
  expect(changed(after, before).widened).toEqual(['a person is no longer asked before send']);
});

test('changes of text, schemas and order do not widen', () => {
  const same: Partial<Package> = {
    version: '2.0.0',
    name: 'New',
    description: 'New.',
    tools: [
      { ...tool, description: 'New.', input: { type: 'object' }, output: {}, annotations: { title: 'x' } },
    ],
    slots: [{ ...slot, label: 'Other words' }],
    programs: process({ runtime: { language: 'python', version: '3.12', packages: ['a==1', 'b==1'] } }),
    facts: [{ label: 'author', value: 'x' }],
  };
  expect(changed(same)).toEqual({ widened: [], narrowed: [] });
  const two = { tools: [tool, { ...tool, name: 'b' }], slots: [slot, { ...slot, name: 'B' }] };
  const reordered = { tools: [...two.tools].reverse(), slots: [...two.slots].reverse() };
  expect(changed(reordered, two)).toEqual({ widened: [], narrowed: [] });
  expect(serializeRequest(requestOf({ ...base, ...reordered }))).toBe(
    serializeRequest(requestOf({ ...base, ...two })),
  );
});

test('text cannot look like a placeholder or like two arguments', () => {
  const commandTextOf = (command: readonly unknown[]) =>
    requestOf({ ...base, programs: process({ command }) }).programs[0]?.command;
  const commands = [
    [textTemplate('<slot KEY>')],
    [template({ kind: 'slot', slot: 'KEY' })],
    [textTemplate('a b')],
    [textTemplate('a'), textTemplate('b')],
    [textTemplate('a"b')],
    [textTemplate('')],
    [],
    [template({ kind: 'input', path: ['a', 'b'] })],
    [template({ kind: 'input', path: ['a b'] })],
    [template({ kind: 'input', path: ['a.b'] })],
  ];
  expect(new Set(commands.map(commandTextOf)).size).toBe(commands.length);
});

describe('a stored request', () => {
  test('is read back unchanged', () => {
    expect(parseRequest(serializeRequest(requestOf(base)))).toEqual(requestOf(base));
    expect(
      widening(parseRequest(serializeRequest(requestOf(base))) as PackageRequest, requestOf(base)),
    ).toEqual({
      widened: [],
      narrowed: [],
    });
  });

  test.each(['', 'null', '{}', '[]', '{"form":2}', serializeRequest({ ...nothingRequested, form: 2 as 1 })])(
    'is not accepted when invalid: %s',
    (text) => {
      expect(parseRequest(text)).toBeUndefined();
    },
  );

  test('is not accepted with missing or unknown members', () => {
    const { hooks: _gone, ...less } = requestOf(base);
    expect(parseRequest(serializeRequest(less as PackageRequest))).toBeUndefined();
    expect(parseRequest(serializeRequest({ ...requestOf(base), more: 1 } as PackageRequest))).toBeUndefined();
  });
});

test('a new package shows everything it asks for', () => {
  expect(requestedPermissions(requestOf(base))).toEqual([
    'it is a new package: mail',
    'it may reach api.example.com',
    'it wants to act on your behalf: read mail',
    'it asks for the secret KEY (API key), which may go to api.example.com',
    'it runs main: python 3.12: main.py',
    'it installs a==1 for main',
    'it installs b==1 for main',
    'it sets LANG=C for main',
    'it has the tool send, which reads your data and runs main; a person is asked before each call',
  ]);
});

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 4 });
const text = fc.constantFrom('', 'x', 'y', 'z');
const flag = fc.boolean();
const number = fc.option(fc.integer({ min: 1, max: 5 }));
const sortedNames = names.map((it) => [...it].sort());
const named = <T extends { name: string }>(item: fc.Arbitrary<T>) =>
  fc
    .uniqueArray(item, { selector: (it) => it.name, maxLength: 3 })
    .map((it) => it.sort((a, b) => (a.name < b.name ? -1 : 1)));
const name = fc.constantFrom('p', 'q', 'r');
const request: fc.Arbitrary<PackageRequest> = fc.record({
  form: fc.constant(1 as const),
  id: fc.constant('mail'),
  network: fc.oneof(
    fc.record({ kind: fc.constant('hosts' as const), hosts: sortedNames }),
    fc.constant({ kind: 'public' as const, hosts: [] }),
    fc.constant({ kind: 'none' as const, hosts: [] }),
  ),
  filesystem: fc.constantFrom('none' as const, 'read-only' as const, 'read-write' as const),
  folders: sortedNames,
  stateDirectory: flag,
  slots: named(
    fc.record({
      name,
      label: text,
      secret: flag,
      audience: fc.constantFrom('hosts' as const, 'unbound' as const, 'public' as const),
      hosts: sortedNames,
      delivery: text,
      source: text,
      sourceScopes: sortedNames,
      default: fc.constant(''),
    }),
  ),
  programs: named(
    fc.record({
      name,
      command: text,
      runtime: text,
      packages: sortedNames,
      environment: sortedNames,
      inWorkspace: flag,
      callerContext: flag,
    }),
  ),
  tools: named(
    fc.record({
      name,
      effect: fc.constantFrom('none' as const, 'read' as const, 'write' as const, 'destructive' as const),
      asked: flag,
      action: text,
      idempotent: flag,
      untrustedInputs: sortedNames,
      scopes: fc.option(sortedNames),
      access: text,
      maxAmount: number,
      burst: number,
      rate: number,
    }),
  ),
  install: text,
  smoke: text,
  killSwitch: text,
  hooks: sortedNames,
  scopes: sortedNames,
  announces: flag,
  interface: text,
  maxLength: number,
  denyPatterns: sortedNames,
  redact: sortedNames,
});

describe('for any request', () => {
  test('an equal request is not a change', () => {
    fc.assert(
      fc.property(request, (it) => {
        expect(widening(it, it)).toEqual({ widened: [], narrowed: [] });
      }),
    );
  });

  test('every difference except labels is reported', () => {
    const unlabeled = (it: PackageRequest) =>
      serializeRequest({ ...it, slots: it.slots.map((slot) => ({ ...slot, label: '' })) });
    fc.assert(
      fc.property(request, request, (before, after) => {
        const { widened, narrowed } = widening(before, after);
        if (unlabeled(before) !== unlabeled(after))
          expect(widened.length + narrowed.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  /** A request, and the same one with some parts left out. */
  const less = fc.tuple(request, fc.array(flag, { minLength: 64, maxLength: 64 })).map(([whole, keeps]) => {
    let at = 0;
    const some = <T>(items: readonly T[]): T[] => items.filter(() => keeps[at++ % keeps.length]);
    const { network } = whole;
    const part: PackageRequest = {
      ...whole,
      network: { kind: network.kind, hosts: some(network.hosts) },
      filesystem: keeps[at++] ? whole.filesystem : 'none',
      stateDirectory: keeps[at++] ? whole.stateDirectory : false,
      slots: some(whole.slots).map((it) => ({ ...it, hosts: some(it.hosts) })),
      programs: some(whole.programs).map((it) => ({
        ...it,
        packages: some(it.packages),
        environment: some(it.environment),
      })),
      tools: some(whole.tools).map((it) => ({
        ...it,
        effect: keeps[at++] ? it.effect : 'none',
        asked: it.asked,
      })),
      hooks: some(whole.hooks),
      scopes: some(whole.scopes),
    };
    return { whole, part };
  });

  test('leaving something out only narrows', () => {
    fc.assert(
      fc.property(less, ({ whole, part }) => {
        expect(widening(whole, part).widened).toEqual([]);
      }),
    );
  });

  test('everything that is added is reported', () => {
    fc.assert(
      fc.property(less, ({ whole, part }) => {
        const { widened } = widening(part, whole);
        const text = widened.join('\n');
        for (const it of whole.network.hosts)
          if (!part.network.hosts.includes(it)) expect(text).toContain(`it may reach ${it}`);
        for (const it of whole.slots)
          if (!part.slots.some((old) => old.name === it.name))
            expect(text).toMatch(new RegExp(`it asks for (the secret )?${it.name}\\b`));
        for (const it of whole.programs)
          if (!part.programs.some((old) => old.name === it.name))
            expect(text).toContain(`it runs ${it.name}: `);
        for (const it of whole.tools) {
          const old = part.tools.find((other) => other.name === it.name);
          if (old === undefined) expect(text).toContain(`it has the tool ${it.name},`);
          else if (old.effect !== it.effect) expect(text).toContain(`its tool ${it.name} `);
        }
        for (const it of whole.scopes)
          if (!part.scopes.includes(it)) expect(text).toContain(`act on your behalf: ${it}`);
        if (whole.filesystem !== part.filesystem) expect(text).toContain('files of the workspace');
      }),
    );
  });
});

test('repeating counts where something changes, and nowhere else', () => {
  const sends = { ...tool, effect: 'write' as const };
  const ask = (it: Tool) => requestOf({ ...base, tools: [it] });
  const { widened } = widening(ask(sends), ask({ ...sends, idempotent: true }));
  expect(widened).toEqual(['a failed call of send may be repeated']);
  expect(widening(ask(tool), ask({ ...tool, idempotent: true })).widened).toEqual([]);
});
