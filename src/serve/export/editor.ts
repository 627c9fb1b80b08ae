import { cursor } from '../clients/cursor.js';
import { vscode } from '../clients/vscode.js';
import { windsurf } from '../clients/windsurf.js';
import { fileName, hasTools } from './agent.js';
import { disarmedNote, skillFiles } from './claude.js';
import { configFile } from './config.js';
import { recipe, summary } from './recipe.js';
import type { Target } from './target.js';
import { shellWord, withHeader } from './text.js';

export const toCursor: Target = (agent, start) => {
  const id = fileName(agent.package.id);
  const rule = (name: string, description: string, text: string) => ({
    path: `.cursor/rules/${name}.mdc`,
    text: withHeader({ description, alwaysApply: false }, text),
  });
  return {
    files: [
      ...configFile(agent, cursor, start, '.cursor/mcp.json'),
      rule(id, summary(agent), recipe(agent)),
      ...agent.skills.map((it) => rule(`${id}-${it.slug}`, it.description, it.text)),
    ],
    steps: ['copy the files into your project', `name the rule in a chat: @${id}`],
    warnings: [],
  };
};

export const toVscode: Target = (agent, start) => {
  const id = fileName(agent.package.id);
  const { files, disarmed } = skillFiles(agent, '.github/skills');
  return {
    files: [
      ...configFile(agent, vscode, start, '.vscode/mcp.json'),
      {
        path: `.github/agents/${id}.agent.md`,
        text: withHeader({ name: agent.package.name, description: summary(agent) }, recipe(agent)),
      },
      ...files,
    ],
    steps: ['copy the files into your project', `choose ${agent.package.name} among the agents of the chat`],
    warnings: disarmedNote(disarmed),
  };
};

/** As much as Windsurf reads of one rule. */
const ruleLimit = 12_000;

export const toWindsurf: Target = (agent, start) => {
  const id = fileName(agent.package.id);
  const rule = (name: string, description: string, text: string) => ({
    path: `.windsurf/rules/${name}.md`,
    text: withHeader({ trigger: 'model_decision', description }, text),
  });
  const rules = [
    rule(id, summary(agent), recipe(agent)),
    ...agent.skills.map((it) => rule(`${id}-${it.slug}`, it.description, it.text)),
  ];
  return {
    files: [...configFile(agent, windsurf, start, 'mcp_config.json'), ...rules],
    steps: [
      'copy .windsurf into your project',
      ...(hasTools(agent)
        ? [
            `put its tools into your own configuration: toolwharf connect windsurf ${shellWord(agent.path)} --name ${id}`,
          ]
        : []),
    ],
    warnings: rules
      .filter((it) => it.text.length > ruleLimit)
      .map((it) => `${it.path} has ${it.text.length} characters; Windsurf reads ${ruleLimit}`),
  };
};
