import type { PackageStateName } from '../../../host/host.js';
import { Status, type Tone } from '../../parts/status.js';

const tones: Readonly<Record<PackageStateName, Tone>> = {
  ready: 'good',
  'needs-setup': 'warning',
  'needs-review': 'warning',
  unavailable: 'neutral',
  disabled: 'neutral',
  broken: 'bad',
  killed: 'bad',
};

export function PackageStatusText({ state }: { readonly state: PackageStateName }) {
  return <Status tone={tones[state]}>{state === 'killed' ? 'stopped' : state.replace('-', ' ')}</Status>;
}
