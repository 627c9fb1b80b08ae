// Who may publish in a namespace: decided by the holders of the targets key, who sign the bin of the namespace.
import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import { ownKeys } from '../client/separate-keys.js';
import { canonicalText } from '../metadata/canonical-text.js';
import { delegatorOf } from '../metadata/metadata-check.js';
import type { Delegation, TargetsDocument } from '../metadata/metadata-document.js';
import { targetsContent } from '../metadata/metadata-document.js';
import {
  type RegistryKey,
  type RegistrySigner,
  registryKeyId,
  registryKeyText,
} from '../metadata/registry-key.js';
import { type KeyTable, writeSignedFile } from '../metadata/signed-file.js';
import {
  binOf,
  binRole,
  isNamespace,
  namespacePattern,
  namespaceRole,
  twinKey,
} from '../names/package-name.js';
import { type ChangedNamespace, checkedNamespace } from './namespace-file.js';
import type { RepositoryChange } from './repository-change.js';
import { signersFor } from './repository-signers.js';

export interface NamespaceApproval {
  readonly namespace: string;
  /** The keys of the publisher or team, and how many of them must sign. */
  readonly keys: readonly RegistryKey[];
  readonly threshold: number;
  /** Holders of the targets key. */
  readonly targetsSigners: readonly RegistrySigner[];
  /** Whether the keys of an approved namespace are replaced. Default: false. */
  readonly replace?: boolean | undefined;
  /** The new owners sign what was published before. Needed with `replace` if anything was, or `ownerFile`. */
  readonly ownerSigners?: readonly RegistrySigner[] | undefined;
  /** The next file of the namespace, with the same releases, as the new owners signed it on their own machines. */
  readonly ownerFile?: Buffer | undefined;
}

/** A file with more signatures than readers count could never be read. */
const maxKeys = 32;

export async function approveNamespace(change: RepositoryChange, approval: NamespaceApproval): Promise<void> {
  const { namespace, keys, threshold, targetsSigners } = approval;
  if (!isNamespace(namespace))
    throw new HostError('usage', `${JSON.stringify(namespace)} is not the name of a namespace`, {
      hint: 'use letters, digits, ".", "-" and "_"',
    });
  if (keys.length > maxKeys)
    throw new HostError(
      'usage',
      `${namespace} cannot have ${keys.length} keys; at most ${maxKeys} are allowed`,
    );
  const ids = keys.map(registryKeyId);
  if (ids.length === 0 || new Set(ids).size !== ids.length || threshold < 1 || threshold > ids.length)
    throw new HostError(
      'usage',
      new Set(ids).size !== ids.length
        ? `a key of ${namespace} is named twice`
        : `${ids.length} ${ids.length === 1 ? 'key' : 'keys'} of ${namespace} cannot give ${threshold} signatures`,
      { hint: 'name each key once, and a --threshold that they can reach' },
    );
  const { bins, targets, root } = change.view;
  const own = ownKeys(root.document, targets.document);
  const reused = ids.map((it) => own.get(it)).find((it) => it !== undefined);
  if (reused !== undefined)
    throw new HostError('usage', `a key of ${namespace} is the registry's own key for ${reused}`, {
      hint: 'a publisher creates a key of its own: toolwharf registry keys create NAME',
    });
  const bin = binOf(namespace, bins);
  const role = binRole(bin);
  const old = await change.delegated(role);
  const pattern = namespacePattern(namespace, bins);
  const existing = old?.delegations.find((it) => it.paths[0] === pattern);
  if (existing !== undefined && approval.replace !== true)
    throw new HostError('usage', `the namespace ${namespace} was approved before`, {
      hint: 'see "toolwharf registry owners"; to change its owners, replace the keys: --replace',
    });
  if (existing === undefined) await assertNoTwin(change, namespace);
  const delegation: Delegation = {
    name: existing?.name ?? namespaceRole(bin, nextNumber(old)),
    keyids: [...ids].sort(),
    threshold,
    paths: [pattern],
  };
  const delegations = [...(old?.delegations.filter((it) => it !== existing) ?? []), delegation].sort(
    byNumber,
  );
  const document: TargetsDocument = {
    role,
    version: (old?.version ?? 0) + 1,
    expires: change.expires('targets'),
    targets: {},
    keys: usedKeys(
      { ...old?.keys, ...Object.fromEntries(keys.map((it, at) => [ids[at] as string, it])) },
      delegations,
    ),
    delegations,
  };
  const parent = targets.document.delegations.find((it) => it.name === role);
  if (parent === undefined) throw new Error(`the targets file does not delegate to ${role}`);
  const published = existing === undefined ? undefined : (await namespaceIn(change, namespace))?.document;
  change.signRole(document, enoughSigners(parent, targetsSigners, `the approval of ${namespace}`));
  if (published !== undefined && approval.ownerFile !== undefined) {
    const delegator = delegatorOf(document, delegation);
    const next = checkedNamespace(
      namespace,
      approval.ownerFile,
      { delegation, delegator, document: published },
      change,
    );
    if (
      canonicalText(next.targets as unknown as Json) !== canonicalText(published.targets as unknown as Json)
    )
      throw new HostError(
        'denied',
        `the new owners of ${namespace} signed something else than what is published`,
        {
          hint: 'they sign it again: toolwharf registry renew NAMESPACE --keys DIR --save FILE',
        },
      );
    change.setRole(next, approval.ownerFile);
  } else if (published !== undefined) {
    const signers = enoughSigners(
      delegation,
      approval.ownerSigners ?? [],
      `what ${namespace} published before`,
    );
    change.signRole(
      { ...published, version: published.version + 1, expires: change.expires('namespaces') },
      signers,
    );
  }
  change.record({
    kind: 'keys',
    of: `namespace ${namespace}`,
    keys: keys.map(registryKeyText).sort(),
    threshold,
    time: change.time,
  });
}

