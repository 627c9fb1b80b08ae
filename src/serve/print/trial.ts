import type { ServerTrial } from '../../host/host.js';
import { visibleLine } from './visible.js';

const maxTools = 20;

/** What one start of a server showed. */
export function printTrial({ status, tools, hosts, scripts, failure }: ServerTrial, name: string): string {
  if (status === 'skipped') return '';
  const lines =
    status === 'started'
      ? [`${name} started, without network and folders. It has ${tools.length} tools:`]
      : [
          `${name} did not start without network, folders and missing values: ${failure ?? 'no reason was given'}`,
        ];
  for (const it of tools.slice(0, maxTools))
    lines.push(`  ${it.name}  ${it.description.split('\n', 1)[0] ?? ''}`);
  if (tools.length > maxTools) lines.push(`  and ${tools.length - maxTools} more`);
  if (hosts.length > 0)
    lines.push(`It tried to reach ${hosts.map((it) => it.slice('net:'.length)).join(', ')}.`);
  for (const it of scripts)
    lines.push(`${it} needs a build step that was not run; to run it in the sandbox: --allow-scripts ${it}`);
  return lines.map((it) => `${visibleLine(it)}\n`).join('');
}
