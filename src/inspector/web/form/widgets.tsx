/** Fields for single values, in the look of the page. */

import getDefaultRegistry from '@rjsf/core/lib/getDefaultRegistry.js';
import {
  ariaDescribedByIds,
  type EnumOptionsType,
  type RegistryWidgetsType,
  type WidgetProps,
} from '@rjsf/utils';
import type { KeyboardEvent } from 'react';
import { isObject } from '../components/json-value.js';
import { TITLES } from './adapt-schema.js';

const standard = getDefaultRegistry().widgets;

function NumberInput(props: WidgetProps) {
  const { id, value, required, disabled, readonly, onChange, options, rawErrors } = props;
  return (
    <input
      id={id}
      className="input"
      type="number"
      step="any"
      value={value ?? ''}
      aria-required={required}
      aria-invalid={(rawErrors?.length ?? 0) > 0}
      aria-describedby={ariaDescribedByIds(id)}
      disabled={disabled}
      readOnly={readonly}
      onChange={({ target }) => onChange(target.value === '' ? options.emptyValue : target.value)}
    />
  );
}

function TextWidget(props: WidgetProps) {
  const numeric = props.schema.type === 'integer' || props.schema.type === 'number';
  return numeric ? <NumberInput {...props} /> : <TextArea {...props} />;
}

/** Grows with its text. Enter sends the form, as in any field of one line; Shift+Enter begins another one. */
function TextArea(props: WidgetProps) {
  const { id, value, required, disabled, readonly, onChange, options, placeholder, rawErrors, schema } =
    props;
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  const examples = Array.isArray(schema.examples) ? schema.examples.map(String).join(', ') : undefined;
  return (
    <textarea
      id={id}
      className="textarea form-text"
      rows={1}
      value={value === undefined || value === null ? '' : String(value)}
      placeholder={placeholder || (examples && `such as ${examples}`)}
      aria-required={required}
      aria-invalid={(rawErrors?.length ?? 0) > 0}
      aria-describedby={ariaDescribedByIds(id)}
      disabled={disabled}
      readOnly={readonly}
      onKeyDown={onKeyDown}
      onChange={({ target }) => onChange(target.value === '' ? options.emptyValue : target.value)}
    />
  );
}

/** Several choices are boxes to tick: multi-select lists are confusing. */
function SelectWidget(props: WidgetProps) {
  const Widget = props.multiple ? standard.CheckboxesWidget : standard.SelectWidget;
  if (Widget === undefined) return null;
  return (
    <Widget
      {...props}
      placeholder={props.placeholder || 'not set'}
      options={{ ...props.options, enumOptions: titled(props) }}
    />
  );
}

/** The choices under the titles that the schema has for them. */
function titled({ schema, options }: WidgetProps): EnumOptionsType[] {
  const given: unknown = isObject(schema.items) ? schema.items : schema;
  const titles: unknown = isObject(given) ? given[TITLES] : undefined;
  return (options.enumOptions ?? []).map((option) => {
    const title = isObject(titles) ? titles[JSON.stringify(option.value)] : undefined;
    return typeof title === 'string' ? { ...option, label: title } : option;
  });
}

/** Its label stands beside the box, its description below. */
function CheckboxWidget({ id, value, label, disabled, readonly, onChange, schema, required }: WidgetProps) {
  return (
    <div>
      <label className="check">
        <input
          type="checkbox"
          id={id}
          checked={value === true}
          disabled={disabled || readonly}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span>
          {label}
          {required && <span className="required"> *</span>}
        </span>
      </label>
      {schema.description && <p className="small soft wrap">{schema.description}</p>}
    </div>
  );
}

export const widgets: RegistryWidgetsType = { TextWidget, SelectWidget, CheckboxWidget };
