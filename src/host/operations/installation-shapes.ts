// What the operations on installed packages take and return.
import { sandboxLevels } from './session-shapes.js';
import {
  anyText,
  arrayOf,
  boolean,
  integer,
  nullable,
  number,
  object,
  oneOf,
  open,
  optional,
  secretText,
  text,
  timestamp,
} from './shape.js';

const texts = (description?: string) => arrayOf(anyText(), description);
const generationName = object({ generation: integer(), version: anyText() });

export const smokeMembers = {
  status: oneOf(['passed', 'failed', 'skipped', 'none']),
  at: timestamp('When it ran: milliseconds since 1970.'),
  detail: optional(anyText('Why it failed.')),
};
export const smokeResult = object(smokeMembers);

const scope = object({
  resource: text(),
  verbs: arrayOf(oneOf(['read', 'write', 'delete', 'send', 'execute', 'admin'])),
  rationale: anyText("The author's reason."),
  providerScope: optional(anyText()),
});

const credential = object({
  name: text(),
  label: anyText(),
  secret: boolean(),
  required: boolean(),
  isSet: boolean('A value is stored already.'),
  hosts: texts('Hosts that may receive it, as the manifest says.'),
  prompt: optional(anyText()),
  obtainUrl: optional(anyText()),
  default: optional(anyText()),
  choices: optional(texts()),
});

const cost = object({
  installFeeCents: optional(number()),
  monthlyFeeCents: optional(number()),
  usageModel: optional(oneOf(['none', 'per-call', 'per-token', 'external'])),
  estimateUrl: optional(anyText()),
  estimate: optional(object({ text: anyText(), readAt: timestamp() })),
});

export const planMembers = {
  operation: oneOf(['install', 'update', 'unchanged']),
  source: anyText('The source as it was written.'),
  resolved: anyText('What the source is exactly.'),
  package: object({
    id: text(),
    version: anyText(),
    name: anyText(),
    description: anyText(),
    format: text(),
    digest: text(),
    tools: arrayOf(object({ name: text(), description: anyText(), effect: text() })),
  }),
  digest: text('Agreeing to this digest installs exactly this plan.'),
  from: optional(generationName),
  files: object({ tree: text(), count: integer(), bytes: integer() }),
  programs: texts('What will run or answer.'),
  runtimes: texts('Interpreters of this machine that its programs run with.'),
  permissions: object({
    network: texts('Host names, or `public`. Empty: none.'),
    filesystem: oneOf(['none', 'read-only', 'read-write']),
    folders: texts('Folders besides the workspace, such as `read:/srv/notes`.'),
    env: texts('Variables that its programs get.'),
    commands: texts(),
  }),
  scopes: arrayOf(scope),
  requires: texts('What somebody must agree to, in the syntax of --allow.'),
  agreed: texts('Which of these the caller allowed by name.'),
  grants: texts('What is granted besides, in the syntax of --allow.'),
  credentials: arrayOf(credential),
  dependencies: texts('Language packages and images that will be fetched.'),
  cost: optional(cost),
  smoke: optional(anyText()),
  killSwitch: optional(anyText()),
  sandbox: oneOf(sandboxLevels),
  blockers: texts('What prevents it from running here.'),
  warnings: texts(),
  changes: optional(object({ breaking: texts(), additive: texts(), cosmetic: texts() })),
};
export const plan = object(planMembers);

const requestMembers = {
  source: optional(text('Where the package comes from. Absent: the source of the installed package.')),
  request: optional(text('Id of a request of an agent, instead of a source.')),
  sha256: optional(text('SHA-256 of an archive or download, in hex.')),
  package: optional(text('Which package of the source, or the package to update.')),
  allow: optional(arrayOf(text(), 'What is agreed to or granted, in the syntax of --allow.')),
  estimate: optional(boolean('Also read the page that estimates the cost.')),
};
export const planRequest = object(requestMembers);
export const installRequest = object({
  ...requestMembers,
  agree: text('`digest` of the plan.'),
  values: optional(open<Readonly<Record<string, string>>>('Values for slots, by name. Never returned.')),
  recipients: optional(
    open<Readonly<Record<string, readonly string[]>>>('Hosts that may receive a secret, by slot.'),
  ),
  skipSmoke: optional(boolean('Do not run the smoke test. This is recorded and shown.')),
  save: optional(boolean('Also write it to `toolwharf.lock` in the root. Implies `onlyHere`.')),
  onlyHere: optional(boolean('Serve it only to sessions with the workspace of this session.')),
});

export const valueRequest = object({
  agree: text('`digest` of the plan.'),
  name: text('Name of the slot.'),
  value: secretText(),
});

const changeSteps = [
  'fetch',
  'check',
  'agree',
  'credentials',
  'environment',
  'smoke',
  'switch',
  'lock file',
  'kill switch',
  'sign out',
  'erase',
  'clean up',
] as const;
export const changeMembers = {
  package: text(),
  operation: oneOf(['install', 'update', 'unchanged', 'rollback', 'revoke', 'remove', 'verify']),
  from: optional(generationName),
  to: optional(generationName),
  steps: arrayOf(
    object({
      name: oneOf(changeSteps),
      status: oneOf(['done', 'skipped', 'failed', 'unchanged']),
      detail: optional(anyText()),
    }),
  ),
  left: texts('What is left to do by hand.'),
  manualSteps: texts('Steps of the kill switch that a person must do, and has not confirmed yet.'),
};
export const packageChange = object(changeMembers);

const trial = object({
  state: oneOf(['open', 'failed']),
  failures: integer('Failed starts.'),
  reason: optional(anyText('Why the last start failed.')),
  at: timestamp('When the state began.'),
});

export const installedPackage = object({
  package: text(),
  current: integer('Number of the generation that is served.'),
  state: oneOf(['active', 'revoking']),
  roots: nullable(texts('The only workspaces that it is served to. Null: all.')),
  installedAt: timestamp(),
  version: anyText(),
  source: anyText(),
  smoke: smokeResult,
  generations: integer('How many generations are kept.'),
  wentBackFrom: optional(object({ generation: integer('It never started.'), version: anyText(), trial })),
});

export const generationEntry = object({
  generation: integer(),
  version: anyText(),
  source: anyText(),
  resolved: anyText(),
  digest: text(),
  isCurrent: boolean(),
  grants: texts(),
  smoke: smokeResult,
  trial: optional(trial),
  createdAt: timestamp(),
  createdBy: anyText(),
});

export const outdatedPackage = object({
  package: text(),
  version: anyText(),
  available: optional(anyText('What the source is now.')),
  moved: optional(texts('Tags that mean something else than what is installed.')),
  problem: optional(anyText('Why the source could not be read.')),
});

export const garbageMembers = { generations: integer(), trees: integer() };
export const garbageReport = object(garbageMembers);
