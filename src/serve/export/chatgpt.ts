import { hasTools } from './agent.js';
import { recipe } from './recipe.js';
import type { Target } from './target.js';
import { ended, oneLine } from './text.js';

/** As much as the instructions of a GPT may have. */
const limit = 8000;

/** Files to paste and upload: a GPT is made by hand. */
export const toChatgpt: Target = (agent) => {
  const text = recipe(agent);
  return {
    files: [
      { path: 'instructions.md', text },
      ...(agent.examples.length === 0
        ? []
        : [
            {
              path: 'conversation-starters.md',
              text: ended(agent.examples.map((it) => `- ${oneLine(it)}`).join('\n')),
            },
          ]),
      ...agent.skills.map((it) => ({ path: `knowledge/${it.slug}.md`, text: ended(it.text) })),
    ],
    steps: [
      'make a GPT, or a project, and paste instructions.md',
      ...(agent.examples.length === 0 ? [] : ['add the lines of conversation-starters.md']),
      ...(agent.skills.length === 0 ? [] : ['upload the files in knowledge']),
      ...(hasTools(agent) ? ['its tools need a server on the internet: toolwharf connect chatgpt'] : []),
    ],
    warnings:
      text.length > limit ? [`instructions.md has ${text.length} characters; a GPT takes ${limit}`] : [],
  };
};
