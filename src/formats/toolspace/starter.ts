import type { StarterFile } from '../starter.js';

/** A small, working tool in plain Node with one action. */
export function starter(name: string): readonly StarterFile[] {
  const id = idFrom(name);
  const title = id.charAt(0).toUpperCase() + id.slice(1).replaceAll('-', ' ');
  return [
    { path: 'toolspace.json', text: `${JSON.stringify(manifest(id, title), null, 2)}\n` },
    { path: 'cli.mjs', text: program },
    { path: 'README.md', text: readme(title) },
  ];
}

/** Ids have 3 to 64 lowercase letters, digits and hyphens, and no hyphen at either end. */
function idFrom(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const slug = words.join('-').slice(0, 64).replace(/-$/, '');
  return slug.length >= 3 ? slug : [slug, 'tool'].filter((it) => it !== '').join('-');
}

function manifest(id: string, title: string) {
  return {
    manifest_version: '0.2',
    tool: {
      id,
      version: '0.1.0',
      name: title,
      summary: 'Counts the lines, words and characters of a text.',
      homepage: `https://example.com/${id}`,
      license: 'MIT',
    },
    runtime: {
      kind: 'node-module',
      install: { method: 'npm', package: id, version_spec: '0.1.0' },
      entrypoint: { command: ['node', 'cli.mjs'] },
    },
    actions: [
      {
        name: 'measure',
        summary: 'Count the lines, words and characters of a text, and estimate the time to read it.',
        invocation: { kind: 'stdin-json', argv_template: ['measure'] },
        input: {
          type: 'object',
          properties: { text: { type: 'string', description: 'The text.' } },
          required: ['text'],
          additionalProperties: false,
        },
        output: {
          format: 'json',
          schema: {
            type: 'object',
            properties: {
              lines: { type: 'integer' },
              words: { type: 'integer' },
              characters: { type: 'integer' },
              minutes: { type: 'number' },
            },
            required: ['lines', 'words', 'characters', 'minutes'],
          },
        },
        side_effects: 'none',
        idempotent: true,
        error_envelope: 'standard',
        examples: [
          {
            description: 'Two lines.',
            input: { text: 'one two\nthree' },
            output: { lines: 2, words: 3, characters: 13, minutes: 0.1 },
          },
        ],
      },
    ],
    smoke: {
      kind: 'action-call',
      action: 'measure',
      arguments: { text: 'one two three' },
      success: { json_pointer_equals: { '/words': 3 }, no_error_field: true },
    },
    kill_switch: { kind: 'manual', instructions_url: `https://example.com/${id}#remove` },
  };
}

const program = `// Reads the input of one action from stdin as a JSON object and prints the result as JSON.
const actions = {
  measure({ text }) {
    const words = text.split(/\\s+/).filter((it) => it !== '').length;
    return {
      lines: text === '' ? 0 : text.split('\\n').length,
      words,
      characters: [...text].length,
      minutes: Math.ceil(words / 20) / 10,
    };
  },
};

const name = process.argv[2] ?? '';
if (Object.hasOwn(actions, name)) {
  let input = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) input += chunk;
  print(actions[name](JSON.parse(input)));
} else {
  print({ error: { code: 'usage', message: \`no action named "\${name}"\` } });
  process.exitCode = 1;
}

function print(value) {
  process.stdout.write(\`\${JSON.stringify(value)}\\n\`);
}
`;

function readme(title: string): string {
  return `# ${title}

Counts the lines, words and characters of a text. Edit \`cli.mjs\` and \`toolspace.json\` to make it your own tool.

Check the manifest and try an action:

\`\`\`sh
toolwharf validate .
toolwharf call . measure '{"text": "one two three"}'
\`\`\`

## Before you publish

- Set your package name and an exact version in \`runtime.install\`.
- Set \`tool.homepage\` to your page, and describe in \`kill_switch\` how to remove the tool.
- Declare the \`side_effects\` of each action correctly: they decide which calls need approval.
`;
}
