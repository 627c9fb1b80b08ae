import { mkdirSync } from 'node:fs';
import { HostError } from '../../model/host-error.js';
import { grantFor, parseGrants } from '../../policy/grant.js';
import { runSystemProgram } from '../../sandbox/system-program.js';
import { auditItem, type Keychain, systemKeychain } from '../../secrets/keychain.js';
import { anchorFile, stateKeyOf } from '../../store/anchor-file.js';
import { type AnchorPlace, serializeAnchor } from '../../store/audit-anchor.js';
import type { HostOptions } from '../options.js';
import type { AuditLocations } from './audit-reader.js';
import { postSigned, type WebhookSender } from './webhook.js';

/** A keychain starts a program for each write. */
const keychainIntervalMs = 60_000;
const webhookIntervalMs = 30_000;

/** All places where a host anchors its log. */
export function anchorPlaces(
  state: string,
  { audit, keychain }: Pick<HostOptions, 'audit' | 'keychain'>,
  sender: WebhookSender,
): AnchorPlace[] {
  const readable = readableAnchorPlaces(state, audit, keychain);
  try {
    // Before the first tool runs: sandboxes hide only folders that exist.
    if (audit?.anchorFolder !== undefined) mkdirSync(audit.anchorFolder, { recursive: true, mode: 0o700 });
  } catch {
    // The first write reports it.
  }
  return [
    ...readable,
    ...(audit?.anchorWebhook === undefined ? [] : [webhookPlace(audit.anchorWebhook, sender)]),
  ];
}

/** Places that this machine can read again: a folder, and the keychain if there is one. */
export function readableAnchorPlaces(
  state: string,
  { anchorFolder, anchorKeychain }: AuditLocations = {},
  keychain: Keychain | null = systemKeychain(process.platform, runSystemProgram, auditItem),
): AnchorPlace[] {
  return [
    ...(anchorFolder === undefined ? [] : [anchorFile(anchorFolder, state)]),
    ...(anchorKeychain === true && keychain !== null ? [keychainPlace(state, keychain)] : []),
  ];
}

/** The value is one word: some keychain programs split their input at spaces. */
function keychainPlace(state: string, keychain: Keychain): AnchorPlace {
  const id = `audit-${stateKeyOf(state)}`;
  return {
    name: `${keychain.name} (${id})`,
    intervalMs: keychainIntervalMs,
    isOptional: true,
    async read() {
      const value = await keychain.read(id);
      return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
    },
    write: (anchor) =>
      // The evidence of earlier rollbacks stays in the log and the other places; a keychain takes only short values.
      keychain.write(id, Buffer.from(serializeAnchor({ ...anchor, contradicted: [] })).toString('base64')),
  };
}

/** Receives the newest checkpoint. What the receiver has seen cannot be taken back from here. */
function webhookPlace(
  { url, allow = [], certificates }: NonNullable<AuditLocations['anchorWebhook']>,
  sender: WebhookSender,
): AnchorPlace {
  const granted = grantFor(parseGrants(allow), 'toolwharf').network;
  return {
    name: `the webhook ${url}`,
    intervalMs: webhookIntervalMs,
    isOptional: false,
    read: null,
    async write({ verifierKey, note }) {
      const body = JSON.stringify({ schema: 'toolwharf/audit-checkpoint@1', verifierKey, note });
      const status = await postSigned(
        sender,
        { url, granted, certificates },
        body,
        AbortSignal.timeout(30_000),
      );
      if (status < 200 || status >= 300)
        throw new HostError('unavailable', `the webhook answered with status ${status}`);
    },
  };
}
