import type { HealthOverview } from '../../../host/host.js';
import { bytesText, countText } from '../../parts/amount-text.js';
import { CommandText } from '../../parts/command-text.js';
import { MeterBar } from '../../parts/meter.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Loaded, Section } from '../../parts/section.js';
import { Status, type Tone } from '../../parts/status.js';
import { TimeText } from '../../parts/time-text.js';
import { state } from '../../shell/connection.js';
import { useLive } from '../../shell/live.js';
import { hostApi } from '../../shell/operations.js';
import { useOverview } from './overview.js';

const sandboxTones: Readonly<Record<HealthOverview['sandbox']['level'], Tone>> = {
  enforced: 'good',
  degraded: 'warning',
  unavailable: 'bad',
};

/** The sandbox, the versions, the disk, and what runs now. */
export function HostFacts() {
  const overview = useOverview();
  const processes = useLive(['calls'], () => hostApi.processes());
  return (
    <Loaded from={overview}>
      {({ sandbox, node, platform, startedAt, activeCalls, disk }) => (
        <>
          <Section title="This host">
            <div class="card">
              <dl class="facts">
                <dt>Sandbox</dt>
                <dd>
                  {sandbox.name} <Status tone={sandboxTones[sandbox.level]}>{sandbox.level}</Status>
                  {sandbox.reasons.map((it) => (
                    <div key={it}>
                      <RevealedText text={it} />
                    </div>
                  ))}
                </dd>
                <dt>Versions</dt>
                <dd>
                  Toolwharf {state.value?.version}, Node {node}, {platform}
                </dd>
                <dt>Started</dt>
                <dd>
                  <TimeText at={startedAt} />
                </dd>
                <dt>Running</dt>
                <dd>
                  {countText(activeCalls, 'call')}
                  {processes.value !== undefined &&
                    `; processes: ${processes.value.call} of calls, ${processes.value.pooled} kept, ${processes.value.prestarted} ready`}
                </dd>
              </dl>
              {sandbox.fix !== null && <CommandText text={sandbox.fix} what="the fix of the sandbox" />}
            </div>
          </Section>
          <Disk disk={disk} />
        </>
      )}
    </Loaded>
  );
}

const lowBytes = 1_000_000_000;

function Disk({ disk }: { readonly disk: HealthOverview['disk'] }) {
  const { path, freeBytes, totalBytes, parts, complete } = disk;
  const used = parts.reduce((sum, it) => sum + it.bytes, 0);
  const isLow = freeBytes < lowBytes;
  const most = Math.max(1, ...parts.map((it) => it.bytes));
  return (
    <Section title="Disk">
      <div class="card">
        <p>
          {bytesText(freeBytes)} of {bytesText(totalBytes)} are free.{' '}
          {isLow && <Status tone="bad">low: the audit log needs space</Status>}
        </p>
        <MeterBar
          value={totalBytes - freeBytes}
          max={totalBytes}
          label={`${bytesText(totalBytes - freeBytes)} of ${bytesText(totalBytes)} are used`}
          tone={isLow ? 'bad' : 'info'}
        />
        <p class="dim">
          <RevealedText text={path} /> takes {complete ? '' : 'more than '}
          {bytesText(used)}:
        </p>
        <ul class="parts">
          {parts.map(({ name, bytes }) => (
            <li key={name}>
              <span>
                <RevealedText text={name} />
              </span>
              <span>{bytesText(bytes)}</span>
              <MeterBar value={bytes} max={most} label={`${name}: ${bytesText(bytes)}`} />
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}
