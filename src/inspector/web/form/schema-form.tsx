/** A form for any JSON Schema of an object. */

import Form from '@rjsf/core/lib/components/Form.js';
import type { RJSFSchema, RJSFValidationError } from '@rjsf/utils';
import { type ReactNode, useMemo, useState } from 'react';
import { isObject } from '../components/json-value.js';
import { Notice } from '../components/notice.js';
import { type AdaptOptions, adaptSchema } from './adapt-schema.js';
import { checkAgainst, createFormValidator } from './form-validator.js';
import { templates } from './templates.js';
import { createTidy, type FormValue } from './tidy-value.js';
import { widgets } from './widgets.js';

export function SchemaForm({
  schema,
  value,
  onChange,
  onSubmit,
  idPrefix,
  choicesAreSets = false,
  children,
}: {
  schema: unknown;
  value: FormValue;
  onChange: (value: FormValue) => void;
  onSubmit: (value: FormValue) => void;
  idPrefix: string;
  choicesAreSets?: boolean;
  /** The buttons. */
  children: ReactNode;
}) {
  const [errors, setErrors] = useState<readonly RJSFValidationError[]>([]);
  const adapted = useMemo(() => {
    const options: AdaptOptions = { choicesAreSets };
    return adaptSchema(schema, options) as RJSFSchema;
  }, [schema, choicesAreSets]);
  const tidy = useMemo(() => createTidy(createFormValidator(schema), adapted), [schema, adapted]);
  const validator = useMemo(() => createFormValidator(schema, tidy), [schema, tidy]);
  const usable = useMemo(() => checkAgainst(schema, {}), [schema]);
  if (!usable.ok) {
    return (
      <Notice tone="warn">
        There is no form for this schema ({usable.message}). Write the arguments as JSON instead.
      </Notice>
    );
  }
  return (
    <Form
      className="schema-form"
      schema={adapted}
      validator={validator}
      formData={value}
      idPrefix={idPrefix}
      templates={templates}
      widgets={widgets}
      noHtml5Validate
      showErrorList={false}
      focusOnFirstError
      useFallbackUiForUnsupportedType
      experimental_defaultFormStateBehavior={{ constAsDefaults: 'skipOneOf' }}
      onChange={({ formData }) => onChange(isObject(formData) ? formData : {})}
      onSubmit={({ formData }) => {
        setErrors([]);
        onSubmit(tidy(formData));
      }}
      onError={setErrors}
    >
      {errors.length > 0 && (
        <Notice tone="bad">
          {errors.slice(0, 5).map((error) => (
            <div key={error.stack}>{error.stack}</div>
          ))}
        </Notice>
      )}
      {children}
    </Form>
  );
}
