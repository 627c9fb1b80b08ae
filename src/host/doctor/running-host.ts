import { statfs } from 'node:fs/promises';
import { folderUse } from '../../files/folder-use.js';
import type { AuditVerdict } from '../../model/audit.js';
import type { ProbeResult } from '../../sandbox/sandbox.js';
import type { Keychain } from '../../secrets/keychain.js';
import type { LimitLedger } from '../../store/limit-ledger.js';
import type { StoredReleaseWarning } from '../../store/release-warnings.js';
import type { Check, Health, Switches } from '../host.js';
import type { QuarantineOperations } from '../operator/operator.js';
import type { OperatorAuth } from '../operator/operator-auth.js';
import { auditCheck } from './audit.js';
import { checkMachine, type MachineOptions } from './doctor.js';
import { releaseChecks } from './releases.js';
import { disabledPackages, movedFiles, pinCheck } from './state.js';
import { checkVaultKey } from './vault.js';

/** Files of a state directory that are counted. More take too long to count for a page. */
const maxFiles = 200_000;

export interface RunningHostServices {
  readonly state: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly activeCalls: () => number;
  /** What to test the machine with, and a function that ends it. */
  readonly openMachine: () => Promise<{ readonly options: MachineOptions; close(): Promise<void> }>;
  readonly sandbox: MachineOptions['sandbox'];
  readonly facts: () => MachineOptions['machine'];
  readonly keychain: Keychain | null;
  readonly limits: Pick<LimitLedger, 'inUse'>;
  readonly operatorAuth: Pick<OperatorAuth, 'pin'>;
  readonly switches: Pick<Switches, 'disabled'>;
  readonly quarantine: Pick<QuarantineOperations, 'list'>;
  /** About the releases that are served now. */
  readonly releaseWarnings: () => Promise<readonly StoredReleaseWarning[]>;
  readonly verifyAudit: () => Promise<AuditVerdict>;
}

/** The health of a running host. Its database is open here, so the state is read through the host and not from its files. */
export function runningHostHealth(services: RunningHostServices): Health {
  const { state, startedAt, sandbox, facts, limits } = services;
  let running: Promise<readonly Check[]> | undefined;
  return {
    async overview() {
      const { node, platform, arch } = facts();
      const [{ bavail, blocks, bsize }, use] = await Promise.all([statfs(state), folderUse(state, maxFiles)]);
      return {
        startedAt,
        node: node.version,
        platform: `${platform} on ${arch}`,
        sandbox: { name: sandbox.name, ...verdictOf(await sandbox.probe({ onlyShown: true })) },
        activeCalls: services.activeCalls(),
        disk: {
          path: state,
          freeBytes: bavail * bsize,
          totalBytes: blocks * bsize,
          parts: use.parts.slice(0, 8),
          complete: use.complete,
        },
        limits: await limits.inUse(),
      };
    },
    check() {
      // Two tests at once would find the connections and the memory of each other.
      running ??= checkAll(services).finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

async function checkAll(services: RunningHostServices): Promise<readonly Check[]> {
  const machine = await services.openMachine();
  try {
    const disabled = await services.switches.disabled();
    const moved = await services.quarantine.list();
    return [
      ...(await checkMachine(machine.options)),
      await checkVaultKey(services.state, services.keychain),
      pinCheck((await services.operatorAuth.pin()).set),
      auditCheck(
        await services.verifyAudit(),
        true,
        'set audit.anchor_dir in the configuration (docs/config.md)',
      ),
      ...(disabled.length === 0 ? [] : [disabledPackages(disabled)]),
      ...(moved.length === 0 ? [] : [movedFiles(moved.map((it) => it.path))]),
      ...releaseChecks(await services.releaseWarnings()),
    ];
  } finally {
    await machine.close();
  }
}

function verdictOf(result: ProbeResult) {
  switch (result.level) {
    case 'enforced':
      return { level: result.level, reasons: [], fix: null };
    default:
      return { level: result.level, reasons: result.reasons, fix: result.hint ?? null };
  }
}
