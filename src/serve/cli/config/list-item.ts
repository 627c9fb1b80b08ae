import { isToolPattern } from '../../../formats/rule-config.js';
import { exemptionHint, parseExemption } from '../../../model/scan-exemption.js';
import { parseServerRequest } from '../../../model/server-request.js';
import {
  hiddenInputHint,
  hideSettingHint,
  inputSettingHint,
  modeSettingHint,
  parseHiddenInput,
  parseHideSetting,
  parseInputSetting,
  parseModeSetting,
} from '../../../model/taint-setting.js';
import { parseViolationSetting, violationActions } from '../../../model/violation.js';
import type { ConfigKind } from './config-keys.js';

/** One kind of text in a list of the configuration. */
interface ListItem {
  readonly isValid: (text: string) => boolean;
  /** What is wrong with other texts, after the text itself. */
  readonly is: string;
  readonly hint: string;
}

/** The texts that lists may contain, except for paths and grants. */
export const listItems: { readonly names: ListItem } & Partial<Record<ConfigKind, ListItem>> = {
  tools: {
    isValid: isToolPattern,
    is: 'is not a tool pattern',
    hint: 'write a package or "package/tool"; * matches any characters',
  },
  exemptions: {
    isValid: (text) => parseExemption(text) !== undefined,
    is: 'is not an exemption from the scanner',
    hint: exemptionHint,
  },
  'server-requests': {
    isValid: (text) => parseServerRequest(text) !== undefined,
    is: 'is not something that servers may ask for',
    hint: 'write "sampling" or "roots", with PACKAGE= before it for one package only',
  },
  'violation-actions': {
    isValid: (text) => parseViolationSetting(text) !== undefined,
    is: 'does not say what to do about a violation',
    hint: `write "PACKAGE=ACTION"; an action is ${violationActions.join(', ')}`,
  },
  'taint-modes': {
    isValid: (text) => parseModeSetting(text) !== undefined,
    is: 'does not say how strictly calls are judged',
    hint: modeSettingHint,
  },
  'taint-inputs': {
    isValid: (text) => parseInputSetting(text) !== undefined,
    is: 'does not say what an input decides',
    hint: inputSettingHint,
  },
  'hidden-results': {
    isValid: (text) => parseHideSetting(text) !== undefined,
    is: 'does not say which results are hidden',
    hint: hideSettingHint,
  },
  'hidden-inputs': {
    isValid: (text) => parseHiddenInput(text) !== undefined,
    is: 'does not name an input',
    hint: hiddenInputHint,
  },
  'own-values': {
    isValid: (text) => text.trim() === text && text.length >= 3,
    is: 'is too short, or begins or ends with a space',
    hint: 'write an address, an account or a host of your own',
  },
  'oauth-clients': {
    isValid: (text) => /^https?:\/\/[^\s]+ [\x21-\x7e]+$/.test(text),
    is: 'is not a registered client',
    hint: 'write the issuer and the client id: "https://auth.example.com CLIENT_ID"',
  },
  'folder-names': {
    isValid: (text) => !/[/\\]/.test(text) && text !== '.' && text !== '..',
    is: 'is not a folder name',
    hint: 'write names such as "vendor"; every folder with that name is skipped',
  },
  names: {
    isValid: (text) => !/[\s/]/.test(text),
    is: 'is not a package id',
    hint: '"toolwharf list" shows the ids',
  },
};
