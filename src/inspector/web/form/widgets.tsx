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
import type { ChosenOptions } from './validation-messages.js';

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

/** Which option of a union is filled in. The form has to know it to say what is wrong with it. */
function OptionSelect({ id, value, label, disabled, options, onChange, registry }: WidgetProps) {
  const chosen = chosenOptions(registry.formContext);
  const field = id.replace(OPTION_SELECT, '');
  if (typeof value === 'number') chosen?.set(field, value);
  return (
    <select
      id={id}
      className="select"
      aria-label={label ? `Kind of ${label}` : 'Kind of value'}
      value={value ?? ''}
      disabled={disabled}
      onChange={({ target }) => onChange(Number(target.value))}
    >
      {options.enumOptions?.map((option) => (
        <option key={String(option.value)} value={String(option.value)}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

const OPTION_SELECT = /__(oneof|anyof)_select$/;

function chosenOptions(context: unknown): ChosenOptions | undefined {
  const chosen = isObject(context) ? context.chosen : undefined;
  return chosen instanceof Map ? chosen : undefined;
}

/** Several choices are boxes to tick: multi-select lists are confusing. */
function SelectWidget(props: WidgetProps) {
  if (OPTION_SELECT.test(props.id)) return <OptionSelect {...props} />;
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
