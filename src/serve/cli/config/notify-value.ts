import { suggest } from '../../../formats/suggest.js';
import { isLoopbackHost } from '../../../model/host-name.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import { type NotifyKind, type NotifyTarget, notifyKinds, ntfyTopic } from '../../../model/notify-target.js';
import { checkWebUrl } from './config-url.js';
import type { ValueProblem } from './value-problem.js';

const members = ['kind', 'url', 'url_secret', 'token_secret', 'arguments'];
const maxTargets = 10;
const secretName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export type CheckedTargets =
  | { readonly ok: true; readonly value: readonly NotifyTarget[] }
  | { readonly ok: false; readonly problems: readonly ValueProblem[] };

/** Checks the tables `[[notify]]`. */
export function checkNotifyTargets(value: Json): CheckedTargets {
  const problem = (code: ValueProblem['code'], message: string, hint: string): CheckedTargets => ({
    ok: false,
    problems: [{ code, message, hint }],
  });
  if (!Array.isArray(value) || !value.every(isObject))
    return problem('schema.type', 'notify is not a list of tables', 'write [[notify]] before each target');
  if (value.length > maxTargets)
    return problem('schema.range', `notify has ${value.length} targets`, `use at most ${maxTargets}`);
  const found = value.map(readTarget);
  const problems = found.flatMap((it, index) =>
    it.problems.map((one) => ({ ...one, at: [index, ...(one.at ?? [])] })),
  );
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: found.map((it) => it.target) };
}

function readTarget(table: JsonObject): { target: NotifyTarget; problems: readonly ValueProblem[] } {
  const { kind, url, url_secret: urlSecret, token_secret: tokenSecret, arguments: withArguments } = table;
  const problems: ValueProblem[] = [];
  for (const name of Object.keys(table).filter((it) => !members.includes(it))) {
    const meant = suggest(name, members);
    const hint =
      name === 'token'
        ? 'a token is a secret: toolwharf secret set @notify NAME --host HOST, then token_secret = "NAME"'
        : meant === undefined
          ? `write ${members.join(', ')}`
          : `did you mean ${meant}?`;
    problems.push({
      code: 'schema.closed',
      message: `unknown member ${name}`,
      hint,
      at: [name],
      spot: 'key',
    });
  }
  if (!notifyKinds.includes(kind as NotifyKind))
    problems.push({
      code: kind === undefined ? 'schema.required' : 'schema.enum',
      message: kind === undefined ? 'the target has no kind' : `kind is ${JSON.stringify(kind)}`,
      hint: `write kind = ${notifyKinds.map((it) => `"${it}"`).join(' or ')}`,
      at: kind === undefined ? [] : ['kind'],
    });
  if ((url === undefined) === (urlSecret === undefined))
    problems.push({
      code: 'schema.required',
      message: url === undefined ? 'the target has no URL' : 'the target has url and url_secret',
      hint: 'write url = "https://…", or url_secret = "NAME" if the URL is a secret',
    });
  if (url !== undefined) problems.push(...urlProblems(kind, url));
  for (const [name, given] of [
    ['url_secret', urlSecret],
    ['token_secret', tokenSecret],
  ] as const)
    if (given !== undefined && !(typeof given === 'string' && secretName.test(given)))
      problems.push({
        code: 'schema.pattern',
        message: `${name} is not the name of a value`,
        hint: 'write the NAME of "toolwharf secret set @notify NAME", never the value itself',
        at: [name],
      });
  if (kind === 'slack' && tokenSecret !== undefined)
    problems.push({
      code: 'schema.closed',
      message: 'token_secret has no use for slack',
      hint: 'remove it: the URL of the webhook is the secret',
      at: ['token_secret'],
      spot: 'key',
    });
  if (withArguments !== undefined && typeof withArguments !== 'boolean')
    problems.push({
      code: 'schema.type',
      message: 'arguments is not true or false',
      hint: 'write true to send the arguments of calls, else remove it',
      at: ['arguments'],
    });
  const target: NotifyTarget = {
    kind: kind as NotifyKind,
    ...(typeof url === 'string' ? { url } : {}),
    ...(typeof urlSecret === 'string' ? { urlSecret } : {}),
    ...(typeof tokenSecret === 'string' ? { tokenSecret } : {}),
    ...(withArguments === true ? { arguments: true } : {}),
  };
  return { target, problems };
}

function urlProblems(kind: Json | undefined, url: Json): readonly ValueProblem[] {
  const at = ['url'];
  if (typeof url !== 'string')
    return [{ code: 'schema.type', message: 'url is not a string', hint: 'write it in quotes', at }];
  const checked = checkWebUrl({ name: 'url' }, url);
  // The message of another problem could repeat a secret.
  if (kind === 'slack' && !(URL.canParse(url) && isLoopbackHost(new URL(url).hostname)))
    return [
      {
        code: 'schema.format',
        message: 'the URL of a Slack webhook is a secret and must not be in this file',
        hint: 'toolwharf secret set @notify slack, then url_secret = "slack" in place of url',
        at,
      },
    ];
  if (typeof checked !== 'string') return [{ ...checked, at }];
  if (kind === 'ntfy' && ntfyTopic(url) === undefined)
    return [
      {
        code: 'schema.format',
        message: 'url has no topic',
        hint: 'write the URL of a topic, such as https://ntfy.example.com/my-topic',
        at,
      },
    ];
  return [];
}
