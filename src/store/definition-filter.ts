import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { definitionWithView } from '../model/tool-set.js';
import type { StateTables } from './state-tables.js';

/** Selects by the two parts of a definition. Both must match if both are given. */
export interface DefinitionFilter {
  /** Of the tool itself, with or without something that a set changes about it. */
  readonly definition?: string | undefined;
  /** Digest of what a set changes about a tool. */
  readonly view?: string | undefined;
}

export function ofDefinition<T extends 'approval' | 'standing_rule'>(
  it: ExpressionBuilder<StateTables, T>,
  { definition, view }: DefinitionFilter,
): Expression<SqlBool> {
  const { eb } = it as unknown as ExpressionBuilder<StateTables, 'approval'>;
  const withView = eb('definition', 'like', definitionWithView(definition ?? '%', view ?? '%'));
  return view !== undefined ? withView : eb.or([eb('definition', '=', definition ?? ''), withView]);
}
