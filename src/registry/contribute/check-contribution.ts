import { defaultParseOptions, inspect } from '../../formats/inspect.js';
import type { Bundle } from '../../model/bundle.js';
import type { ContributionFinding, ContributionVerdict } from '../../model/contribution.js';
import type { FormatParser, ParseOptions } from '../../model/format.js';
import type { Package } from '../../model/package.js';
import { checkPackageCode } from './code/check-code.js';
import {
  contributionFinding,
  decisionOf,
  diagnosticFinding,
  sortedFindings,
} from './contribution-findings.js';
import { rulesVersion } from './contribution-rules.js';
import { checkTexts } from './description/check-texts.js';
import { checkWithModel, type ModelCheck } from './model-check/check-with-model.js';
import type { TextModel } from './model-check/text-model.js';
import { checkName } from './name/check-name.js';
import { type ReadPackage, readPackageFiles } from './package-files.js';
import { checkSource, type ExpectedPackage } from './source/source-facts.js';
import type { ContributedText } from './text/contributed-text.js';
import { hiddenInFields, hiddenInFiles } from './text/hidden-text.js';
import { packageTexts } from './text/package-texts.js';

export interface Contribution {
  readonly bundle: Bundle;
  readonly format: FormatParser;
  /** What rules of the format depend on. Default: those of `inspect`. */
  readonly policy?: Partial<ParseOptions>;
  /** What the publisher says it is. Default: nothing is compared. */
  readonly expected?: ExpectedPackage;
  /** The names of the registry. */
  readonly existingNames?: Iterable<string>;
  /** Undefined: the verdict says that no model checked it, and a person must look. */
  readonly model?: TextModel | undefined;
  /** Random, in hex, at least 16 characters. */
  readonly randomId: () => string;
}

/**
 * All checks before a package is published: manifest, source, texts, descriptions, model, code, name. Every finding of
 * every check is in the verdict. Runs nothing of the package; only the model is outside of this process.
 */
export async function checkContribution(contribution: Contribution): Promise<ContributionVerdict> {
  const { bundle } = contribution;
  const { manifest } = bundle;
  const read = readPackageFiles(bundle);
  const {
    package: pkg,
    diagnostics,
    unmet = [],
  } = inspect(contribution.format, bundle, parseOptionsOf(contribution));
  const paths = new Map([manifest, ...read.files.map((it) => it.path)].map((it) => [bundle.display(it), it]));
  const texts = packageTexts(read.files, manifest, contribution.format);
  const findings: ContributionFinding[] = [
    ...read.findings,
    ...diagnostics.map((it) => diagnosticFinding(it, paths.get(it.file) ?? manifest)),
    ...unmet.map((it) =>
      contributionFinding('contribute.unmet', { file: manifest }, `not on this host: ${it}`),
    ),
    ...manifestFindings(
      pkg,
      diagnostics.some((it) => it.severity === 'error'),
      manifest,
    ),
    ...hiddenInFields(texts),
    ...hiddenInFiles(read.files, manifest),
    ...checkTexts(texts, new Set(pkg?.tools.map((it) => it.name))),
    ...checkPackageCode(read.files, manifest),
    ...packageFindings(contribution, pkg, read),
  ];
  const model = await modelCheck(contribution, texts);
  findings.push(...model.findings);
  return {
    rules: rulesVersion,
    decision: decisionOf(findings),
    package:
      pkg === undefined
        ? null
        : { format: pkg.format, id: pkg.id, version: pkg.version, tools: pkg.tools.map((it) => it.name) },
    contentDigest: read.digest,
    files: read.files.length,
    model: model.verdict,
    findings: sortedFindings(findings),
  };
}

function parseOptionsOf({ policy = {} }: Contribution): ParseOptions {
  const { agentVersion = defaultParseOptions.agentVersion, reservedIds = defaultParseOptions.reservedIds } =
    policy;
  return { agentVersion, reservedIds };
}

function manifestFindings(
  pkg: Package | undefined,
  hasErrors: boolean,
  manifest: string,
): ContributionFinding[] {
  if (pkg !== undefined || hasErrors) return [];
  return [
    contributionFinding('contribute.manifest-invalid', { file: manifest }, 'the manifest has no package'),
  ];
}

function packageFindings(
  { expected = {}, existingNames = [], bundle }: Contribution,
  pkg: Package | undefined,
  { files }: ReadPackage,
): ContributionFinding[] {
  if (pkg === undefined) return [];
  return [
    ...checkSource(pkg, files, bundle.manifest, expected),
    ...checkName(pkg.id, existingNames, bundle.manifest),
  ];
}

async function modelCheck(
  { model, randomId, bundle: { manifest } }: Contribution,
  texts: readonly ContributedText[],
): Promise<ModelCheck> {
  if (model !== undefined) return checkWithModel(texts, { model, randomId, manifest });
  const message = 'no model read the texts, so the rules alone decided about them';
  const hint = 'configure one with contribute.model.url, or let a person look';
  return {
    verdict: { status: 'not-checked' },
    findings: [contributionFinding('contribute.not-checked-by-model', { file: manifest }, message, hint)],
  };
}
