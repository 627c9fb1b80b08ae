import { foldedName, type StarterFile } from '../starter.js';

/** A folder with one TypeScript file that keeps notes. The folder must have the name of the id in its manifest. */
export function starter(_name: string, folder: string): readonly StarterFile[] {
  const id = idOf(folder);
  return [
    { path: 'manifest.json', text: manifest(id) },
    { path: 'index.ts', text: handlers },
    { path: 'README.md', text: readme(id) },
  ];
}

function idOf(name: string): string {
  // The folder already has this name, so a valid id is not changed.
  if (/^[\p{L}\p{N}][\p{L}\p{N}\p{M}._-]{0,63}$/u.test(name)) return name;
  const id = foldedName(name)
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+/, '')
    .slice(0, 64)
    .replace(/[-_]+$/, '');
  return id === '' ? 'notes' : id;
}

function manifest(id: string): string {
  const text = { type: 'string', minLength: 1, description: 'The text of the note.' };
  const word = { type: 'string', description: 'Only notes that contain this word. Default: all notes.' };
  const content = {
    id,
    name: id.charAt(0).toUpperCase() + id.slice(1).replaceAll(/[-_]/g, ' '),
    description: 'Keep short notes between conversations.',
    version: '0.1.0',
    functions: [
      {
        name: 'add',
        description: 'Add a note.',
        parameters: {
          type: 'object',
          properties: { text },
          required: ['text'],
          additionalProperties: false,
        },
      },
      {
        name: 'list',
        description: 'List the notes, newest first.',
        parameters: { type: 'object', properties: { word }, additionalProperties: false },
      },
    ],
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

const imports = [
  "import { appendFile, readFile } from 'node:fs/promises';",
  "import { join } from 'node:path';",
].join('\n');

const handlers = `${imports}

/** Passed to every handler: the values that the operator has set, and a folder that persists between calls. */
interface Context {
  readonly config: Record<string, string>;
  readonly dataDir: string;
}

interface Note {
  readonly at: string;
  readonly text: string;
}

export async function add(args: { text: string }, context: Context): Promise<Note> {
  const note = { at: new Date().toISOString(), text: args.text };
  await appendFile(fileOf(context), \`\${JSON.stringify(note)}\\n\`);
  return note;
}

export async function list(args: { word?: string }, context: Context): Promise<{ notes: Note[] }> {
  const text = await readFile(fileOf(context), 'utf8').catch(() => '');
  const notes = text
    .split('\\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Note);
  const word = args.word?.toLowerCase() ?? '';
  return { notes: notes.filter((note) => note.text.toLowerCase().includes(word)).reverse() };
}

function fileOf(context: Context): string {
  return join(context.dataDir, 'notes.jsonl');
}
`;

function readme(id: string): string {
  return `# ${id}

A tool that keeps notes. \`manifest.json\` declares the functions; \`index.ts\` implements them.
The folder must have the name of the \`id\` in the manifest.

\`\`\`sh
toolwharf validate .
toolwharf call . add '{"text": "Water the plants"}'
toolwharf call . list '{}'
toolwharf serve .
\`\`\`

Next steps:

- For a new function, add an entry under \`functions\` and export a function with the same name.
- Declare the API key of a service in \`credentials\`: \`{"name": "api_key", "label": "API key", "required": true}\`.
  The handler reads it from \`context.config.api_key\`. Set it with \`toolwharf secret set ${id} api_key\`.
- Put instructions for the agent into \`prompt.md\` next to the manifest.
`;
}
