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
import { arrayOf, object, optional, text } from '../../host/operations/shape.js';
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
  'gc@1': jsonDocument('gc@1', 'How much was removed.', garbageMembers),
};
