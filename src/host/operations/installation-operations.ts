import type { Installations } from '../host.js';
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
import {
  installationOrigin,
  lockPlan,
  lockPlanRequest,
  restoreReport,
  restoreRequest,
} from './lock-shapes.js';
import { actorParam, members, membersBy, type OperationTree, operation, value } from './operation.js';
import { serverDraft, serverRequest, serverTrial, serverTrialRequest } from './server-shapes.js';
import { anyText, arrayOf, boolean, integer, nullable, object, optional, text } from './shape.js';

const packageId = value('package', text());

/** Plans, changes and lists installed packages. */
export const installationOperations = {
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
    {
      role: 'operator',
      pin: 'if-set',
      progress: true,
      summary: 'Start such a server once, without network and folders.',
    },
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
    { role: 'operator', progress: true, summary: 'Run the smoke test of an installed package again.' },
    [packageId, members(object({}))],
    smokeResult,
  ),
  rollback: operation(
    { role: 'operator', pin: 'if-set', progress: true, summary: 'Serve an earlier generation again.' },
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
    {
      role: 'operator',
      pin: 'if-set',
      progress: true,
      summary: 'Remove a package without using its kill switch.',
    },
    [membersBy(object({ package: text(), keepData: optional(boolean()) }))],
    packageChange,
  ),
  revoke: operation(
    {
      role: 'operator',
      pin: 'if-set',
      progress: true,
      summary: 'Use the kill switch of a package, then remove it.',
    },
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
    {
      role: 'operator',
      progress: true,
      summary: 'List installed packages whose source has another version.',
    },
    [members(object({}))],
    arrayOf(outdatedPackage),
  ),
  collectGarbage: operation(
    { role: 'operator', pin: 'if-set', summary: 'Remove old generations and unused files.' },
    [actorParam],
    garbageReport,
  ),
} as const satisfies OperationTree<Installations>;
