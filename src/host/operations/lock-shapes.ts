// What the operations on lock files take and return, and why a package is here.
import { packageChange, plan } from './installation-shapes.js';
import {
  anyText,
  arrayOf,
  boolean,
  integer,
  jsonObject,
  nullable,
  object,
  oneOf,
  open,
  optional,
  text,
  timestamp,
} from './shape.js';

const lockRequestMembers = {
  source: optional(text('Only the package with this source. Default: all.')),
  allow: optional(
    arrayOf(text(), 'What is agreed to, in the syntax of --allow. The lock file must ask for it.'),
  ),
};
export const lockPlanRequest = object(lockRequestMembers);
export const restoreRequest = object({
  ...lockRequestMembers,
  agree: text('`digest` of the plan.'),
  values: optional(
    open<Readonly<Record<string, Readonly<Record<string, string>>>>>(
      'Values for slots, by package and name. Never returned.',
    ),
  ),
  skipSmoke: optional(boolean('Do not run the smoke tests. This is recorded and shown.')),
});

export const lockPlanMembers = {
  file: anyText('Absolute path of the lock file.'),
  digest: text('Digest of what the lock file says. Agreeing to it installs exactly that.'),
  unchanged: arrayOf(
    object({ package: text(), version: anyText(), generation: integer() }),
    'Installed already, exactly as the lock file says.',
  ),
  plans: arrayOf(plan, 'One for each of the other packages.'),
};
export const lockPlan = object(lockPlanMembers);
export const restoreMembers = {
  file: anyText('Absolute path of the lock file.'),
  digest: text('Digest of what the lock file says.'),
  changes: arrayOf(packageChange, 'One for each package. `unchanged`: it was installed already.'),
};
export const restoreReport = object(restoreMembers);

const originMembers = {
  package: text(),
  state: oneOf(['active', 'revoking']),
  roots: nullable(arrayOf(anyText(), 'The only workspaces that it is served to. Null: all.')),
  version: anyText(),
  generation: integer(),
  source: anyText('The source as it was written.'),
  resolved: anyText('What the source was resolved to.'),
  plan: text('Digest of the plan that was agreed to.'),
  by: anyText('Who agreed to it.'),
  at: timestamp('When: milliseconds since 1970.'),
  installedAt: timestamp('When it was installed first: milliseconds since 1970.'),
  lockFiles: arrayOf(
    object({
      file: anyText('Absolute path.'),
      isInstalled: boolean('False: its entry for the package says something else.'),
    }),
  ),
  entries: arrayOf(
    object({ seq: integer(), at: anyText(), kind: text(), body: jsonObject() }),
    'The last changes in the audit log, newest first.',
  ),
};
export const installationOrigin = object(originMembers);
