// A host with temporary packages, and short ways to write those packages.
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { waiversOf } from '../../src/host/session-waivers.js';
import {
  type Answer,
  createHost,
  type Host,
  type HostOptions,
  type JsonObject,
  type Rule,
  type Session,
  type SessionOptions,
} from '../../src/index.js';
import { AcceptedWaivers } from '../../src/store/accepted-waivers.js';
import { openDatabase } from '../../src/store/sqlite/sqlite-database.js';
import { temporaryFolder } from './toolwharf.js';

export type Files = Readonly<Record<string, string>>;

export interface Workbench {
  /** Folder of all files of the test; removed at the end. */
  readonly path: string;
  /** Folder with the packages. */
  readonly packages: string;
  /** A workspace that processes in the sandbox may change. */
  readonly root: string;
  readonly host: Host;
  /** Internal errors of the host. */
  readonly bugs: unknown[];
  session(options?: Partial<SessionOptions>): Promise<Session>;
  /** Creates or changes files of packages. */
  write(files: Files): void;
  close(): Promise<void>;
}

/** Says that undeclared effects are known to the operator. Without it the host asks before such calls. */
export const knownEffects: Rule = { tool: '*', undeclaredEffect: 'write', origin: { kind: 'session' } };

export interface WorkbenchOptions extends Partial<HostOptions> {
  /** Grants of sessions that stay in force when the test sets a PIN, as if the operator had accepted them with it. */
  readonly acceptedGrants?: readonly string[];
  /**
   * False: sessions have no `knownEffects`, and hold calls for what they have seen as by default. Default: true; nobody has said
   * what the inputs of a test's tools decide, so that most calls after the first one would be held.
   */
  readonly statesEffects?: boolean;
  /** Writes into the state directory before the host starts. */
  readonly prepare?: (state: string) => Promise<void>;
}

/** Starts a host whose packages are the given files. Its sessions know undeclared effects. */
export async function workbench(
  files: Files,
  { acceptedGrants = [], statesEffects = true, prepare, ...options }: WorkbenchOptions = {},
): Promise<Workbench> {
  const folder = temporaryFolder();
  const packages = join(folder.path, 'packages');
  const root = join(folder.path, 'workspace');
  for (const it of [packages, root]) mkdirSync(it);
  chmodSync(root, 0o777);
  const write = (given: Files) => {
    for (const [name, text] of Object.entries(given)) {
      mkdirSync(dirname(join(packages, name)), { recursive: true });
      writeFileSync(join(packages, name), text);
    }
  };
  write(files);
  await acceptGrants(join(folder.path, 'state'), acceptedGrants);
  await prepare?.(join(folder.path, 'state'));
  const bugs: unknown[] = [];
  const host = await createHost({
    state: join(folder.path, 'state'),
    onBug: (error) => bugs.push(error),
    ...options,
  });
  return {
    path: folder.path,
    packages,
    root,
    host,
    bugs,
    session: async (wanted = {}) => {
      const { rules = [], ...policy } = wanted.policy ?? {};
      const opened = await host.session({
        principal: 'agent',
        directories: [packages],
        root,
        // What one session of a test has seen does not count for the next one.
        ...(wanted.client === undefined ? { sessionName: randomUUID() } : {}),
        ...wanted,
        policy: statesEffects
          ? { ...policy, taint: { mode: 'observe', ...policy.taint }, rules: [...rules, knownEffects] }
          : { ...policy, rules },
      });
      const broken = (await opened.packages()).packages.filter((it) => it.state === 'broken');
      // Otherwise a test that uses them would fail for a reason that is hard to see.
      if (broken.length > 0) throw new Error(broken.flatMap((it) => [it.path, ...it.reasons]).join('\n'));
      return opened;
    },
    write,
    close: async () => {
      await host.close();
      folder.remove();
    },
  };
}

async function acceptGrants(state: string, allow: readonly string[]): Promise<void> {
  if (allow.length === 0) return;
  mkdirSync(state, { mode: 0o700 });
  const database = openDatabase(state);
  const rows = new AcceptedWaivers(database, Date.now);
  for (const waiver of waiversOf({ policy: {}, allow, root: '/' }))
    await rows.put(waiver, { by: 'operator', verified: true });
  await database.destroy();
}

/** Accepts the packages at a path, as a person does; starts none of their programs. */
export async function agreeTo(host: Pick<Host, 'session'>, path: string): Promise<void> {
  const accept = { in: [path], by: 'operator' };
  const session = await host.session({ directories: [path], intent: 'review', accept });
  await session.close();
}

/** The result of an answer; throws with the whole answer if there is none. */
export async function resultOf(answer: Answer | Promise<Answer>) {
  const given = await answer;
  if (given.status !== 'ok') throw new Error(`no result: ${JSON.stringify(given)}`);
  return given.result;
}

