import type { Bundle } from '../../model/bundle.js';
import type { Guardrails, RateLimit, ToolGuardrails } from '../../model/guardrails.js';
import type { JsonObject } from '../../model/json.js';
import type { InstallPlan } from '../../model/lifecycle.js';
import type { Fact, Package, Prompt, PromptBody } from '../../model/package.js';
import type { NetworkHost } from '../../model/permissions.js';
import { unknownPersonalData } from '../../model/personal-data.js';
import type { Slot } from '../../model/slot.js';
import { normalizePath } from './bundle-path.js';
import { normalizeHost } from './host-name.js';
import {
  codeMode,
  isSkillTool,
  listOf,
  objectOf,
  objectsOf,
  remoteUrl,
  slug,
  stringOf,
  stringOrMember,
  toolEntries,
} from './manifest-fields.js';
import { programsOf, requiredBinaries } from './program.js';
import { skillFile, skillPlaces } from './skill-rules.js';
import { slotsOf } from './slot.js';
import { toolsOf } from './tool.js';
import { parseUrl } from './url.js';

/** Converts a manifest without errors to a package. */
export function lower(manifest: JsonObject, bundle: Bundle): Package {
  const name = manifest.name as string;
  const hosts = hostsOf(manifest);
  const prompts = promptsOf(manifest, bundle);
  const page = stringOrMember(codeMode(manifest) === 'none' ? undefined : manifest.ui, 'path');
  return {
    format: 'findagent',
    id: slug(name),
    version: stringOf(manifest.version) ?? '0.0.0',
    name,
    description: stringOf(manifest.description) ?? '',
    programs: programsOf(manifest, bundle),
    tools: toolsOf(manifest, hosts.length > 0),
    prompts,
    hooks: [],
    needs: { binaries: requiredBinaries(manifest) },
    slots: [...slotsOf(manifest), ...bucketSlots(prompts)],
    permissions: {
      origin: 'declared',
      network: hosts.length === 0 ? { kind: 'none' } : { kind: 'hosts', hosts },
      filesystem: 'none',
      stateDirectory: false,
      scopes: [],
    },
    guardrails: guardrailsOf(objectOf(manifest.guardrails)),
    install: installOf(manifest, bundle),
    announcesTools: codeMode(manifest) === 'native' || remoteUrl(manifest) !== undefined,
    targets: listOf(manifest.targets) as readonly string[],
    ...(page === undefined ? {} : { interface: pageOf(page, bundle) }),
    facts: [...factsOf(manifest), ...unknownPersonalDataFact(manifest)],
  };
}

/** The hosts that requests and code may reach, without duplicates, in manifest order. */
function hostsOf(manifest: JsonObject): NetworkHost[] {
  const urls = toolEntries(manifest).flatMap(([, tool]) => {
    const action = objectOf(tool.action);
    return action.type === 'http' ? (stringOf(action.url) ?? []) : [];
  });
  const hosts: NetworkHost[] = [...urls, remoteUrl(manifest) ?? []].flat().flatMap((url) => {
    const { target } = parseUrl(url, 'url');
    return target === undefined ? [] : [{ host: target.host, port: target.port }];
  });
  if (codeMode(manifest) !== 'none') {
    for (const host of listOf(manifest.allowed_hosts)) {
      hosts.push({ host: normalizeHost(host as string), port: null });
    }
  }
  return [...new Map(hosts.map((it) => [`${it.host} ${it.port}`, it])).values()];
}

function promptsOf(manifest: JsonObject, bundle: Bundle): Prompt[] {
  const name = manifest.name as string;
  const router = stringOf(manifest.router_skill_id);
  const text = stringOf(manifest.system_prompt);
  const instructions: Prompt = {
    kind: 'instructions',
    name: 'instructions',
    title: name,
    description: stringOf(manifest.description) ?? '',
    body: { kind: 'text', text: text ?? '' },
    examples: listOf(manifest.example_prompts) as readonly string[],
    tags: [],
    first: router === undefined,
  };
  const texts = objectsOf(manifest.skills).filter(([, it]) => !isSkillTool(manifest, it));
  const skills = texts.map(([, skill]): Prompt => {
    const id = skill.id as string;
    return {
      kind: 'skill',
      name: id,
      title: skill.name as string,
      description: stringOf(skill.description) ?? '',
      body: skillBody(manifest, bundle, id),
      examples: [],
      tags: listOf(skill.tags) as readonly string[],
      first: id === router,
    };
  });
  const sorted = [...skills.filter((it) => it.first), ...skills.filter((it) => !it.first)];
  // A code-bundle may have no instructions.
  return text === undefined ? sorted : [instructions, ...sorted];
}

