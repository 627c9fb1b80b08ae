import type { Bundle } from '../../model/bundle.js';
import type { JsonObject } from '../../model/json.js';
import { show } from '../check.js';
import { suggest } from '../suggest.js';
import { checkPromptText } from '../text-check.js';
import { readTextFile } from '../text-file.js';
import { uniqueNames } from '../unique-names.js';
import { isBundlePath } from './bundle-path.js';
import type { FindagentReport } from './codes.js';
import { agentKind, isSkillTool, listOf, objectOf, objectsOf, stringOf } from './manifest-fields.js';

/** The file with the text of a skill; undefined when the bundle has none. */
export function skillFile(bundle: Bundle, id: string): string | undefined {
  if (!isBundlePath(id)) return undefined;
  return skillPlaces(id).find((path) => bundle.read(path).kind === 'file');
}

export function skillPlaces(id: string): readonly string[] {
  return [`skills/${id}/SKILL.md`, `${id}/SKILL.md`, `${id}.md`];
}

export function checkSkills(report: FindagentReport, manifest: JsonObject, bundle: Bundle): void {
  const skills = objectsOf(manifest.skills).filter(([, it]) => !isSkillTool(manifest, it));
  const stored = manifest.skills_source !== undefined;
  if (agentKind(manifest) === 'skills-bundle' && listOf(manifest.skills).length === 0 && !stored) {
    report.at('findagent.skills-missing', ['kind'], 'a skills-bundle needs "skills" or "skills_source"', {
      hint: 'list the skills with id, name and description',
    });
  }
  const key = stringOf(objectOf(manifest.skills_source).key);
  if (key !== undefined && key !== '' && !isBundlePath(key.replace(/\/+$/, ''))) {
    report.at(
      'file.path-escape',
      ['skills_source', 'key'],
      `skills_source.key ${show(key)} is not a plain key`,
      {
        hint: 'write it with "/" between its parts, without ".." and without a "/" at the start',
      },
    );
  }
  const ids = new Set<string>();
  const checkId = uniqueNames(report, {
    code: 'findagent.duplicate-skill',
    member: 'id',
    hint: 'give each skill its own id',
  });
  for (const [index, skill] of skills) {
    const path = ['skills', index];
    const id = stringOf(skill.id);
    if (id === undefined || id === '') continue;
    if (!checkId(path, id)) continue;
    ids.add(id);
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
  if (router !== undefined && router !== '' && !ids.has(router) && (ids.size > 0 || !stored)) {
    const meant = suggest(router, ids);
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
function checkBody(report: FindagentReport, bundle: Bundle, path: string): void {
  const read = readTextFile(bundle, path);
  if (read.ok) checkPromptText(report, read.file, read.text, 'the text of the skill');
  else report.add(read.diagnostics);
}
