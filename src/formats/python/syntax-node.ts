import type { parser } from '@lezer/python';

/** A node of the Python syntax tree. */
export type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];
