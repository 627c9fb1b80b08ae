import { shellQuote } from '../../model/shell-quote.js';
import { cursor } from '../clients/cursor.js';
import { vscode } from '../clients/vscode.js';
import { windsurf } from '../clients/windsurf.js';
import { hasTools, safeFileName } from './agent.js';
import { neutralizedWarning, skillFiles } from './claude.js';
import { configFile } from './client-config.js';
import { recipe, summary } from './recipe.js';
import type { Target } from './target.js';
import { withFrontMatter } from './text.js';

export const toCursor: Target = (agent, start) => {
  const id = safeFileName(agent.package.id);
  const rule = (name: string, description: string, text: string) => ({
    path: `.cursor/rules/${name}.mdc`,
    text: withFrontMatter({ description, alwaysApply: false }, text),
  });
  return {
    files: [
      ...configFile(agent, cursor, start, '.cursor/mcp.json'),
      rule(id, summary(agent), recipe(agent)),
      ...agent.skills.map((it) => rule(`${id}-${it.slug}`, it.description, it.text)),
    ],
    steps: ['copy the files into your project', `mention the rule in a chat: @${id}`],
    warnings: [],
  };
};

export const toVscode: Target = (agent, start) => {
  const id = safeFileName(agent.package.id);
  const { files, neutralized } = skillFiles(agent, '.github/skills');
  return {
    files: [
      ...configFile(agent, vscode, start, '.vscode/mcp.json'),
      {
        path: `.github/agents/${id}.agent.md`,
        text: withFrontMatter({ name: agent.package.name, description: summary(agent) }, recipe(agent)),
      },
      ...files,
    ],
    steps: ['copy the files into your project', `choose the agent ${agent.package.name} in the chat`],
    warnings: neutralizedWarning(neutralized),
  };
};

/** Windsurf reads at most this many characters of one rule. */
const ruleLimit = 12_000;

export const toWindsurf: Target = (agent, start) => {
  const id = safeFileName(agent.package.id);
  const rule = (name: string, description: string, text: string) => ({
    path: `.windsurf/rules/${name}.md`,
    text: withFrontMatter({ trigger: 'model_decision', description }, text),
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
            `add its tools to your configuration: toolwharf connect windsurf ${shellQuote(agent.path)} --name ${id}`,
          ]
        : []),
    ],
    warnings: rules
      .filter((it) => it.text.length > ruleLimit)
      .map((it) => `${it.path} has ${it.text.length} characters; Windsurf reads only ${ruleLimit}`),
  };
};
