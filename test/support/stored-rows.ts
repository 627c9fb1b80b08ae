// Rows of a store, for tests of all databases.
import type { ApprovalDecision } from '../../src/model/approval.js';
import type { Agreement } from '../../src/store/agreements.js';
import type { Proposal } from '../../src/store/approvals.js';
import type { RepeatableCallTable, SealedArgumentsInput } from '../../src/store/call-tables.js';
import type { StoredGeneration } from '../../src/store/installations.js';
import type { SecretTable } from '../../src/store/state-tables.js';

export const startTime = 1_700_000_000_000;

export const me: Omit<ApprovalDecision, 'at'> = { by: 'me', channel: 'terminal', verified: true };

export const heldCall = (id: string): Proposal => ({
  ...{ id, principal: 'p', client: '', session: 's', tool: 'a/b', definition: 'd', arguments: { x: 1 } },
  ...{ argumentsDigest: 'x', policy: 'l', credentials: 'c', kind: 'human_confirm', reasons: ['r'] },
  ...{ evidence: [], createdAt: startTime, expiresAt: startTime + 1000 },
});

export const secret = (version: number): SecretTable => ({
  ...{ package: 'pack', slot: 'key', audience: '{}', version, set_at: startTime },
  ...{ nonce: new Uint8Array([0, 1, 255]), sealed: new Uint8Array([version, 0, 128]) },
});

export const agreement = (number: number): Agreement => ({
  ...{ manifest: `/store/${number}/tool.json`, package: 'pack', digest: `d${number}` },
  ...{ request: '{"tools":[{"name":"go"}]}', text: '{}', paths: [`/store/${number}`] },
  ...{ acceptedAt: startTime, acceptedBy: 'me' },
});

export function generation(number: number): StoredGeneration {
  const { package: _, digest, acceptedAt: __, ...accepted } = agreement(number);
  return {
    ...{ package: 'pack', number, version: `1.${number}.0`, source: 'npm:pack', tree: `tree${number}` },
    ...{ locked: { kind: 'npm', version: `1.${number}.0` } as never, manifest: 'tool.json', digest },
    ...{ plan: `plan${number}`, lock: { version: `1.${number}.0` }, grants: ['net:a'], environments: [] },
    ...{ images: [], smoke: { status: 'none', at: 0 }, createdAt: startTime, createdBy: 'me' },
    trial: number === 1 ? null : { state: 'open', failures: 0, at: startTime },
    agreement: accepted,
  };
}

export const sealedArguments = (call_id: string): SealedArgumentsInput => ({
  ...{ call_id, key: 'k', nonce: new Uint8Array([7, 0]), sealed: new Uint8Array([1, 2, 0]), at: startTime },
});

export const repeatableCall = (call: string): RepeatableCallTable => ({
  ...{ call, principal: 'p', client: '', tool: 'pack/go', definition: 'd', arguments_digest: 'x' },
  ...{ policy: 'l', credentials: 'c', digest: 'y', approval: null, timeout_ms: 1000, starts: 1 },
  ...{
    answered_at: null,
    key: 'k',
    nonce: new Uint8Array([0]),
    sealed: new Uint8Array([0, 255]),
    at: startTime,
  },
});
