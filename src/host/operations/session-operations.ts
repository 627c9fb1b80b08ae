import type { Json } from '../../model/json.js';
import type { RemoteSession } from '../host.js';
import {
  garbageReport,
  generationEntry,
  installedPackage,
  installRequest,
  outdatedPackage,
  packageChange,
  plan,
  planRequest,
  smokeResult,
  valueRequest,
} from './installation-shapes.js';
import { learningOperations } from './learning-operations.js';
import {
  installationOrigin,
  lockPlan,
  lockPlanRequest,
  restoreReport,
  restoreRequest,
} from './lock-shapes.js';
import { packageSource } from './manifest-rows.js';
import {
  actorParam,
  members,
  membersBy,
  type OperationTree,
  operation,
  sessionActorParam,
  signalParam,
  value,
} from './operation.js';
import { registryOperations } from './registry-operations.js';
import { agentRequest, agentRequestAnswer } from './request-shapes.js';
import { serverDraft, serverRequest, serverTrial, serverTrialRequest } from './server-shapes.js';
import {
  answer,
  consoleLink,
  explanation,
  installResult,
  listedPrompt,
  listedResource,
  listedTool,
  messageVerdict,
  packageReport,
  packageReview,
  sessionWaiver,
} from './session-shapes.js';
import {
  anyText,
  arrayOf,
  boolean,
  integer,
  json,
  jsonObject,
  nothing,
  nullable,
  object,
  oneOf,
  optional,
  text,
  unchecked,
} from './shape.js';
import { signInOperations } from './sign-in-operations.js';

const packageId = value('package', text());
const uri = text('The URI of a resource, as listed.');

