import type { ParseOptions } from '../model/format.js';
import { HostError } from '../model/host-error.js';
import type { JsonSchema } from '../model/json.js';
import type { NetworkHost } from '../model/permissions.js';
import type { HttpClient } from '../net/client.js';
import { unenforceable } from '../policy/enforceable.js';
import type { Grant } from '../policy/grant.js';
import { runExec } from '../run/exec.js';
import { runHttp } from '../run/http.js';
import type { RunRequest, RunResult } from '../run/run.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { SchemaValidator } from '../schema/validator.js';
import { type Loaded, loadPackages } from './catalogue.js';
import type { ListedTool, PackageReport, PackageState, PackageStateName } from './host.js';
import { exposedNames } from './names.js';
import type { Queue } from './queue.js';
import { notReady, type Served } from './served.js';
import type { Stage } from './stage.js';

/** What a session's tools run with. */
export interface Machinery {
  readonly sandbox: Sandbox;
  readonly client: HttpClient;
  readonly stage: Stage;
  /** Bounds how many processes run at once. */
  readonly inTurn: Queue;
  /** Loaded on the first call: the schema engine costs more than all the rest of a start. */
  readonly schemas: () => Promise<SchemaEngine>;
}

export interface SchemaEngine {
  inputValidator(schema: JsonSchema): SchemaValidator;
  outputValidator(schema: JsonSchema): SchemaValidator;
}

/** The packages of one session with their state, and the tools it may call. */
export interface SessionCatalogue {
  readonly report: PackageReport;
  readonly tools: readonly ListedTool[];
  resolve(name: string): Served;
}

interface Entry {
  readonly loaded: Loaded;
  readonly state: PackageStateName;
  readonly reasons: readonly string[];
}

