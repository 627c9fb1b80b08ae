import { noGuardrails } from '../../model/guardrails.js';
import type { JsonObject } from '../../model/json.js';
import type { Cost, InstallPlan, KillSwitchPlan, SmokeCheck, SmokeTest } from '../../model/lifecycle.js';
import type { Fact, Package } from '../../model/package.js';
import type { Slot } from '../../model/slot.js';
import { lowerPermissions } from './permissions.js';
import { killProgram, lowerPrograms, serverSecret, smokeProgram } from './programs.js';
import { isManagedHeader } from './request-rules.js';
import { appliesTo } from './smoke-rules.js';
import { parseTemplate } from './template.js';
import { lowerTool } from './tools.js';
import { endpointUrl } from './url-rules.js';

/**
 * Converts a manifest without errors to a package. Its actions are the tools; else an MCP server announces them.
 * `artifact`: the file of the bundle that is what would be downloaded.
 */
export function lower(manifest: JsonObject, artifact: string | undefined): Package {
  const tool = manifest.tool as JsonObject;
  const runtime = manifest.runtime as JsonObject;
  const actions = (manifest.actions ?? []) as readonly JsonObject[];
  const endpoint = endpointUrl(manifest);
  const permissions = lowerPermissions(manifest, endpoint);
  const context = {
    endpoint,
    hasNetwork: permissions.network.kind !== 'none',
    scopes: permissions.scopes,
  };
  const cost = manifest.cost as JsonObject | undefined;
  return {
    format: 'toolspace',
    id: tool.id as string,
    version: tool.version as string,
    name: tool.name as string,
    description: tool.summary as string,
    programs: lowerPrograms(manifest),
    tools: actions.map((it) => lowerTool(it, context)),
    prompts: [],
    hooks: [],
    needs: { binaries: [] },
    slots: lowerSlots(manifest, endpoint),
    permissions,
    guardrails: noGuardrails,
    install: lowerInstall(runtime.install as JsonObject, artifact),
    smoke: lowerSmoke(manifest.smoke as JsonObject),
    killSwitch: lowerKillSwitch(manifest.kill_switch as JsonObject),
    ...(cost === undefined ? {} : { cost: lowerCost(cost) }),
    announcesTools: runtime.kind === 'mcp-stdio' && actions.length === 0,
    targets: [],
    facts: lowerFacts(tool, (manifest.support ?? {}) as JsonObject),
  };
}

/** The format has no audience: a secret is bound to the endpoint, or to the hosts that the operator names. */
function lowerSlots(manifest: JsonObject, endpoint: URL | undefined): Slot[] {
  const bearer = serverSecret(manifest);
  const scopes = ((manifest.scopes ?? []) as readonly JsonObject[]).flatMap((it) =>
    typeof it.provider_scope === 'string' ? [it.provider_scope] : [],
  );
  const providerScopes = [...new Set(scopes)];
  return ((manifest.env ?? []) as readonly JsonObject[]).map((entry): Slot => {
    const name = entry.name as string;
    const secret = entry.secret === true;
    return {
      name,
      label: name,
      prompt: entry.prompt as string,
      secret,
      required: entry.required !== false,
      type: 'text',
      source: { kind: 'operator' },
      delivery:
        name === bearer
          ? { kind: 'request', scheme: { kind: 'bearer' } }
          : { kind: 'environment', variable: name },
      audience: !secret
        ? { kind: 'public' }
        : endpoint === undefined
          ? { kind: 'unbound' }
          : { kind: 'hosts', hosts: [endpoint.hostname] },
      ...(entry.default === undefined ? {} : { default: entry.default as string }),
      ...(entry.validation_regex === undefined ? {} : { pattern: entry.validation_regex as string }),
      ...(entry.obtain_url === undefined ? {} : { obtainUrl: entry.obtain_url as string }),
      ...(secret && providerScopes.length > 0 ? { providerScopes } : {}),
    };
  });
}