/** What a caller can do in a session. */
export const sessionOperations = {
  packages: operation(
    { role: 'operator', summary: 'List packages with their state and the reasons for it.' },
    [],
    packageReport,
  ),
  tools: operation(
    { role: 'operator', summary: 'List the tools that can be called now, with their definitions.' },
    [],
    arrayOf(listedTool),
  ),
  call: operation(
    { role: 'agent', summary: 'Call one tool. A failure is an answer too.' },
    [
      // The call pipeline itself checks the tool and the arguments, and writes a refusal to the audit log.
      members(
        object({
          tool: unchecked<string>('PACKAGE/TOOL'),
          arguments: unchecked<Json>(),
          timeoutMs: optional(unchecked<number>('Milliseconds. Default: the limit of the tool.')),
        }),
      ),
    ],
    answer,
  ),
  explain: operation(
    { role: 'operator', summary: 'Show what would happen to a call now, and by which rules. Runs nothing.' },
    [members(object({ tool: text('PACKAGE/TOOL'), arguments: optional(json()), result: optional(json()) }))],
    explanation,
  ),
  message: operation(
    { role: 'agent', summary: 'Run the message hooks of extensions on a message to or from the agent.' },
    [
      value('point', oneOf(['before_message', 'after_message'])),
      value('message', jsonObject('The message, for example {"text": "…"}.')),
      signalParam,
    ],
    messageVerdict,
  ),
  prompts: operation({ role: 'agent', summary: 'List prompts.' }, [], arrayOf(listedPrompt)),
  prompt: operation(
    { role: 'agent', summary: 'Get the text of a prompt.' },
    [value('name', text()), value('arguments', jsonObject())],
    anyText(),
  ),
  promptMessages: operation(
    { role: 'agent', summary: 'Get all messages of a prompt, as in MCP.' },
    [value('name', text()), value('arguments', jsonObject()), signalParam],
    jsonObject(),
  ),
  resources: operation(
    { role: 'agent', summary: 'List resources of MCP servers.' },
    [],
    arrayOf(listedResource),
  ),
  resource: operation(
    { role: 'agent', summary: 'Read a resource.' },
    [value('uri', uri), signalParam],
    jsonObject(),
  ),
  review: operation(
    { role: 'operator', summary: 'Show what changed in a package since it was accepted.' },
    [value('package', text())],
    packageReview,
  ),
  source: operation(
    { role: 'operator', summary: 'Get the files of a package as text, to begin another one with.' },
    [packageId],
    packageSource,
  ),
  accept: operation(
    { role: 'operator', pin: 'if-set', summary: 'Accept a package as it was reviewed.' },
    [value('package', text()), value('digest', text('`to` of the review.')), sessionActorParam],
    nothing(),
  ),
  waivers: operation(
    {
      role: 'operator',
      summary: 'List the settings that waive a question or a protection, and whether they are in force.',
    },
    [],
    arrayOf(sessionWaiver),
  ),
  acceptWaiver: operation(
    { role: 'operator', pin: 'if-set', summary: 'Accept a setting that waives a question or a protection.' },
    [value('id', text('The id of the setting, from `waivers`.')), sessionActorParam],
    sessionWaiver,
  ),
  consoleLink: operation(
    { role: 'operator', summary: 'Get a link that signs one browser in to the console, once.' },
    [],
    consoleLink,
  ),
  install: operation(
    { role: 'operator', summary: 'Fetch and install what the programs of a package need.' },
    [value('package', text()), members(object({ dryRun: optional(boolean('Only report what is needed.')) }))],
    installResult,
  ),
  learning: learningOperations,
  requestInstall: operation(
    { role: 'agent', summary: 'Ask the operator for a package. Fetches nothing; only a person can agree.' },
    [members(agentRequest)],
    agentRequestAnswer,
  ),
  installations: {
    plan: operation(
      {
        role: 'operator',
        progress: true,
        summary: 'Show what an installation or update would do. Changes nothing.',
      },
      [members(planRequest)],
      plan,
    ),
    draftServer: operation(
      { role: 'operator', summary: 'Write an MCP server, given as a command line or URL, as a source.' },
      [members(serverRequest)],
      serverDraft,
    ),
    tryServer: operation(
      { role: 'operator', pin: 'if-set', summary: 'Start such a server once, without network and folders.' },
      [membersBy(serverTrialRequest)],
      serverTrial,
    ),
    checkValue: operation(
      { role: 'operator', summary: 'Check a value for a package of a plan.' },
      [members(valueRequest)],
      nullable(anyText('What is wrong with it.')),
    ),
    install: operation(
      {
        role: 'operator',
        pin: 'if-set',
        progress: true,
        summary: 'Install or update exactly what a plan says.',
      },
      [membersBy(installRequest)],
      packageChange,
    ),
    planRestore: operation(
      {
        role: 'operator',
        progress: true,
        summary: 'Show what installing the packages of the lock file would do. Changes nothing.',
      },
      [members(lockPlanRequest)],
      lockPlan,
    ),
    restore: operation(
      {
        role: 'operator',
        pin: 'if-set',
        progress: true,
        summary: 'Install exactly what the lock file says.',
      },
      [membersBy(restoreRequest)],
      restoreReport,
    ),
    why: operation(
      {
        role: 'operator',
        summary: 'Show who installed a package, from where, and which lock files name it.',
      },
      [packageId],
      installationOrigin,
    ),
    list: operation({ role: 'operator', summary: 'List installed packages.' }, [], arrayOf(installedPackage)),
    history: operation(
      { role: 'operator', summary: 'List the generations of an installed package, newest first.' },
      [packageId],
      arrayOf(generationEntry),
    ),
    verify: operation(
      { role: 'operator', summary: 'Run the smoke test of an installed package again.' },
      [packageId, members(object({}))],
      smokeResult,
    ),
    rollback: operation(
      { role: 'operator', pin: 'if-set', summary: 'Serve an earlier generation again.' },
      [
        membersBy(
          object({
            package: text(),
            generation: optional(integer('Default: the one before the current.')),
          }),
        ),
      ],
      packageChange,
    ),
    remove: operation(
      { role: 'operator', pin: 'if-set', summary: 'Remove a package without using its kill switch.' },
      [membersBy(object({ package: text(), keepData: optional(boolean()) }))],
      packageChange,
    ),
    revoke: operation(
      { role: 'operator', pin: 'if-set', summary: 'Use the kill switch of a package, then remove it.' },
      [
        membersBy(
          object({
            package: text(),
            keepData: optional(boolean('Keep the folder with its own files.')),
            forget: optional(boolean('Remove it although its kill switch did not succeed.')),
            manualStepsDone: optional(boolean('The person did the manual steps.')),
            credential: optional(text('Which secret its kill switch is sent with, if it has several.')),
          }),
        ),
      ],
      packageChange,
    ),
    outdated: operation(
      { role: 'operator', summary: 'List installed packages whose source has another version.' },
      [members(object({}))],
      arrayOf(outdatedPackage),
    ),
    collectGarbage: operation(
      { role: 'operator', pin: 'if-set', summary: 'Remove old generations and unused files.' },
      [actorParam],
      garbageReport,
    ),
  },
  registries: registryOperations,
  signIns: signInOperations,
} as const satisfies OperationTree<Omit<RemoteSession, 'close'>>;
