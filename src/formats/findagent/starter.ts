import { findHidden } from '../../model/unicode.js';
import type { StarterFile } from '../starter.js';
import { slug } from './manifest-fields.js';

/** An agent with one tool that needs no network, no key and no code. */
export function starter(name: string): readonly StarterFile[] {
  const title = titleOf(name);
  return [
    { path: 'findagent.json', text: `${JSON.stringify(manifest(title), null, 2)}\n` },
    { path: 'README.md', text: readme(title) },
  ];
}

/** 3 to 80 visible characters. */
function titleOf(name: string): string {
  const hidden = new Set(findHidden(name).map((it) => it.codePoint));
  const visible = [...name.replace(/\s+/g, ' ')].filter((it) => !hidden.has(it.codePointAt(0) as number));
  const title = visible.slice(0, 70).join('').trim();
  if (title === '') return 'My agent';
  return [...title].length < 3 ? `${title} agent` : title;
}

function manifest(title: string) {
  return {
    name: title,
    version: '0.1.0',
    description: 'Turns rough notes into a message that can be sent.',
    kind: 'mcp-tool',
    system_prompt:
      'You turn rough notes into short, friendly messages. Keep every fact, invent none, and ask when something that matters is missing.',
    example_prompts: [
      'Make a message for the team out of these notes: release moved to Friday, tests are green.',
    ],
    tools: [
      {
        name: 'draft_message',
        description: 'Prepare the instructions for one message out of rough notes.',
        input_schema: {
          type: 'object',
          properties: {
            notes: { type: 'string', description: 'What the message must say.' },
            tone: { type: 'string', enum: ['friendly', 'formal', 'brief'], default: 'friendly' },
          },
          required: ['notes'],
          additionalProperties: false,
        },
        annotations: { readOnlyHint: true },
        action: {
          type: 'prompt-template',
          template: 'Write a {tone} message of at most five sentences. Use only these notes:\n\n{notes}',
        },
      },
    ],
    guardrails: { input: { max_length: 8000 }, output: { secret_leak_scan: true } },
    delivery: 'prompt',
    targets: ['claude-desktop', 'claude-code', 'cursor', 'cli'],
  };
}

function readme(title: string): string {
  return `# ${title}

An agent described by \`findagent.json\`: its instructions, one tool and its limits. The id of the package is
\`${slug(title)}\`.

Check it:

    toolwharf validate .

Try the tool:

    toolwharf call . draft_message '{"notes": "release moved to Friday, tests are green"}'

Serve it to a client: \`toolwharf serve .\`

To let a tool send a request, give it an action of type \`http\` with an https URL; \`{param}\` in the path and the
query is filled from the input. A key goes into \`credential_slots\` with the hosts that may receive it, and the
action names it in \`auth_ref\`.
`;
}