function lowerInstall(install: JsonObject, artifact: string | undefined): InstallPlan {
  switch (install.method as 'pip' | 'npm' | 'git' | 'container' | 'url') {
    case 'pip':
    case 'npm':
      return {
        kind: install.method as 'pip' | 'npm',
        package: install.package as string,
        ...(install.version_spec === undefined ? {} : { version: install.version_spec as string }),
      };
    case 'git':
      return {
        kind: 'git',
        url: install.url as string,
        ref: install.ref as string,
        ...(install.subpath === undefined ? {} : { subpath: install.subpath as string }),
      };
    case 'container':
      return { kind: 'container', image: install.image as string };
    case 'url':
      return {
        kind: 'url',
        url: install.url as string,
        sha256: install.sha256 as string,
        ...(artifact === undefined ? {} : { file: artifact }),
      };
  }
}

function lowerSmoke(smoke: JsonObject): SmokeTest {
  const kind = smoke.kind as 'shell' | 'http' | 'mcp-tool-call' | 'action-call';
  const conditions = smoke.success as JsonObject;
  const has = (condition: string) => conditions[condition] !== undefined && appliesTo(condition, kind);
  const pointers = has('json_pointer_equals')
    ? Object.entries(conditions.json_pointer_equals as JsonObject)
    : [];
  return {
    check: lowerCheck(smoke, kind),
    timeoutSeconds: (smoke.timeout_seconds as number | undefined) ?? 30,
    success: {
      ...(kind === 'shell' ? { exitCode: (conditions.exit_code as number | undefined) ?? 0 } : {}),
      ...(has('http_status') ? { httpStatus: conditions.http_status as number } : {}),
      ...(has('stdout_regex') ? { stdoutPattern: conditions.stdout_regex as string } : {}),
      ...(has('body_regex') ? { bodyPattern: conditions.body_regex as string } : {}),
      pointers: pointers.map(([pointer, equals]) => ({ pointer, equals })),
      noErrorField: has('no_error_field') && conditions.no_error_field === true,
    },
  };
}

function lowerCheck(smoke: JsonObject, kind: 'shell' | 'http' | 'mcp-tool-call' | 'action-call'): SmokeCheck {
  switch (kind) {
    case 'shell':
      return { kind: 'program', program: smokeProgram };
    case 'http': {
      const method = (smoke.method as 'GET' | 'POST' | undefined) ?? 'GET';
      const headers = Object.entries((smoke.headers ?? {}) as Record<string, string>);
      const body = method === 'GET' ? undefined : (smoke.body as string | undefined);
      return {
        kind: 'http',
        method,
        url: smoke.url as string,
        headers: headers
          .filter(([name]) => !isManagedHeader(name))
          .map(([name, value]) => ({ name, value: parseTemplate(value, 'smoke').template })),
        ...(body === undefined ? {} : { body: parseTemplate(body, 'smoke').template }),
      };
    }
    case 'mcp-tool-call':
      return { kind: 'upstream', tool: smoke.tool_name as string, arguments: smoke.arguments ?? {} };
    case 'action-call':
      return { kind: 'tool', tool: smoke.action as string, arguments: smoke.arguments ?? {} };
  }
}

function lowerKillSwitch(killSwitch: JsonObject): KillSwitchPlan {
  switch (killSwitch.kind as 'url' | 'shell' | 'manual') {
    case 'url':
      return { kind: 'url', url: killSwitch.url as string };
    case 'shell':
      return { kind: 'program', program: killProgram };
    case 'manual':
      return { kind: 'manual', instructionsUrl: killSwitch.instructions_url as string };
  }
}

function lowerCost(cost: JsonObject): Cost {
  const { install_fee_cents: once, monthly_fee_cents: monthly, usage_model: usage, estimate_url: url } = cost;
  return {
    ...(once === undefined ? {} : { installFeeCents: once as number }),
    ...(monthly === undefined ? {} : { monthlyFeeCents: monthly as number }),
    ...(usage === undefined ? {} : { usageModel: usage as NonNullable<Cost['usageModel']> }),
    ...(url === undefined ? {} : { estimateUrl: url as string }),
  };
}

function lowerFacts(tool: JsonObject, support: JsonObject): Fact[] {
  const labeled: readonly (readonly [string, JsonObject[string] | undefined])[] = [
    ['about', tool.description],
    ['homepage', tool.homepage],
    ['author', tool.author],
    ['license', tool.license],
    ['tags', tool.tags],
    ['issues', support.issues_url],
    ['security contact', support.security_email],
    ['manual', support.docs_url],
  ];
  return labeled.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }]));
}
