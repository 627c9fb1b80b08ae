// Documents about installed packages.
import {
  changeMembers,
  garbageMembers,
  generationEntry,
  outdatedPackage,
  planMembers,
  smokeMembers,
} from '../../host/operations/installation-shapes.js';
import { learnMembers, narrowingMembers } from '../../host/operations/learning-shapes.js';
import { installationOrigin, lockPlanMembers, restoreMembers } from '../../host/operations/lock-shapes.js';
import { requestedInstallation } from '../../host/operations/request-shapes.js';
import { anyText, arrayOf, object, oneOf, optional, text } from '../../host/operations/shape.js';
import { jsonDocument } from './json-document.js';

export const installationDocuments = {
  'plan@1': jsonDocument('plan@1', 'What installing or updating a package would do.', planMembers),
  'change@1': jsonDocument('change@1', 'What happened to an installed package, step by step.', changeMembers),
  'lock-plan@1': jsonDocument(
    'lock-plan@1',
    'What installing the packages of a lock file would do.',
    lockPlanMembers,
  ),
  'restore@1': jsonDocument('restore@1', 'What became of each package of a lock file.', restoreMembers),
  'why@1': jsonDocument('why@1', 'Who asked for a package.', {
    package: text(),
    installed: optional(installationOrigin),
    linked: arrayOf(
      object({ path: text(), namedBy: text('The option, setting or default that names the path.') }),
      'Where it is at a path of the session.',
    ),
  }),
  'verify@1': jsonDocument('verify@1', 'The results of smoke tests.', {
    results: arrayOf(object({ package: text(), ...smokeMembers })),
  }),
  'history@1': jsonDocument('history@1', 'The generations of an installed package, newest first.', {
    package: text(),
    generations: arrayOf(generationEntry),
  }),
  'outdated@1': jsonDocument('outdated@1', 'Installed packages whose source has another version.', {
    packages: arrayOf(outdatedPackage),
  }),
  'learn@1': jsonDocument('learn@1', 'The smallest grant for what a package used.', learnMembers),
  'narrowing@1': jsonDocument('narrowing@1', 'What a package was narrowed to.', narrowingMembers),
  'requests@1': jsonDocument('requests@1', 'Packages that agents asked for.', {
    requests: arrayOf(requestedInstallation),
  }),
  'import@1': jsonDocument('import@1', "What became of the MCP servers of a client's file.", {
    client: text('`file`: a file that belongs to no known client.'),
    scope: oneOf(['user', 'project', 'local']),
    file: text(),
    status: oneOf(['planned', 'imported', 'unchanged', 'declined', 'restored']),
    digest: optional(text('What `--agree` names.')),
    name: optional(text('Name of our entry in the file.')),
    backup: optional(text('Path of what `--undo` restores.')),
    servers: arrayOf(
      object({
        entry: text('Its name in the file.'),
        status: oneOf(['planned', 'moved', 'failed', 'outside', 'restored']),
        package: optional(text()),
        version: optional(text()),
        reason: optional(anyText('Why it stays in the file.')),
        allowed: optional(arrayOf(text(), 'What it may use, in the syntax of `--allow`.')),
        notGranted: optional(arrayOf(text(), 'What it would use, and does not get.')),
        secrets: optional(arrayOf(text(), 'Names of values that are sealed.')),
        notes: optional(arrayOf(anyText())),
        state: optional(text('State of the package now.')),
        needs: optional(arrayOf(anyText(), 'What the package needs to be ready.')),
      }),
    ),
    alsoIn: optional(
      arrayOf(
        object({ scope: oneOf(['user', 'project', 'local']), file: text(), servers: arrayOf(text()) }),
        'Other files of the client with servers.',
      ),
    ),
  }),
  'gc@1': jsonDocument('gc@1', 'How much was removed.', garbageMembers),
};
