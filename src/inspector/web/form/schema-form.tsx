/** A form for any JSON Schema of an object; JSON with the reason where there can be no form. */

import Form from '@rjsf/core/lib/components/Form.js';
import {
  englishStringTranslator,
  type RJSFSchema,
  type RJSFValidationError,
  TranslatableString,
} from '@rjsf/utils';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { Button } from '../components/button.js';
import { ErrorBoundary } from '../components/error-boundary.js';
import { isObject } from '../components/json-value.js';
import { Notice } from '../components/notice.js';
import { adaptSchema } from './adapt-schema.js';
import { fields } from './fields.js';
import { checkAgainst, createFormValidator } from './form-validator.js';
import { JsonFallback } from './json-fallback.js';
import { usePatterns } from './page-patterns.js';
import { resolveReferences } from './references.js';
import { templates } from './templates.js';
import { createTidy, type FormValue } from './tidy-value.js';
import type { ChosenOptions } from './validation-messages.js';
import { widgets } from './widgets.js';

export interface SchemaFormProps {
  readonly schema: unknown;
  readonly value: FormValue;
  readonly onChange: (value: FormValue) => void;
  readonly onSubmit: (value: FormValue) => void;
  readonly idPrefix: string;
  readonly choicesAreSets?: boolean;
  /** Offers to send what the form calls invalid. */
  readonly mayInsist?: boolean;
  /** The buttons. */
  readonly children: ReactNode;
}

export function SchemaForm(props: SchemaFormProps) {
  const { schema } = props;
  usePatterns(schema);
  const problems = useMemo(() => problemsOf(schema), [schema]);
  if (problems.length > 0) return <JsonFallback {...props} reasons={problems} />;
  return (
    <ErrorBoundary
      what="The form"
      fallback={({ message }) => <JsonFallback {...props} reasons={[message.slice(0, 300)]} />}
    >
      <LibraryForm {...props} />
    </ErrorBoundary>
  );
}

function problemsOf(schema: unknown): readonly string[] {
  const { problems } = resolveReferences(schema);
  if (problems.length > 0) return problems;
  const usable = checkAgainst(schema, {});
  return usable.ok ? [] : [usable.message];
}

/** What the library puts into a new entry of a map; it is taken out again, so that the entry starts empty. */
const NEW_ENTRY = '\u0000new';

function translate(text: TranslatableString, params?: string[]): string {
  return text === TranslatableString.NewStringDefault ? NEW_ENTRY : englishStringTranslator(text, params);
}

function LibraryForm({
  schema,
  value,
  onChange,
  onSubmit,
  idPrefix,
  choicesAreSets = false,
  mayInsist = false,
  children,
}: SchemaFormProps) {
  const [errors, setErrors] = useState<readonly RJSFValidationError[]>([]);
  const box = useRef<HTMLDivElement>(null);
  const [chosen] = useState<ChosenOptions>(() => new Map());
  const context = useMemo(() => ({ chosen }), [chosen]);
  const adapted = useMemo(
    () => adaptSchema(resolveReferences(schema).schema, { choicesAreSets }) as RJSFSchema,
    [schema, choicesAreSets],
  );
  const tidy = useMemo(() => createTidy(createFormValidator(schema), adapted), [schema, adapted]);
  const validator = useMemo(
    () => createFormValidator(schema, tidy, { chosen, idPrefix }),
    [schema, tidy, chosen, idPrefix],
  );
  const failed = (found: RJSFValidationError[]) => {
    setErrors(found);
    // After the marks are in the page: the library would go by the order of its checks.
    requestAnimationFrame(() => {
      const field = box.current?.querySelector<HTMLElement>(
        '[data-wrong="true"] :is(input, textarea, select), [aria-invalid="true"]',
      );
      field?.focus();
    });
  };
  return (
    <div ref={box}>
      <Form
        className="schema-form"
        schema={adapted}
        validator={validator}
        formData={value}
        formContext={context}
        idPrefix={idPrefix}
        templates={templates}
        widgets={widgets}
        fields={fields}
        translateString={translate}
        noHtml5Validate
        showErrorList={false}
        useFallbackUiForUnsupportedType
        experimental_defaultFormStateBehavior={{ constAsDefaults: 'skipOneOf' }}
        onChange={({ formData }) => onChange(isObject(formData) ? emptied(formData) : {})}
        onSubmit={({ formData }) => {
          setErrors([]);
          onSubmit(tidy(formData));
        }}
        onError={failed}
      >
        {errors.length > 0 && (
          <Notice tone="bad">
            {errors.slice(0, 5).map((error) => (
              <div key={error.stack}>{error.stack}</div>
            ))}
            {mayInsist && (
              <div>
                <Button size="small" onClick={() => onSubmit(tidy(value))}>
                  Send anyway
                </Button>
              </div>
            )}
          </Notice>
        )}
        {children}
      </Form>
    </div>
  );
}

function emptied(value: FormValue): FormValue {
  return empty(value) as FormValue;
}

function empty(value: unknown): unknown {
  if (value === NEW_ENTRY) return undefined;
  if (Array.isArray(value)) return value.some(holdsNew) ? value.map(empty) : value;
  if (!isObject(value) || !holdsNew(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, empty(each)]));
}

function holdsNew(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsNew);
  return value === NEW_ENTRY || (isObject(value) && Object.values(value).some(holdsNew));
}
