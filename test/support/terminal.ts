// A fake terminal that keeps the printed text, for tests of commands without starting the program.
import { readFileSync, statSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { builtInFormats } from '../../src/formats/built-in-formats.js';
import type { Host } from '../../src/host/host.js';
import type { Terminal } from '../../src/serve/cli/terminal/terminal.js';

export interface TestTerminal extends Terminal {
  readonly printed: { out: string; err: string };
}

export interface TestTerminalOptions {
  readonly cwd: string;
  readonly environment?: Record<string, string>;
  readonly columns?: number;
  readonly host?: Partial<Host>;
  readonly examine?: Terminal['examine'];
  /** The answer of the person at the terminal; absent: there is no person. */
  readonly answer?: boolean;
}

export function testTerminal(options: TestTerminalOptions): TestTerminal {
  const printed = { out: '', err: '' };
  const present = options.answer !== undefined;
  return {
    printed,
    version: '0.0.0',
    cwd: options.cwd,
    environment: { HOME: options.cwd, TOOLWHARF_COMMAND: 'toolwharf', ...options.environment },
    principal: 'test/cli',
    main: '',
    stdoutIsTerminal: false,
    stdinIsTerminal: present,
    stderrIsTerminal: false,
    columns: options.columns ?? 100,
    signal: new AbortController().signal,
    onInterrupt: () => () => {},
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
    readStdin: async () => '',
    readSecret: async () => '',
    confirm: async (question) => {
      printed.err += `${question}\n`;
      return options.answer ?? false;
    },
    ask: async () => '',
    openBrowser: async () => false,
    readFile: (path) => {
      try {
        return statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined;
      } catch {
        return undefined;
      }
    },
    writeFile: () => {},
    isFolder: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
    resource: (path) => path,
    findPython: async () => undefined,
    loadFormats: async () => builtInFormats,
    openHost: async () => ({ close: async () => {}, ...options.host }) as Host,
    examine: options.examine ?? (async () => []),
    checkContribution: () => Promise.reject(new Error('no checks here')),
    connectTextModel: async () => undefined,
    publishAtServer: () => Promise.reject(new Error('no registry here')),
    yankAtServer: () => Promise.reject(new Error('no registry here')),
    renewAtServer: () => Promise.reject(new Error('no registry here')),
    sendToServer: () => Promise.reject(new Error('no registry here')),
    publicationChanges: () => Promise.reject(new Error('no registry here')),
    mirrorConfigured: () => Promise.reject(new Error('no registry here')),
    searchRegistries: () => Promise.reject(new Error('no registry here')),
    registryPackageFacts: () => Promise.reject(new Error('no registry here')),
    registryKeychain: async () => null,
    openReviewQueue: () => Promise.reject(new Error('no registry here')),
    readDocument: async () => {
      throw new Error('no command here reads a document');
    },
    openPinReset: () => Promise.reject(new Error('no state here')),
    openStoreCopy: () => Promise.reject(new Error('no state here')),
    openAuditLog: () => Promise.reject(new Error('no audit log here')),
    verifyExport: () => Promise.reject(new Error('no audit log here')),
    startHost: async () => {
      throw new Error('no command here starts a host');
    },
  };
}
