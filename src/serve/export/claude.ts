import { shellQuote } from '../../model/shell-quote.js';
import { claudeCode } from '../clients/claude-code.js';
import { claudeDesktop } from '../clients/claude-desktop.js';
import { type Agent, hasTools, safeFileName } from './agent.js';
import { configFile } from './client-config.js';
import { recipe, summary } from './recipe.js';
import type { ExportFile, Target } from './target.js';
import { neutralize, withFinalNewline, withFrontMatter } from './text.js';

/** One folder per skill. The header has only a name and a description. */
export function skillFiles(
  agent: Agent,
  folder: string,
): { files: readonly ExportFile[]; neutralized: number } {
  let neutralized = 0;
  const files = agent.skills.map(({ slug, description, text }) => {
    const safe = neutralize(text, 'claude');
    neutralized += safe.count;
    return {
      path: `${folder}/${slug}/SKILL.md`,
      text: withFrontMatter({ name: slug, description }, safe.text),
    };
  });
  return { files, neutralized };
}

export function neutralizedWarning(count: number): readonly string[] {
  return count === 0
    ? []
    : [
        `${count} ${count === 1 ? 'place' : 'places'} that the client would run or include as a file got a space, so that they stay text`,
      ];
}

export const toClaudeDesktop: Target = (agent, start) => {
  const { files, neutralized } = skillFiles(agent, 'skills');
  const config = configFile(agent, claudeDesktop, start, 'claude_desktop_config.json');
  const id = safeFileName(agent.package.id);
  return {
    files: [...config, { path: 'instructions.md', text: recipe(agent) }, ...files],
    steps: [
      ...(hasTools(agent)
        ? [
            `add its tools to your configuration: toolwharf connect claude-desktop ${shellQuote(agent.path)} --name ${id}`,
          ]
        : []),
      'create a project in Claude and paste instructions.md as its instructions',
      ...(files.length > 0
        ? ['zip each folder in skills and upload it in the settings under Capabilities']
        : []),
    ],
    warnings: neutralizedWarning(neutralized),
  };
};

export const toClaudeCode: Target = (agent, start) => {
  const { files, neutralized } = skillFiles(agent, '.claude/skills');
  const id = safeFileName(agent.package.id);
  const safe = neutralize(recipe(agent), 'claude');
  return {
    files: [
      ...configFile(agent, claudeCode, start, '.mcp.json'),
      {
        path: `.claude/agents/${id}.md`,
        text: withFinalNewline(withFrontMatter({ name: id, description: summary(agent) }, safe.text)),
      },
      ...files,
    ],
    steps: ['copy the files into your project', `start Claude Code there and ask it to use the ${id} agent`],
    warnings: neutralizedWarning(neutralized + safe.count),
  };
};
