import { recipe, summary } from './recipe.js';
import type { Target } from './target.js';
import { escapeHtml, oneLine, withFinalNewline } from './text.js';

/** One page without scripts, links or external resources. All content is escaped text. */
export const toWeb: Target = (agent) => {
  const title = escapeHtml(oneLine(agent.package.name));
  const section = (heading: string, text: string) =>
    `<section><h2>${escapeHtml(oneLine(heading))}</h2><pre>${escapeHtml(text.trimEnd())}</pre></section>`;
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
</style>
</head>
<body>
<h1>${title}</h1>
<p>${escapeHtml(summary(agent))}</p>
${[section('Instructions', recipe(agent)), ...agent.skills.map((it) => section(it.title, it.text))].join('\n')}
</body>
</html>
`;
  return {
    files: [{ path: 'index.html', text: withFinalNewline(text) }],
    steps: ['open index.html, or put it on any web server; people copy the instructions from it'],
    warnings: [],
  };
};
