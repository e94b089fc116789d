/** Fields for single values, in the look of the page. */

import getDefaultRegistry from '@rjsf/core/lib/getDefaultRegistry.js';
import { ariaDescribedByIds, type RegistryWidgetsType, type WidgetProps } from '@rjsf/utils';
import type { KeyboardEvent } from 'react';

const standard = getDefaultRegistry().widgets;

/** Grows with its text. Enter sends the form, as in any field of one line; Shift+Enter begins another one. */
function TextWidget(props: WidgetProps) {
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

/** Several choices are boxes to tick: lists of which several can be marked confuse everyone. */
function SelectWidget(props: WidgetProps) {
  const Widget = props.multiple ? standard.CheckboxesWidget : standard.SelectWidget;
  if (Widget === undefined) return null;
  return <Widget {...props} placeholder={props.placeholder || 'not set'} />;
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
