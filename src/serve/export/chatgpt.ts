import { hasTools } from './agent.js';
import { recipe } from './recipe.js';
import type { Target } from './target.js';
import { oneLine, withFinalNewline } from './text.js';

/** Maximum length of a GPT's instructions, in characters. */
const limit = 8000;

/** Files to paste and upload, because a GPT is created by hand. */
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
              text: withFinalNewline(agent.examples.map((it) => `- ${oneLine(it)}`).join('\n')),
            },
          ]),
      ...agent.skills.map((it) => ({ path: `knowledge/${it.slug}.md`, text: withFinalNewline(it.text) })),
    ],
    steps: [
      'create a GPT or a project, and paste instructions.md',
      ...(agent.examples.length === 0 ? [] : ['add the lines of conversation-starters.md']),
      ...(agent.skills.length === 0 ? [] : ['upload the files in the folder knowledge']),
      ...(hasTools(agent) ? ['its tools need a server on the internet: toolwharf connect chatgpt'] : []),
    ],
    warnings:
      text.length > limit
        ? [`instructions.md has ${text.length} characters; a GPT accepts at most ${limit}`]
        : [],
  };
};
