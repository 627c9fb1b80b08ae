import { isToolPattern } from '../../../formats/rule-config.js';
import { exemptionHint, parseExemption } from '../../../model/scan-exemption.js';
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
  'violation-actions': {
    isValid: (text) => parseViolationSetting(text) !== undefined,
    is: 'does not say what to do about a violation',
    hint: `write "PACKAGE=ACTION"; an action is ${violationActions.join(', ')}`,
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
