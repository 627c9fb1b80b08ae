import { useEffect, useId, useRef } from 'preact/hooks';
import type { ListedTool } from '../../../host/host.js';
import type { JsonSchema } from '../../../model/json.js';
import { Button } from '../../parts/button.js';
import { finished } from '../../parts/form/draft.js';
import { fieldShape } from '../../parts/form/field-shape.js';
import { fieldId, focusField } from '../../parts/form/form-context.js';
import { JsonEditor } from '../../parts/form/json-editor.js';
import { SchemaField } from '../../parts/form/schema-field.js';
import { initialValue } from '../../parts/form/schema-fit.js';
import { SchemaForm } from '../../parts/form/schema-form.js';
import { sessionApi } from '../../shell/operations.js';
import { tellFailure } from '../../shell/toasts.js';
import { startRun } from './run-tool.js';
import type { TryState } from './try-state.js';

const explainDelayMs = 500;

/** The arguments of a call as a form or as JSON, and what can be done with them. */
export function CallForm({ tool, state }: { readonly tool: ListedTool; readonly state: TryState }) {
  const id = useId();
  const { draft, isJson, problems, explanation, run } = state;
  const { value, problems: unfinished } = finished(draft.value);
  const schema = closedAsCalled(tool.tool.input);
  const isEmpty = JSON.stringify(value) === '{}' && schemaIsEmpty(schema);
  // The newest question counts: an answer about what was typed before must not come last.
  const questions = useRef(0);
  const explain = async (isAsked: boolean) => {
    if (unfinished.length > 0) {
      if (isAsked) showUnfinished();
      return;
    }
    const mine = ++questions.current;
    try {
      const found = await sessionApi.explain({ tool: tool.name, arguments: value });
      if (mine !== questions.current) return;
      explanation.value = found;
      problems.value = (found.problems ?? []).map(({ pointer, message }) => ({
        pointer,
        message: `It ${message}.`,
      }));
      const [first] = problems.value;
      if (isAsked && first !== undefined) focusField({ id }, first.pointer);
    } catch (error) {
      if (mine !== questions.current) return;
      explanation.value = null;
      if (isAsked) tellFailure(error);
    }
  };
  // Once somebody asked for the explanation, it follows what is typed.
  const key = JSON.stringify(value);
  useEffect(() => {
    if (explanation.peek() === null || unfinished.length > 0) return undefined;
    const timer = setTimeout(() => void explain(false), explainDelayMs);
    return () => clearTimeout(timer);
  }, [key]);
  const showUnfinished = () => focusField({ id }, unfinished[0]?.pointer ?? '');
  const isRunning = run.value?.state.value === 'running';
  const start = () => {
    if (unfinished.length > 0) {
      showUnfinished();
      return;
    }
    const started = startRun(tool.name, value);
    run.value = started;
    const stop = started.answer.subscribe((answer) => {
      // The host says at which places the arguments are wrong.
      if (answer !== null && 'error' in answer && answer.error?.code === 'invalid_input') void explain(true);
    });
    const end = started.state.subscribe((now) => {
      if (now !== 'running') queueMicrotask(() => [stop, end].map((it) => it()));
    });
  };
  return (
    <form
      class="card call-form"
      noValidate
      aria-label="Arguments"
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <header>
        <h2>Arguments</h2>
        <div class="actions">
          <button type="button" class="text" onClick={() => switchMode()}>
            {isJson.value ? 'Edit in the form' : 'Edit as JSON'}
          </button>
        </div>
      </header>
      <SchemaForm id={id} root={schema} problems={problems.value}>
        {isJson.value ? (
          <>
            <JsonEditor
              id={fieldId({ id }, '')}
              label="Arguments as JSON"
              value={draft.value}
              rows={14}
              onChange={(next) => {
                draft.value = next ?? {};
              }}
            />
            <ProblemList problems={problems.value} />
          </>
        ) : isEmpty ? (
          <p class="dim">This tool takes no arguments.</p>
        ) : (
          <SchemaField
            schema={schema}
            value={draft.value}
            onChange={(next) => {
              draft.value = next ?? {};
            }}
            pointer=""
            name="arguments"
            isRequired
          />
        )}
      </SchemaForm>
      <div class="actions">
        <Button kind="primary" type="submit" disabled={isRunning}>
          Run
        </Button>
        <Button onClick={() => explain(true)}>Explain</Button>
        <Button kind="quiet" onClick={clear}>
          Clear
        </Button>
        {unfinished.length > 0 && (
          <p class="problem" role="status">
            {unfinished.length === 1 ? 'One value is' : `${unfinished.length} values are`} not complete.
          </p>
        )}
      </div>
    </form>
  );

  function switchMode(): void {
    isJson.value = !isJson.peek();
  }

  function clear(): void {
    questions.current++;
    draft.value = initialValue(schema, schema) ?? {};
    problems.value = [];
    explanation.value = null;
  }
}

function ProblemList({ problems }: { readonly problems: TryState['problems']['value'] }) {
  return (
    <div aria-live="polite">
      {problems.map(({ pointer, message }) => (
        <p key={`${pointer}${message}`} class="problem">
          <code>{pointer === '' ? 'arguments' : pointer}</code> {message}
        </p>
      ))}
    </div>
  );
}

/** The host rejects arguments that a tool does not mention, also where JSON Schema would allow them. */
function closedAsCalled(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const mentioned = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', '$ref'];
  return mentioned.some((it) => Object.hasOwn(schema, it))
    ? schema
    : { ...schema, unevaluatedProperties: false };
}

function schemaIsEmpty(schema: JsonSchema): boolean {
  const shape = fieldShape(schema, schema);
  return shape.kind === 'object' && shape.members.length === 0 && shape.more === false;
}
