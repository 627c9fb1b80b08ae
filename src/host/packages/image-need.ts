import { parseImageReference } from '../../model/image-reference.js';
import type { Package } from '../../model/package.js';
import type { Program } from '../../model/program.js';
import { shellQuote } from '../../model/shell-quote.js';
import { deliveredVariables } from '../../model/slot.js';
import type { Containers } from '../../sandbox/container/containers.js';
import { noEngine, noEngineHint } from '../../sandbox/container/engine.js';
import { configuresEngine } from '../../sandbox/container/engine-variables.js';
import type { NeedCheck } from './program-need.js';

/** What a program in a container image needs, or why it cannot run here. Starts nothing. */
export function imageNeed(pkg: Package, { name }: Program, image: string, { engine }: Containers): NeedCheck {
  const missing = (reason: string): NeedCheck => ({ kind: 'missing', reason });
  const reference = parseImageReference(image);
  if (reference === undefined) {
    const command = `podman image inspect --format '{{index .RepoDigests 0}}' ${shellQuote(image)}`;
    return missing(
      `its image ${image} has no digest, so it can change at any time; add "@sha256:…", as shown by: ${command}`,
    );
  }
  const steering = pkg.slots.flatMap((it) => deliveredVariables(it.delivery).filter(configuresEngine));
  if (steering.length > 0)
    return missing(`it sets ${steering.join(', ')}, which controls the container engine`);
  if (engine === undefined)
    return missing(`its program ${name} runs in a container, and ${noEngine}; ${noEngineHint}`);
  return { kind: 'ready', need: { program: name, interpreter: null, packages: null, image: reference } };
}