function guardrailsOf(guardrails: JsonObject): Guardrails {
  const input = objectOf(guardrails.input);
  const output = objectOf(guardrails.output);
  return {
    input: {
      ...(input.max_length === undefined ? {} : { maxLength: input.max_length as number }),
      denyPatterns: listOf(input.deny_patterns) as readonly string[],
      redact: [...new Set(listOf(input.pii_redaction) as readonly string[])].filter(isKnownPersonalData),
    },
    output: { ...(output.schema === undefined ? {} : { schema: output.schema as JsonObject }) },
    tools: Object.entries(objectOf(guardrails.actions)).map(([tool, rule]) => toolRule(tool, objectOf(rule))),
  };
}

const bucketSlot = 'skills_bucket';

/** A skill without a file in the bundle is stored in the operator's bucket, as it is or as an unpacked archive. */
function skillBody(manifest: JsonObject, bundle: Bundle, id: string): PromptBody {
  const path = skillFile(bundle, id);
  const key = stringOf(objectOf(manifest.skills_source).key);
  if (path !== undefined || key === undefined)
    return { kind: 'file', path: path ?? (skillPlaces(id)[0] as string) };
  const plain = key.replace(/\/+$/, '');
  const folders = [...new Set([plain, plain.replace(/\.(?:zip|tgz|tar(?:\.gz)?)$/i, '')])];
  const keys = folders.flatMap((folder) => skillPlaces(id).map((place) => `${folder}/${place}`));
  return { kind: 'stored', slot: bucketSlot, keys };
}

/** Nobody can read a stored skill before the operator says where the bucket is. */
function bucketSlots(prompts: readonly Prompt[]): Slot[] {
  if (prompts.every((it) => it.body.kind !== 'stored')) return [];
  return [
    {
      name: bucketSlot,
      label: 'Bucket with the skill files',
      prompt: 'An absolute path of a folder, or the https address of an S3-compatible bucket.',
      secret: false,
      required: true,
      type: 'text',
      source: { kind: 'operator' },
      delivery: { kind: 'context' },
      audience: { kind: 'public' },
      pattern: '(?:https?://|/).+',
    },
  ];
}

function isKnownPersonalData(category: string): boolean {
  return unknownPersonalData([category]).length === 0;
}

/** Shown, so that nobody relies on them. */
function unknownPersonalDataFact(manifest: JsonObject): Fact[] {
  const { pii_redaction: listed } = objectOf(objectOf(manifest.guardrails).input);
  const unknown = unknownPersonalData(listOf(listed) as readonly string[]);
  return unknown.length === 0 ? [] : [{ label: 'personal data that is not removed', value: unknown }];
}

function toolRule(tool: string, rule: JsonObject): ToolGuardrails {
  return {
    tool,
    ...(rule.approval === undefined ? {} : { approval: rule.approval as 'none' | 'human' }),
    ...(rule.max_amount === undefined ? {} : { maxAmount: rule.max_amount as number }),
    ...(rule.rate_limit === undefined ? {} : { rateLimit: rateLimit(rule.rate_limit as string) }),
    ...(rule.idempotent === undefined ? {} : { idempotent: rule.idempotent as boolean }),
  };
}

function rateLimit(text: string): RateLimit {
  const [count, per] = text.split('/') as [string, RateLimit['per']];
  return { count: Number(count), per };
}

/** Skills that are not in the bundle are fetched from the object store that the operator configures. */
function installOf(manifest: JsonObject, bundle: Bundle): InstallPlan {
  const key = stringOf(objectOf(manifest.skills_source).key);
  if (key === undefined) return { kind: 'bundled' };
  const skills = objectsOf(manifest.skills).map(([, it]) => it.id as string);
  const complete = skills.length > 0 && skills.every((id) => skillFile(bundle, id) !== undefined);
  return complete ? { kind: 'bundled' } : { kind: 'object', key };
}

/** `ui` names either the page or its folder. */
function pageOf(path: string, bundle: Bundle): string {
  const clean = normalizePath(path);
  return bundle.read(clean).kind === 'folder' ? normalizePath(`${clean}/index.html`) : clean;
}

const factLabels: readonly (readonly [string, string])[] = [
  ['kind', 'kind'],
  ['delivery', 'delivery'],
  ['exec', 'runs'],
  ['auth', 'sign-in'],
  ['category', 'category'],
  ['tags', 'tags'],
  ['author', 'author'],
  ['license', 'license'],
  ['homepage', 'homepage'],
  ['documentation', 'documentation'],
  ['repository', 'repository'],
  ['support', 'support'],
  ['icon', 'icon'],
  ['language', 'language'],
  ['pricing', 'pricing'],
  ['compatibility', 'compatibility'],
  ['skills_source', 'skills source'],
];

function factsOf(manifest: JsonObject): Fact[] {
  const labels = new Map(factLabels);
  return Object.entries(manifest).flatMap(([field, value]) => {
    const label = labels.get(field);
    return label === undefined ? [] : [{ label, value }];
  });
}
