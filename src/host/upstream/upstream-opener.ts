import type { CancelSignal } from '../../model/cancel-signal.js';
import type { JsonObject } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import type { Program } from '../../model/program.js';
import type { SlotValues } from '../../model/slot.js';
import type { NetworkReach } from '../../net/destination.js';
import type { SandboxProfile } from '../../run/sandbox-command.js';
import type { Upstream, UpstreamAnnouncement } from '../../run/upstream/upstream.js';
import type { ActionServices } from '../call/action-runner.js';
import { cleanFailure } from '../call/output-scan.js';
import type { CallScan } from '../call/secret-scanner.js';
import type { KillSwitch } from '../operator/kill-switch.js';
import type { SessionSetup } from '../session-setup.js';
import type { ProgramRef } from './announcement-registry.js';
import { coalesce } from './coalesce.js';
import { programLog } from './program-log.js';
import type { UpstreamTarget } from './upstream-connections.js';
import type { UpstreamServices } from './upstream-services.js';

/** An upstream to start or to connect to, for one caller. */
export interface UpstreamOpening {
  readonly package: Package;
  readonly program: Program;
  readonly ref: ProgramRef;
  readonly slots: SlotValues;
  readonly reach: NetworkReach;
  readonly natsUrl: string | null;
  /** Null for a program that does not run on this machine. */
  readonly profile: SandboxProfile | null;
  readonly scan: () => Promise<CallScan>;
  /** Ends the running program, so that the next use starts it again. */
  readonly end: (reason: string) => Promise<void>;
}

interface UpstreamOpenerServices {
  readonly upstreams: UpstreamServices;
  readonly actions: ActionServices;
  readonly kills: KillSwitch;
}

const handshakeTimeoutMs = 10_000;
/** Minimum time between two requests for a changed announcement. */
const refreshIntervalMs = 1000;

/**
 * Opens an upstream and cleans its texts: people and models read its announcement, its log and its errors as they
 * read a result.
 */
export function upstreamOpener(
  { package: pkg, program, ref, slots, reach, natsUrl, profile, scan, end }: UpstreamOpening,
  { upstreams, actions, kills }: UpstreamOpenerServices,
  { principal, parse }: SessionSetup,
): Pick<UpstreamTarget, 'open' | 'redact'> {
  let lastScan: CallScan | undefined;
  let upstream: Upstream | undefined;
  const refresh = async () => {
    upstreams.onLog?.(pkg.id, `${program.name} reports that its tools changed`);
    const clean = async (announced: UpstreamAnnouncement) => cleanAnnouncement(await scan(), announced);
    await upstreams.announcements.refresh(ref, upstream, clean).catch(() => end('its tools changed'));
  };
  const connectAndRecord = async (signal: CancelSignal, callScan: CallScan): Promise<Upstream> => {
    let hasEnded = false;
    const connect = await upstreams.connect[program.protocol === 'nexo' ? 'nexo' : 'mcp']();
    const opened = await connect({
      package: pkg,
      program,
      agentVersion: parse.agentVersion,
      slots,
      openProfile: async () => {
        if (profile === null) throw new Error('only a process has a sandbox profile');
        return profile;
      },
      processServices: actions.processServices,
      client: actions.client,
      reach,
      natsUrl,
      lastRevision: upstreams.announcements.get(ref)?.agreed.revision,
      timeoutMs: handshakeTimeoutMs,
      signal,
      onLog: programLog(scan, upstreams.onLog === null ? null : (line) => upstreams.onLog?.(pkg.id, line)),
      onChange: coalesce(async () => {
        if (!hasEnded) await refresh();
      }, refreshIntervalMs),
    });
    void opened.ended.then(() => {
      hasEnded = true;
    });
    try {
      await upstreams.announcements.record(ref, await cleanAnnouncement(callScan, opened.announced));
    } catch (error) {
      await opened.close('its announcement cannot be stored');
      throw error;
    }
    return opened;
  };
  return {
    async open(signal) {
      // The call pipeline checked this earlier, but the start may have waited, and not every start belongs to a call.
      kills.assertNotKilled({ principal, package: pkg.id });
      const callScan = await scan();
      lastScan = callScan;
      try {
        upstream = await connectAndRecord(signal, callScan);
        return upstream;
      } catch (error) {
        throw await cleanFailure(callScan, error);
      }
    },
    redact: (text) => lastScan?.cleanShortText(text) ?? '',
  };
}

/** The announcement without secrets that the program received. */
async function cleanAnnouncement(
  scan: CallScan,
  announced: UpstreamAnnouncement,
): Promise<UpstreamAnnouncement> {
  const { value, findings, stripped } = await scan.clean(announced as unknown as JsonObject);
  const clean = value as unknown as UpstreamAnnouncement;
  if (findings.length > 0) return clean;
  // Tools keep their hidden characters: such a tool is left out later, while a cleaned one would look harmless.
  return stripped ? { ...clean, tools: announced.tools } : announced;
}
