import type { OperatorAuth } from '../../../host/host.js';
import { operatorOf, signInHeader } from '../operator.js';
import { documentOf, membersOf, type Route, textMember } from '../route.js';

/** A person signs in with the PIN once for a while, instead of sending it with each decision. */
export function operatorRoutes(desk: OperatorAuth): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/operator',
      role: 'operator',
      summary: 'Whether decisions need a PIN.',
      answers: {
        200: {
          text: 'Whether one is set, and how often somebody was wrong about it.',
          schema: documentOf('toolwharf/pin@1', {
            set: { type: 'boolean' },
            failures: { type: 'integer' },
          }),
        },
      },
      answer: async () => {
        const { set, failures, waitUntil } = await desk.pin();
        const wait = waitUntil === null ? {} : { waitUntil: time(waitUntil) };
        return { body: { schema: 'toolwharf/pin@1', set, failures, ...wait } };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/operator/sign-in',
      role: 'operator',
      summary: `Shows the PIN for a quarter of an hour: the answer has a token for the header ${signInHeader}.`,
      body: {
        type: 'object',
        required: ['pin'],
        additionalProperties: false,
        properties: { pin: { type: 'string', writeOnly: true } },
      },
      answers: {
        200: {
          text: 'A token, good with this bearer token only.',
          schema: documentOf('toolwharf/sign-in@1', {
            token: { type: 'string' },
            expiresAt: { type: 'string' },
          }),
        },
        409: { text: 'No PIN is set.' },
        429: { text: 'Too many wrong ones were tried.' },
      },
      answer: async ({ caller, body }) => {
        const pin = textMember(membersOf(body, ['pin']), 'pin');
        const { token, expiresAt } = await desk.signIn({ name: caller.principal, channel: 'api', pin });
        return { body: { schema: 'toolwharf/sign-in@1', token, expiresAt: time(expiresAt) } };
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/operator/sign-in',
      role: 'operator',
      summary: `Ends the sign-in that the header ${signInHeader} names.`,
      answers: { 204: { text: 'It is over.' } },
      answer: async (exchange) => {
        const { signIn } = operatorOf(exchange);
        if (signIn !== undefined) await desk.signOut(signIn);
        return { status: 204 };
      },
    },
  ];
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
