import type { Package } from '../../model/package.js';
import type { ReleaseSummary } from './release-summary.js';

const tagLabels = new Set(['tags', 'keywords', 'categories', 'category']);

/** What people search for, taken from the manifest. */
export function summaryOfPackage(pkg: Package): Omit<ReleaseSummary, 'name' | 'version'> {
  const tags = pkg.facts
    .filter((it) => tagLabels.has(it.label.toLowerCase()))
    .flatMap(({ value }) => (Array.isArray(value) ? value : [value]))
    .filter((it): it is string => typeof it === 'string');
  return {
    title: pkg.name,
    description: pkg.description,
    format: pkg.format,
    tags: [...new Set([...tags, ...pkg.prompts.flatMap((it) => it.tags)])],
    tools: [...pkg.tools.map((it) => it.name), ...pkg.prompts.map((it) => it.name)],
  };
}
