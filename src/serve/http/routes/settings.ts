import type { Host, SecretAudience, SecretEntry } from '../../../host/host.js';
import { hostName } from '../../../model/host-name.js';
import type { Json } from '../../../model/json.js';
import type { Slot } from '../../../model/slot.js';
import type { Caller } from '../callers.js';
import { operatorOf } from '../operator.js';
import { Refusal } from '../refusal.js';
import { type Answered, documentOf, membersOf, type Route, textMember } from '../route.js';

const shown: Answered = {
  text: 'What packages ask for and whether it is set. Values are never shown.',
  schema: documentOf('toolwharf/settings@1', { packages: { type: 'array', items: { type: 'object' } } }),
};
const missing: Answered = { text: 'No package here asks for that.' };
const path = '/api/v1/settings/{package}/{slot}';

/** Credentials and settings of packages. Values go in and never come out. */
export function settingRoutes({ secrets }: Host): readonly Route[] {
  const document = async (caller: Caller) => {
    const kept = await secrets.list();
    const { packages } = await (await caller.session()).packages();
    return {
      schema: 'toolwharf/settings@1',
      packages: packages.flatMap(({ id, package: of }) =>
        id === null || of === undefined
          ? []
          : [
              {
                package: id,
                slots: of.slots.map((slot) =>
                  entryOf(
                    slot,
                    kept.find((it) => it.package === id && it.slot === slot.name),
                  ),
                ),
              },
            ],
      ),
    };
  };
  return [
    {
      method: 'GET',
      path: '/api/v1/settings',
      role: 'operator',
      summary: 'What each package asks for, and whether it is set.',
      answers: { 200: shown },
      answer: async ({ caller }) => ({ body: await document(caller) }),
    },
    {
      method: 'PUT',
      path,
      role: 'operator',
      summary: 'Sets a value, and who may receive it.',
      body: {
        type: 'object',
        required: ['value'],
        additionalProperties: false,
        properties: {
          value: { type: 'string', minLength: 1, writeOnly: true },
          hosts: {
            type: 'array',
            items: { type: 'string' },
            description: 'these names and those below them',
          },
          anyHost: { type: 'boolean', description: 'anybody may receive it' },
        },
      },
      answers: { 204: { text: 'It is set.' }, 404: missing },
      answer: async (exchange) => {
        const { caller, parts, body } = exchange;
        const given = membersOf(body, ['value', 'hosts', 'anyHost']);
        const value = textMember(given, 'value');
        const audience = audienceOf(given.hosts, given.anyHost);
        const { packages } = await (await caller.session()).packages();
        const asked = packages.find((it) => it.id === parts.package)?.package?.slots;
        if (asked?.some((it) => it.name === parts.slot) !== true)
          throw new Refusal(404, 'not_found', 'no package here asks for that', {
            hint: 'GET /api/v1/settings shows what packages ask for',
          });
        const named = { package: parts.package as string, slot: parts.slot as string };
        await secrets.set({ ...named, value, audience, by: operatorOf(exchange) });
        return { status: 204 };
      },
    },
    {
      method: 'DELETE',
      path,
      role: 'operator',
      summary: 'Forgets a value.',
      answers: { 204: { text: 'It is forgotten.' }, 404: missing },
      answer: async (exchange) => {
        const { parts } = exchange;
        if (!(await secrets.unset(parts.package as string, parts.slot as string, operatorOf(exchange))))
          throw new Refusal(404, 'not_found', 'no value is kept for that');
        return { status: 204 };
      },
    },
  ];
}

function entryOf(slot: Slot, kept: SecretEntry | undefined) {
  const { name, label, prompt, required, secret, plainEntry, type, choices, pattern, obtainUrl } = slot;
  return {
    name,
    label,
    ...(prompt === undefined ? {} : { prompt }),
    required,
    secret,
    masked: secret && plainEntry !== true,
    type,
    ...(choices === undefined ? {} : { choices }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(obtainUrl === undefined ? {} : { obtainUrl }),
    audience: slot.audience,
    set: kept !== undefined,
    ...(kept === undefined ? {} : { setAt: new Date(kept.setAt).toISOString(), recipients: kept.audience }),
  };
}

function audienceOf(hosts: Json | undefined, anyHost: Json | undefined): SecretAudience {
  if (anyHost !== undefined && typeof anyHost !== 'boolean')
    throw new Refusal(400, 'usage', 'anyHost must be true or false');
  if (hosts === undefined) return { kind: anyHost === true ? 'any' : 'manifest' };
  if (anyHost === true) throw new Refusal(400, 'usage', 'say hosts or anyHost, not both');
  const sound =
    Array.isArray(hosts) &&
    hosts.length > 0 &&
    hosts.every(
      (it) =>
        typeof it === 'string' && hostName(it) !== '' && /^(?:[^\s/@?#\\%*:[\]]+|\[[\da-f:.]+\])$/i.test(it),
    );
  if (!sound)
    throw new Refusal(400, 'usage', 'hosts must be plain names such as api.example.com', {
      hint: 'without a scheme, port or path',
    });
  return { kind: 'hosts', hosts: hosts as readonly string[] };
}
