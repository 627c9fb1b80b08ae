// Packages whose tools fill a text, so that calls need no process, and a set that changes them.
import type { JsonObject, ToolSet } from '../../src/index.js';
import { type Files, findagent, inputOf } from './workbench.js';

const text = { type: 'string' };

const template = (name: string, properties: Record<string, JsonObject>, filled: string) => ({
  name,
  description: `The text of ${name}.`,
  input_schema: inputOf(properties),
  action: { type: 'prompt-template', template: filled },
});

export const setPackages: Files = {
  'notes/findagent.json': findagent('notes', {
    tools: [
      template('add', { text, folder: text }, 'added {text} to {folder}'),
      template('search', { query: text }, 'found {query}'),
      template('delete', { id: text }, 'deleted {id}'),
      {
        name: 'tidy',
        description: 'Deletes by another tool.',
        input_schema: inputOf({ id: text }),
        action: { type: 'compose', agent: 'notes', tool: 'delete' },
      },
      {
        name: 'file',
        description: 'Adds by another tool.',
        input_schema: inputOf({ text, folder: text }),
        action: { type: 'compose', agent: 'notes', tool: 'add' },
      },
    ],
  }),
  'web/findagent.json': findagent('web', {
    tools: [template('fetch', { url: text }, 'fetched {url}')],
  }),
};

/** Shows three tools of one package; one has another name, another description and a fixed argument. */
export const teamSet: ToolSet = {
  name: 'team',
  packages: ['notes'],
  tools: {
    'notes/delete': { hidden: true },
    'notes/add': {
      name: 'add_team_note',
      description: 'Adds a note for the team.',
      arguments: { folder: 'team' },
    },
  },
};
