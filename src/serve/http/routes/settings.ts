import type { Host, SecretAudience, SecretEntry } from '../../../host/host.js';
import { secretAudience } from '../../../host/operations/operator-shapes.js';
import {
  anyText,
  arrayOf,
  boolean,
  isoTime,
  object,
  oneOf,
  optional,
  secretText,
  text,
} from '../../../host/operations/shape.js';
import { normalizeHostName } from '../../../model/host-name.js';
import type { Slot } from '../../../model/slot.js';
import type { HttpCaller } from '../callers.js';
import { HttpError } from '../http-error.js';
import { operatorOf } from '../request-operator.js';
import { bodyOf, documentSchema, type ResponseSpec, type Route } from '../route.js';

const slotEntry = object({
  name: text(),
  label: anyText(),
  prompt: optional(anyText()),
  required: boolean(),
  secret: boolean(),
  masked: boolean('Whether the value is hidden while it is typed.'),
  type: oneOf(['text', 'json', 'number', 'boolean', 'choice']),
  choices: optional(arrayOf(anyText())),
  pattern: optional(anyText('A regular expression that the whole value must match.')),
  obtainUrl: optional(anyText('A web page where the value can be obtained.')),
  audience: object({ kind: oneOf(['hosts', 'unbound', 'public']), hosts: optional(arrayOf(anyText())) }),
  set: boolean(),
  setAt: optional(isoTime()),
  recipients: optional(secretAudience),
});
const valueBody = object({
  value: secretText(),
  hosts: optional(arrayOf(anyText(), 'Host names that may receive the value, including their subdomains.')),
  anyHost: optional(boolean('Allows every host to receive the value.')),
});
const settingsResponse: ResponseSpec = {
  description: 'Secrets and settings that packages use, and whether each is set. Values are never returned.',
  schema: documentSchema('toolwharf/settings@1', {
    packages: arrayOf(object({ package: text(), slots: arrayOf(slotEntry) })),
  }),
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
      body: valueBody.schema,
      responses: { 204: { description: 'The value is set.' }, 404: notFound },
      handle: async (exchange) => {
        const { caller, pathParams, body } = exchange;
        const { value, hosts, anyHost } = bodyOf(valueBody, body);
        const audience = audienceOf(hosts, anyHost);
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

function audienceOf(hosts: readonly string[] | undefined, anyHost: boolean | undefined): SecretAudience {
  if (hosts === undefined) return { kind: anyHost === true ? 'any' : 'manifest' };
  if (anyHost === true) throw new HttpError(400, 'usage', 'use either hosts or anyHost, not both');
  const isValid =
    hosts.length > 0 &&
    hosts.every((it) => normalizeHostName(it) !== '' && /^(?:[^\s/@?#\\%*:[\]]+|\[[\da-f:.]+\])$/i.test(it));
  if (!isValid)
    throw new HttpError(400, 'usage', 'hosts must be a list of host names such as api.example.com', {
      hint: 'without a scheme, port or path',
    });
  return { kind: 'hosts', hosts };
}
