import type { Bundle } from '../../model/bundle.js';
import type { JsonObject } from '../../model/json.js';
import { codePointName, findHidden } from '../../model/unicode.js';
import { nameOf, show } from '../check.js';
import { SourceText } from '../document/text.js';
import type { Report } from '../report.js';
import { readText } from '../source.js';
import { suggest } from '../suggest.js';
import { isInside } from './bundle-path.js';
import { kindOf, listOf, objectsOf, textOf } from './shape.js';

/** The file that holds the words of a skill; undefined when the bundle has none. */
export function skillFile(bundle: Bundle, id: string): string | undefined {
  if (!isInside(id)) return undefined;
  return skillPlaces(id).find((path) => bundle.read(path).kind === 'file');
}

export function skillPlaces(id: string): readonly string[] {
  return [`skills/${id}/SKILL.md`, `${id}/SKILL.md`, `${id}.md`];
}

export function checkSkills(report: Report, manifest: JsonObject, bundle: Bundle): void {
  const skills = objectsOf(manifest.skills);
  const stored = manifest.skills_source !== undefined;
  if (kindOf(manifest) === 'skills-bundle' && listOf(manifest.skills).length === 0 && !stored) {
    report.at(
      'findagent.skills-missing',
      ['kind'],
      'a skills-bundle has neither "skills" nor "skills_source"',
      {
        hint: 'list the skills with id, name and description',
      },
    );
  }
  const seen = new Map<string, number>();
  for (const [index, skill] of skills) {
    const path = ['skills', index];
    const id = textOf(skill.id);
    if (id === undefined || id === '') continue;
    if (seen.has(id)) {
      const message = `${nameOf(path)} has the id ${show(id)} that skills[${seen.get(id)}] has`;
      report.at('findagent.duplicate-skill', [...path, 'id'], message, {
        hint: 'give each skill its own id',
      });
      continue;
    }
    seen.set(id, index);
    if (!isInside(id)) continue;
    const file = skillFile(bundle, id);
    if (file !== undefined) checkBody(report, bundle, file);
    else if (!stored) {
      report.at(
        'findagent.skill-body-missing',
        [...path, 'id'],
        `the bundle has no text for the skill ${show(id)}`,
        {
          hint: `write ${skillPlaces(id)[0]}, or name a skills_source`,
        },
      );
    }
  }
  const router = textOf(manifest.router_skill_id);
  if (router !== undefined && router !== '' && !seen.has(router) && (seen.size > 0 || !stored)) {
    const meant = suggest(router, seen.keys());
    report.at(
      'findagent.router-unknown',
      ['router_skill_id'],
      `router_skill_id ${show(router)} names no skill`,
      {
        hint: meant === undefined ? 'write the id of one of "skills"' : `did you mean "${meant}"?`,
      },
    );
  }
}

/** Models read these words, so nothing may hide in them. */
function checkBody(report: Report, bundle: Bundle, path: string): void {
  const read = readText(bundle, path);
  if (!read.ok) {
    for (const it of read.diagnostics) report.inFile(it.code, it.file, it.range, it.message, it.hint);
    return;
  }
  const source = new SourceText(read.text);
  const seen = new Set<number>();
  for (const hidden of findHidden(read.text)) {
    if (seen.has(hidden.codePoint)) continue;
    seen.add(hidden.codePoint);
    const message = `the text of the skill holds ${codePointName(hidden.codePoint)}, which no reader sees`;
    const range = source.range(hidden.index, hidden.index + String.fromCodePoint(hidden.codePoint).length);
    report.inFile(`text.${hidden.kind}`, read.file, range, message, 'delete it');
  }
}