/** Undefined: nobody was approved for it. */
export async function namespaceIn(
  change: RepositoryChange,
  namespace: string,
): Promise<ChangedNamespace | undefined> {
  const { bins } = change.view;
  const bin = await change.delegated(binRole(binOf(namespace, bins)));
  const pattern = namespacePattern(namespace, bins);
  const delegation = bin?.delegations.find((it) => it.paths[0] === pattern);
  if (bin === undefined || delegation === undefined) return undefined;
  const document =
    change.changedRole(delegation.name) ??
    (change.view.snapshot.document.versions.has(delegation.name)
      ? (await change.view.namespace(namespace))?.file?.document
      : undefined);
  return { delegation, delegator: delegatorOf(bin, delegation), document };
}

/** Throws unless enough of the signers may sign for a role. */
export function enoughSigners(
  role: Pick<Delegation, 'keyids' | 'threshold'>,
  signers: readonly RegistrySigner[],
  what: string,
): RegistrySigner[] {
  const able = signersFor(role, signers);
  if (able.length >= role.threshold) return able;
  throw new HostError(
    'denied',
    `${what} needs ${role.threshold} ${role.threshold === 1 ? 'signature' : 'signatures'}, and ${able.length} of its keys are here`,
    {
      hint: 'name each folder with keys: --keys DIR; publishers can also collect signatures: --save FILE',
    },
  );
}

/** The file of a namespace, signed by the keys that are here. Others may add their signatures. */
export function signNamespace(document: TargetsDocument, signers: readonly RegistrySigner[]): Buffer {
  return writeSignedFile(targetsContent(document), signers);
}

async function assertNoTwin(change: RepositoryChange, namespace: string): Promise<void> {
  const twin = (await change.twins()).get(twinKey(namespace));
  if (twin === undefined) {
    change.addTwin(namespace);
    return;
  }
  throw new HostError(
    'denied',
    `the name ${namespace} can be mistaken for ${twin}, which is in the registry`,
    {
      hint: 'choose another name: case, separators and letters that look alike do not count',
    },
  );
}

function usedKeys(keys: KeyTable, delegations: readonly Delegation[]): KeyTable {
  const used = new Set(delegations.flatMap((it) => it.keyids));
  return Object.fromEntries(Object.entries(keys).filter(([id]) => used.has(id)));
}

function nextNumber(bin: TargetsDocument | undefined): number {
  return Math.max(-1, ...(bin?.delegations ?? []).map(numberOf)) + 1;
}

function byNumber(a: Delegation, b: Delegation): number {
  return numberOf(a) - numberOf(b);
}

function numberOf({ name }: Delegation): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}
