import type { ListedTool, PackageReport } from '../../../host/host.js';
import { isObject, type Json } from '../../../model/json.js';
import type { Package } from '../../../model/package.js';
import { splitToolName } from '../../../model/tool-name.js';
import type { Searchable, SearchablePackage } from './searchable.js';

/** A listed tool with the words by which it is found. */
export interface SearchableTool extends Searchable {
  readonly listed: ListedTool;
}

/** Returns what the index has to know about a tool. Tools of one package share the words of the package. */
export function searchableTools({ packages }: PackageReport): (listed: ListedTool) => SearchableTool {
  const byId = new Map<string | null, Package | undefined>();
  for (const it of packages) byId.set(it.id, it.package);
  const known = new Map<string, SearchablePackage>();
  return (listed) => {
    const [id] = splitToolName(listed.name);
    const ofPackage = known.get(id) ?? searchablePackage(id, byId.get(id));
    known.set(id, ofPackage);
    const { input, title, annotations, description, name } = listed.tool;
    return {
      listed,
      name: listed.renamed === true ? listed.exposed : name,
      title: title ?? annotations.title ?? '',
      description,
      inputs: isObject(input) && isObject(input.properties) ? Object.keys(input.properties) : [],
      package: ofPackage,
    };
  };
}

function searchablePackage(id: string, pkg: Package | undefined): SearchablePackage {
  const tags = (pkg?.facts ?? []).filter((it) => /tag|keyword|categor/i.test(it.label));
  return {
    id,
    name: pkg?.name ?? '',
    description: pkg?.description ?? '',
    tags: tags.map((it) => textOf(it.value)),
  };
}

function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(textOf).join(' ') : '';
}
