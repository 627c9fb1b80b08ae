import { AuditState } from '../../parts/audit-state.js';
import type { ConsolePage } from '../page.js';
import { HealthChecks } from './health-checks.js';
import { HostFacts } from './host-facts.js';
import { LimitMeters } from './limit-meters.js';
import { StoppedTargets } from './stopped-targets.js';
import { WaiversInForce } from './waivers-in-force.js';

export const healthPage: ConsolePage = {
  path: 'health',
  title: 'Health',
  key: 'h',
  icon: 'M3 12h4l3-7 4 14 3-7h4',
  view: HealthOfHost,
};

function HealthOfHost() {
  return (
    <div class="page health">
      <header>
        <h1>Health</h1>
        <p class="dim">Whether this host and its machine do what they promise.</p>
      </header>
      <StoppedTargets />
      <HealthChecks />
      <HostFacts />
      <LimitMeters />
      <AuditState />
      <WaiversInForce />
    </div>
  );
}
