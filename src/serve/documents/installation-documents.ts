// Documents about installed packages.
import {
  changeMembers,
  garbageMembers,
  generationEntry,
  outdatedPackage,
  planMembers,
  smokeMembers,
} from '../../host/operations/installation-shapes.js';
import { arrayOf, object, text } from '../../host/operations/shape.js';
import { jsonDocument } from './json-document.js';

export const installationDocuments = {
  'plan@1': jsonDocument('plan@1', 'What installing or updating a package would do.', planMembers),
  'change@1': jsonDocument('change@1', 'What happened to an installed package, step by step.', changeMembers),
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
  'gc@1': jsonDocument('gc@1', 'How much was removed.', garbageMembers),
};
