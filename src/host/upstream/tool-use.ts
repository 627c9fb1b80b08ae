import type { SlotValues } from '../../model/slot.js';
import type { Tool } from '../../model/tool.js';
import type { CheckedPackage } from '../packages/checked-package.js';

/** A tool of a package, as it was offered to the session, and the values that its program gets. */
export interface ToolUse {
  readonly checked: CheckedPackage;
  readonly tool: Tool;
  readonly slots: SlotValues;
}