export async function openCatalogue(
  paths: readonly string[],
  cwd: string,
  grant: Grant,
  options: ParseOptions,
  machinery: Machinery,
): Promise<SessionCatalogue> {
  const { loaded, problems, scanned } = await loadPackages(paths, cwd, options);
  const verdict = await machinery.sandbox.probe();
  const seen = new Map<string, string>();
  const entries: Entry[] = loaded.map((it) => judge(it, seen));
  const listed = entries.flatMap((entry) =>
    (entry.loaded.catalogue?.package.tools ?? []).map((tool) => ({
      entry,
      tool,
      only: entry.loaded.catalogue?.package.tools.length === 1,
    })),
  );
  const names = exposedNames(
    listed.map((it) => ({
      packageId: it.entry.loaded.catalogue?.package.id ?? '',
      tool: it.tool.name,
      only: it.only,
    })),
  );
  const served = listed.map(({ entry, tool }, index) =>
    serve(entry, tool, names[index] as string, grant, machinery),
  );
  // A second package of the same id is shown, but its tools have no name of their own to be called by.
  const callable = served.filter((it) => it.state !== 'held');
  const byName = new Map(callable.map((it) => [it.name, it]));
  const byExposed = new Map(callable.map((it) => [it.exposed, it]));

  const packages = entries.map((entry): PackageState => {
    const { catalogue, path, format, diagnostics } = entry.loaded;
    return {
      id: catalogue?.package.id ?? null,
      version: catalogue?.package.version ?? '0.0.0',
      format,
      path,
      state: entry.state,
      reasons: entry.reasons,
      sandbox: sandboxLevel(entry.loaded, verdict.level),
      tools: served
        .filter((it) => it.entry === entry)
        .map((it) => ({ name: it.tool.name, exposed: it.exposed, description: it.tool.description })),
      ...(catalogue === undefined ? {} : { package: catalogue.package }),
      diagnostics,
    };
  });
  const broken = problems.map((it): PackageState => {
    const reasons = [it.message];
    return {
      id: null,
      version: '0.0.0',
      format: 'unknown',
      path: it.file,
      state: 'broken',
      reasons,
      sandbox: 'none',
      tools: [],
      diagnostics: [it],
    };
  });
  const all = [...packages, ...broken];
  const count = (state: PackageStateName) => all.filter((it) => it.state === state).length;
  return {
    report: {
      packages: all,
      summary: {
        scanned,
        found: all.length,
        invalid: count('broken'),
        disabled: count('disabled'),
        gated: count('gated'),
      },
    },
    tools: callable
      .filter((it) => it.state === 'ready' && it.tool.action !== null)
      .map(({ name, exposed, tool }) => ({ name, exposed, tool }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    resolve(name) {
      const found = byName.get(name) ?? byExposed.get(name) ?? soleTool(callable, name);
      if (found !== undefined) return found;
      const hint =
        callable.length === 0
          ? 'no package here has tools'
          : `tools here: ${callable
              .slice(0, 8)
              .map((it) => it.name)
              .join(', ')}${callable.length > 8 ? ', …' : ''}`;
      throw new HostError('tool_not_found', `there is no tool ${JSON.stringify(name)}`, { hint });
    },
  };
}

/** A package names its only tool, and a tool's own name is enough where no other package has it. */
function soleTool(tools: readonly Served[], name: string): Served | undefined {
  for (const mine of [
    tools.filter((it) => it.package.id === name),
    tools.filter((it) => it.tool.name === name),
  ]) {
    if (mine.length === 1) return mine[0];
  }
  return undefined;
}

function judge(loaded: Loaded, seen: Map<string, string>): Entry {
  if (loaded.catalogue === undefined) {
    const errors = loaded.diagnostics.filter((it) => it.severity === 'error');
    const reasons = errors.slice(0, 3).map((it) => `${it.message} (${it.file}:${it.range.line})`);
    if (errors.length > 3)
      reasons.push(`and ${errors.length - 3} more; see "toolport validate ${loaded.file}"`);
    return { loaded, state: 'broken', reasons };
  }
  const { id } = loaded.catalogue.package;
  const first = seen.get(id);
  if (first !== undefined) return { loaded, state: 'held', reasons: [`the id ${id} is taken by ${first}`] };
  seen.set(id, loaded.file);
  const missing = unenforceable(loaded.catalogue.package);
  return missing.length > 0
    ? { loaded, state: 'gated', reasons: missing }
    : { loaded, state: 'ready', reasons: [] };
}

/** A package that starts no process needs no sandbox: its requests go through the guarded client. */
function sandboxLevel(
  loaded: Loaded,
  level: 'enforced' | 'degraded' | 'unavailable',
): PackageState['sandbox'] {
  if (loaded.catalogue === undefined) return 'none';
  if (loaded.catalogue.package.programs.length === 0) return 'enforced';
  return level === 'unavailable' ? 'none' : level;
}

type ServedEntry = Served & { readonly entry: Entry; readonly state: PackageStateName };

function serve(
  entry: Entry,
  tool: Served['tool'],
  exposed: string,
  grant: Grant,
  machinery: Machinery,
): ServedEntry {
  const { catalogue } = entry.loaded;
  if (catalogue === undefined) throw new Error('a broken package serves no tools');
  const of = catalogue.package;
  const name = `${of.id}/${tool.name}`;
  let input: Promise<SchemaValidator> | undefined;
  let outputs: Promise<readonly SchemaValidator[]> | undefined;
  return {
    name,
    exposed,
    package: of,
    tool,
    entry,
    state: entry.state,
    digest: catalogue.digest,
    assertReady() {
      if (entry.state !== 'ready') throw notReady(name, entry.state, entry.reasons);
      if (tool.action === null) throw notReady(name, 'gated', ['its manifest does not say what it does']);
    },
    async assertConfined() {
      if (of.programs.length === 0) return;
      const verdict = await machinery.sandbox.probe();
      if (verdict.level === 'unavailable') {
        throw new HostError('sandbox_unavailable', `${name} is not run: ${verdict.reasons.join('; ')}`, {
          hint: verdict.hint,
        });
      }
    },
    input() {
      input ??= machinery.schemas().then((it) => it.inputValidator(tool.input));
      return input;
    },
    outputs() {
      const declared = [tool.output, of.guardrails.output.schema].filter((it) => it !== undefined);
      if (declared.length === 0) return Promise.resolve([]);
      outputs ??= machinery.schemas().then((it) => declared.map((schema) => it.outputValidator(schema)));
      return outputs;
    },
    run: (request) => run(entry.loaded, request, grant.network, machinery),
  };
}

function run(
  loaded: Loaded,
  request: Omit<RunRequest, 'files'>,
  granted: readonly NetworkHost[],
  machinery: Machinery,
): Promise<RunResult> {
  const { action } = request.tool;
  switch (action?.kind) {
    case 'exec':
      return machinery.inTurn(() =>
        runExec(action, { ...request, files: machinery.stage.place(loaded) }, machinery.sandbox),
      );
    case 'http': {
      const { network } = request.package.permissions;
      const hosts = network.kind === 'hosts' ? network.hosts : [];
      return runHttp(action, { ...request, files: '' }, machinery.client, { hosts, granted });
    }
    default:
      throw new HostError('not_supported', `${request.tool.name} is of a kind that is not run yet`);
  }
}
