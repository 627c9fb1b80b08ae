import { checkWritable, readSettingsFile, replaceSettings } from '../../clients/settings-file.js';
import type { ExemptionChange, ExemptionFile } from '../../http/console/console-exemptions.js';
import { changeConfig, changeLines, configKeyNamed, writtenSetting } from './config-change.js';
import { checkValue } from './config-value.js';

/** Adds exemptions from the scanner to a configuration file, as `config set scan.exempt` does with the longer list. */
export function exemptionFile({
  path,
  home,
}: {
  readonly path: string;
  readonly home: string;
}): ExemptionFile {
  const key = configKeyNamed('scan.exempt');
  const change = async (setting: string) => {
    const file = readSettingsFile(path);
    const target = { kind: 'user', path, home, text: file.text ?? '' } as const;
    const before = await writtenSetting(target.text, 'scan.exempt');
    const list = Array.isArray(before) ? (before as readonly string[]) : [];
    const after = list.includes(setting) ? list : [...list, setting];
    const checked = checkValue(key, after, { folder: home, home });
    if (!checked.ok) throw new Error(`${setting} is not an exemption`);
    const made = await changeConfig(key, after, target);
    const lines = made.text === target.text ? [] : changeLines(made);
    return { file, text: made.text, change: { file: path, lines } satisfies ExemptionChange };
  };
  return {
    plan: async (setting) => (await change(setting)).change,
    async write(setting) {
      const made = await change(setting);
      if (made.change.lines.length > 0) {
        checkWritable(made.file);
        replaceSettings(made.file, made.text, 'private', () => undefined);
      }
      return made.change;
    },
  };
}
