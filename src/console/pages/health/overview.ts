import type { HealthOverview } from '../../../host/host.js';
import type { Live } from '../../shell/live.js';
import { hostApi } from '../../shell/operations.js';
import { useSlowLive } from '../../shell/slow-live.js';

/** Counting the files of the state directory takes a moment. */
const everyMs = 5000;

export function useOverview(): Live<HealthOverview> {
  return useSlowLive(['calls', 'clients'], () => hostApi.health.overview(), { everyMs });
}
