import { dirname } from 'node:path';
import { recipe, sampleArguments } from './recipe.js';
import type { Target } from './target.js';
import { ended, oneLine, shellWord } from './text.js';

/** For a person or a script at a shell: the words, and one line for each tool. */
export const toCli: Target = (agent) => {
  const { id, name, tools } = agent.package;
  const calls = tools
    .filter((it) => it.action !== null)
    .map((it) =>
      [
        'toolwharf call',
        shellWord(`${id}/${it.name}`),
        shellWord(JSON.stringify(sampleArguments(it))),
        '--dir',
        shellWord(dirname(agent.path)),
      ].join(' '),
    );
  const block = calls.length === 0 ? '' : `\n## At a shell\n\n~~~sh\n${calls.join('\n')}\n~~~\n`;
  return {
    files: [
      { path: 'recipe.md', text: ended(`# ${oneLine(name)}\n\n${recipe(agent)}${block}`) },
      ...agent.skills.map((it) => ({ path: `skills/${it.slug}.md`, text: ended(it.text) })),
    ],
    steps: [
      'give recipe.md to the model that you run',
      ...(calls[0] === undefined ? [] : [`try a tool: ${calls[0]}`]),
    ],
    warnings: [],
  };
};
