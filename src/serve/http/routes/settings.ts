import type { Host, SecretAudience, SecretEntry } from '../../../host/host.js';
import { normalizeHostName } from '../../../model/host-name.js';
import type { Json } from '../../../model/json.js';
import type { Slot } from '../../../model/slot.js';
import type { HttpCaller } from '../callers.js';
import { HttpError } from '../http-error.js';
import { operatorOf } from '../request-operator.js';
import { bodyMembers, documentSchema, type ResponseSpec, type Route, textMember } from '../route.js';

const settingsResponse: ResponseSpec = {
  description: 'Secrets and settings that packages use, and whether each is set. Values are never returned.',
  schema: documentSchema('toolwharf/settings@1', { packages: { type: 'array', items: { type: 'object' } } }),
};
const notFound: ResponseSpec = { description: 'No package has this secret or setting.' };
const path = '/api/v1/settings/{package}/{slot}';

/** Secrets and settings of packages. Values can be set, but are never returned. */
export function settingRoutes({ secrets }: Host): readonly Route[] {
  const document = async (caller: HttpCaller) => {
    const stored = await secrets.list();
    const { packages } = await (await caller.session()).packages();
    return {
      schema: 'toolwharf/settings@1',
      packages: packages.flatMap(({ id, package: pkg }) =>
        id === null || pkg === undefined
          ? []
          : [
              {
                package: id,
                slots: pkg.slots.map((slot) =>
                  entryOf(
                    slot,
                    stored.find((it) => it.package === id && it.slot === slot.name),
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
      summary: 'List the secrets and settings of all packages.',
      responses: { 200: settingsResponse },
      handle: async ({ caller }) => ({ body: await document(caller) }),
    },
    {
      method: 'PUT',
      path,
      role: 'operator',
      summary: 'Set a value and the hosts that may receive it.',
      body: {
        type: 'object',
        required: ['value'],
        additionalProperties: false,
        properties: {
          value: { type: 'string', minLength: 1, writeOnly: true },
          hosts: {
            type: 'array',
            items: { type: 'string' },
            description: 'Host names that may receive the value, including their subdomains.',
          },
          anyHost: { type: 'boolean', description: 'Allows every host to receive the value.' },
        },
      },
      responses: { 204: { description: 'The value is set.' }, 404: notFound },
      handle: async (exchange) => {
        const { caller, pathParams, body } = exchange;
        const members = bodyMembers(body, ['value', 'hosts', 'anyHost']);
        const value = textMember(members, 'value');
        const audience = audienceOf(members.hosts, members.anyHost);
        const { packages } = await (await caller.session()).packages();
        const slots = packages.find((it) => it.id === pathParams.package)?.package?.slots;
        if (slots?.some((it) => it.name === pathParams.slot) !== true)
          throw new HttpError(404, 'not_found', 'no package has this secret or setting', {
            hint: 'GET /api/v1/settings lists them',
          });
        const named = { package: pathParams.package as string, slot: pathParams.slot as string };
        await secrets.set({ ...named, value, audience, by: operatorOf(exchange) });
        return { status: 204 };
      },
    },
    {
      method: 'DELETE',
      path,
      role: 'operator',
      summary: 'Delete a value.',
      responses: { 204: { description: 'The value is deleted.' }, 404: notFound },
      handle: async (exchange) => {
        const { pathParams } = exchange;
        if (
          !(await secrets.unset(
            pathParams.package as string,
            pathParams.slot as string,
            operatorOf(exchange),
          ))
        )
          throw new HttpError(404, 'not_found', 'no value is set');
        return { status: 204 };
      },
    },
  ];
}

function entryOf(slot: Slot, stored: SecretEntry | undefined) {
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
    set: stored !== undefined,
    ...(stored === undefined
      ? {}
      : { setAt: new Date(stored.setAt).toISOString(), recipients: stored.audience }),
  };
}

function audienceOf(hosts: Json | undefined, anyHost: Json | undefined): SecretAudience {
  if (anyHost !== undefined && typeof anyHost !== 'boolean')
    throw new HttpError(400, 'usage', 'anyHost must be true or false');
  if (hosts === undefined) return { kind: anyHost === true ? 'any' : 'manifest' };
  if (anyHost === true) throw new HttpError(400, 'usage', 'use either hosts or anyHost, not both');
  const isValid =
    Array.isArray(hosts) &&
    hosts.length > 0 &&
    hosts.every(
      (it) =>
        typeof it === 'string' &&
        normalizeHostName(it) !== '' &&
        /^(?:[^\s/@?#\\%*:[\]]+|\[[\da-f:.]+\])$/i.test(it),
    );
  if (!isValid)
    throw new HttpError(400, 'usage', 'hosts must be a list of host names such as api.example.com', {
      hint: 'without a scheme, port or path',
    });
  return { kind: 'hosts', hosts: hosts as readonly string[] };
}
