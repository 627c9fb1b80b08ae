import { dirname } from 'node:path';
import { shellQuote } from '../../model/shell-quote.js';
import { recipe, sampleArguments } from './recipe.js';
import type { Target } from './target.js';
import { oneLine, withFinalNewline } from './text.js';

/** For a shell: the instructions, and one command per tool. */
export const toCli: Target = (agent) => {
  const { id, name, tools } = agent.package;
  const calls = tools
    .filter((it) => it.action !== null)
    .map((it) =>
      [
        'toolwharf call',
        shellQuote(`${id}/${it.name}`),
        shellQuote(JSON.stringify(sampleArguments(it))),
        '--dir',
        shellQuote(dirname(agent.path)),
      ].join(' '),
    );
  const block = calls.length === 0 ? '' : `\n## At a shell\n\n~~~sh\n${calls.join('\n')}\n~~~\n`;
  return {
    files: [
      { path: 'recipe.md', text: withFinalNewline(`# ${oneLine(name)}\n\n${recipe(agent)}${block}`) },
      ...agent.skills.map((it) => ({ path: `skills/${it.slug}.md`, text: withFinalNewline(it.text) })),
    ],
    steps: [
      'give recipe.md to the model that you run',
      ...(calls[0] === undefined ? [] : [`try a tool: ${calls[0]}`]),
    ],
    warnings: [],
  };
};