export interface Failed {
  readonly status: string;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** The error of an answer; throws with the whole answer if there is none. */
export async function failureOf(answer: Answer | Promise<Answer>): Promise<Failed> {
  const given = await answer;
  if (!('error' in given) || given.error === undefined)
    throw new Error(`no failure: ${JSON.stringify(given)}`);
  const { code, message, hint = '' } = given.error;
  return { status: given.status, code, message, hint };
}

export interface PythonOptions {
  readonly name: string;
  /** Lines of `main(text)`. */
  readonly body: readonly string[];
  /** Lines at the top of the module. */
  readonly head?: readonly string[];
  readonly network?: boolean;
  readonly filesystem?: 'none' | 'read-only' | 'read-write';
  readonly humanConfirm?: boolean;
  /** The schema of the output, as YAML on one line. */
  readonly output?: string;
}

/** A Patch tool with one optional text input. */
export function pythonTool({
  name,
  body,
  head = [],
  network = false,
  filesystem = 'none',
  humanConfirm = false,
  output = '{type: object}',
}: PythonOptions): string {
  return `# ---
# name: ${name}
# version: "1.0.0"
# description: Do something with a text.
# inputs:
#   - name: text
#     type: string
#     description: The text.
#     required: false
#     default: ""
# outputs: ${output}
# capabilities:
#   network: ${network}
#   filesystem: ${filesystem}
#   human_confirm: ${humanConfirm}
# runtime:
#   language: python
#   python_version: "3.11"
# ---
import json
import os
import sys

${head.join('\n')}


def main(text=""):
${body.map((line) => `    ${line}`).join('\n')}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
`;
}

export interface ToolspaceOptions {
  readonly id: string;
  /** Command of the program; absent for a service at an endpoint. */
  readonly command?: readonly string[];
  readonly endpoint?: string;
  readonly actions: readonly JsonObject[];
  readonly scopes?: readonly JsonObject[];
  readonly env?: readonly JsonObject[];
}

const noPage = 'https://example.com/tool';

export function toolspace({ id, command, endpoint, actions, scopes, env }: ToolspaceOptions): string {
  const install = { method: 'git', url: noPage, ref: '0'.repeat(40) };
  return JSON.stringify({
    manifest_version: '0.2',
    tool: { id, version: '1.0.0', name: id, summary: 'A tool of a test.', homepage: noPage, license: 'MIT' },
    runtime:
      command === undefined
        ? { kind: 'mcp-http', install, endpoint_url: endpoint }
        : { kind: 'shell-binary', install, entrypoint: { command } },
    ...(scopes === undefined ? {} : { scopes }),
    ...(env === undefined ? {} : { env }),
    actions: actions.map((it) => ({
      summary: 'Do one thing for a test.',
      side_effects: 'none',
      idempotent: true,
      ...it,
    })),
    smoke: { kind: 'shell', command: command ?? ['true'], success: { exit_code: 0 } },
    kill_switch: { kind: 'manual', instructions_url: noPage },
  });
}

/** An input schema with only the given properties; those without a default are required. */
export function inputOf(properties: Readonly<Record<string, JsonObject>>, required?: readonly string[]) {
  const needed = required ?? Object.keys(properties).filter((it) => !('default' in (properties[it] ?? {})));
  return { type: 'object', properties, required: needed, additionalProperties: false };
}

/** A FindAgent manifest with the required fields and the given ones. */
export function findagent(name: string, rest: JsonObject): string {
  return JSON.stringify({
    name,
    description: 'An agent of a test.',
    system_prompt: 'You answer questions of a test with the tools that you have, and with nothing else.',
    example_prompts: ['What is there?'],
    kind: 'mcp-tool',
    ...rest,
  });
}

export interface TalosOptions {
  readonly id: string;
  readonly code: string;
  readonly functions: readonly string[];
  readonly file?: string;
  readonly rest?: JsonObject;
}

/** A Talos package in a folder with its name; every function accepts any input. */
export function talos({ id, code, functions, file = 'index.mjs', rest = {} }: TalosOptions): Files {
  const manifest = {
    id,
    name: id,
    description: 'Functions of a test.',
    version: '1.0.0',
    functions: functions.map((name) => ({
      name,
      description: 'Do one thing for a test.',
      parameters: { type: 'object', properties: {}, additionalProperties: true },
    })),
    ...rest,
  };
  return { [`${id}/manifest.json`]: JSON.stringify(manifest), [`${id}/${file}`]: code };
}

/** Replaces a folder with a new one at the same path, as a checkout or a build does. */
export function makeAnew(folder: string, file: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, file), '');
}
