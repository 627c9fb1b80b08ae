import { HostError } from '../../../model/host-error.js';
import type { ContributionModel, Terminal } from '../terminal/terminal.js';
import { settingOf } from './config.js';
import type { ConfigEntry } from './config-layers.js';

/** The model of the configuration; undefined if there is none. Half a configuration is an error, never no model. */
export function contributionModel(
  entries: readonly ConfigEntry[],
  environment: Terminal['environment'],
): ContributionModel | undefined {
  const text = (key: 'url' | 'name' | 'key_variable') =>
    settingOf(entries, `contribute.model.${key}`) as string | undefined;
  const [url, name, keyVariable] = [text('url'), text('name'), text('key_variable')];
  if (url === undefined && name === undefined && keyVariable === undefined) return undefined;
  if (url === undefined || name === undefined)
    throw new HostError(
      'invalid_config',
      `contribute.model.${url === undefined ? 'url' : 'name'} is not set`,
      {
        hint: 'set both contribute.model.url and contribute.model.name in your config.toml, or neither',
      },
    );
  if (keyVariable !== undefined && (environment[keyVariable] ?? '') === '')
    throw new HostError('needs_setup', `the variable ${keyVariable} with the key of the model is not set`, {
      hint: `set it first: export ${keyVariable}=…; contribute.model.key_variable names it`,
    });
  const shape = settingOf(entries, 'contribute.model.shape') as ContributionModel['shape'];
  return { url, shape, name, keyVariable };
}
