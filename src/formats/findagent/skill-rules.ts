import type { Bundle } from '../../model/bundle.js';
import type { JsonObject } from '../../model/json.js';
import { codePointName, findHidden } from '../../model/unicode.js';
import { pathName, show } from '../check.js';
import { SourceText } from '../document/source-text.js';
import type { Report } from '../report.js';
import { suggest } from '../suggest.js';
import { readTextFile } from '../text-file.js';
import { isBundlePath } from './bundle-path.js';
import { agentKind, listOf, objectsOf, stringOf } from './manifest-fields.js';

/** The file with the text of a skill; undefined when the bundle has none. */
export function skillFile(bundle: Bundle, id: string): string | undefined {
  if (!isBundlePath(id)) return undefined;
  return skillPlaces(id).find((path) => bundle.read(path).kind === 'file');
}

export function skillPlaces(id: string): readonly string[] {
  return [`skills/${id}/SKILL.md`, `${id}/SKILL.md`, `${id}.md`];
}

export function checkSkills(report: Report, manifest: JsonObject, bundle: Bundle): void {
  const skills = objectsOf(manifest.skills);
  const stored = manifest.skills_source !== undefined;
  if (agentKind(manifest) === 'skills-bundle' && listOf(manifest.skills).length === 0 && !stored) {
    report.at('findagent.skills-missing', ['kind'], 'a skills-bundle needs "skills" or "skills_source"', {
      hint: 'list the skills with id, name and description',
    });
  }
  const seen = new Map<string, number>();
  for (const [index, skill] of skills) {
    const path = ['skills', index];
    const id = stringOf(skill.id);
    if (id === undefined || id === '') continue;
    if (seen.has(id)) {
      const message = `${pathName(path)} has the same id as skills[${seen.get(id)}]: ${show(id)}`;
      report.at('findagent.duplicate-skill', [...path, 'id'], message, {
        hint: 'give each skill its own id',
      });
      continue;
    }
    seen.set(id, index);
    if (!isBundlePath(id)) continue;
    const file = skillFile(bundle, id);
    if (file !== undefined) checkBody(report, bundle, file);
    else if (!stored) {
      report.at(
        'findagent.skill-body-missing',
        [...path, 'id'],
        `the bundle has no file for the skill ${show(id)}`,
        {
          hint: `write ${skillPlaces(id)[0]}, or add a skills_source`,
        },
      );
    }
  }
  const router = stringOf(manifest.router_skill_id);
  if (router !== undefined && router !== '' && !seen.has(router) && (seen.size > 0 || !stored)) {
    const meant = suggest(router, seen.keys());
    report.at(
      'findagent.router-unknown',
      ['router_skill_id'],
      `router_skill_id ${show(router)} is not the id of a skill`,
      {
        hint: meant === undefined ? 'write the id of a skill in "skills"' : `did you mean "${meant}"?`,
      },
    );
  }
}

/** Models read this text, so hidden characters are reported. */
function checkBody(report: Report, bundle: Bundle, path: string): void {
  const read = readTextFile(bundle, path);
  if (!read.ok) {
    for (const it of read.diagnostics) report.inFile(it.code, it.file, it.range, it.message, it.hint);
    return;
  }
  const source = new SourceText(read.text);
  const seen = new Set<number>();
  for (const hidden of findHidden(read.text)) {
    if (seen.has(hidden.codePoint)) continue;
    seen.add(hidden.codePoint);
    const message = `the text of the skill contains ${codePointName(hidden.codePoint)}, which is invisible to readers`;
    const range = source.range(hidden.index, hidden.index + String.fromCodePoint(hidden.codePoint).length);
    report.inFile(`text.${hidden.kind}`, read.file, range, message, 'delete it');
  }
}
