import type { OperatorAuth } from '../../../host/host.js';
import {
  boolean,
  integer,
  isoTime,
  object,
  optional,
  secretText,
  text,
} from '../../../host/operations/shape.js';
import { operatorOf, signInHeader } from '../request-operator.js';
import { bodyOf, documentSchema, type Route } from '../route.js';

const pinBody = object({ pin: secretText() });

/** Sign-in with the PIN, so that it need not be sent with every decision. */
export function operatorRoutes(operatorAuth: OperatorAuth): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/operator',
      role: 'operator',
      summary: 'Get the PIN status.',
      responses: {
        200: {
          description: 'Whether a PIN is set, and the number of failed attempts.',
          schema: documentSchema('toolwharf/pin@1', {
            set: boolean(),
            failures: integer('Wrong attempts since the last correct one.'),
            waitUntil: optional(isoTime('No PIN is accepted before this time.')),
          }),
        },
      },
      handle: async () => {
        const { set, failures, waitUntil } = await operatorAuth.pin();
        const wait = waitUntil === null ? {} : { waitUntil: time(waitUntil) };
        return { body: { schema: 'toolwharf/pin@1', set, failures, ...wait } };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/operator/sign-in',
      role: 'operator',
      summary: `Sign in with the PIN for 15 minutes. Send the returned token in the header ${signInHeader}.`,
      body: pinBody.schema,
      responses: {
        200: {
          description: 'The sign-in token. It works only with the same bearer token.',
          schema: documentSchema('toolwharf/sign-in@1', {
            token: text(),
            expiresAt: isoTime(),
          }),
        },
        409: { description: 'No PIN is set.' },
        429: { description: 'Too many wrong PINs. Try again later.' },
      },
      handle: async ({ caller, body }) => {
        const { pin } = bodyOf(pinBody, body);
        const { token, expiresAt } = await operatorAuth.signIn({
          name: caller.principal,
          channel: 'api',
          pin,
        });
        return { body: { schema: 'toolwharf/sign-in@1', token, expiresAt: time(expiresAt) } };
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/operator/sign-in',
      role: 'operator',
      summary: `End the sign-in in the header ${signInHeader}.`,
      responses: { 204: { description: 'The sign-in has ended.' } },
      handle: async (exchange) => {
        const { signIn } = operatorOf(exchange);
        if (signIn !== undefined) await operatorAuth.signOut(signIn);
        return { status: 204 };
      },
    },
  ];
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
