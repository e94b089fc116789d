/** How the form library's parts look here. */

import {
  ADDITIONAL_PROPERTY_FLAG,
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  type CyclicSchemaExpandProps,
  canExpand,
  descriptionId,
  errorId,
  type FieldErrorProps,
  type FieldTemplateProps,
  type IconButtonProps,
  type MultiSchemaFieldTemplateProps,
  type ObjectFieldTemplateProps,
  type TemplatesType,
  type UnsupportedFieldProps,
} from '@rjsf/utils';
import { Button, IconButton } from '../components/button.js';
import type { IconName } from '../components/icon.js';

function Field(props: FieldTemplateProps) {
  const { id, label, required, hidden, displayLabel, rawDescription, children, errors, schema, rawErrors } =
    props;
  const { fieldPathId } = props;
  if (hidden) return <div hidden>{children}</div>;
  const additional = ADDITIONAL_PROPERTY_FLAG in schema;
  const isBox = schema.type === 'boolean';
  const container = schema.type === 'object' || schema.type === 'array';
  const named = displayLabel && label !== '' && !isBox;
  const place = fieldPathId.path.at(-1);
  return (
    <div className="form-field" data-wrong={(rawErrors?.length ?? 0) > 0 && !container}>
      {additional ? <AdditionalName {...props} /> : null}
      {named && !additional && (
        <label htmlFor={id} className="field-label">
          {typeof place === 'number' ? `Item ${place + 1}` : label}
          {required && <RequiredMark />}
        </label>
      )}
      {children}
      {named && rawDescription && (
        <p className="small soft wrap" id={descriptionId(id)}>
          {rawDescription}
        </p>
      )}
      {errors}
    </div>
  );
}

function RequiredMark() {
  return (
    <span className="required" title="required">
      {' *'}
    </span>
  );
}

/** The name of a property that the schema does not list, which its user chooses. */
function AdditionalName({ id, label, onKeyRenameBlur, onRemoveProperty, disabled }: FieldTemplateProps) {
  return (
    <div className="row">
      <input
        className="input mono"
        id={`${id}-key`}
        aria-label={`Name of property ${label}`}
        defaultValue={label}
        disabled={disabled}
        onBlur={onKeyRenameBlur}
      />
      <IconButton icon="trash" label={`Remove ${label}`} onClick={onRemoveProperty} />
    </div>
  );
}

function FieldErrors({ errors, fieldPathId }: FieldErrorProps) {
  if (errors === undefined || errors.length === 0) return null;
  return (
    <ul className="field-errors small" id={errorId(fieldPathId)}>
      {errors.map((error) => (
        <li key={String(error)}>{error}</li>
      ))}
    </ul>
  );
}

function ObjectField(props: ObjectFieldTemplateProps) {
  const { title, description, properties, schema, uiSchema, formData, onAddProperty, fieldPathId, required } =
    props;
  if ((schema.oneOf || schema.anyOf) && !schema.properties && properties.length === 0) return null;
  const root = fieldPathId.path.length === 0;
  return (
    <fieldset className={root ? 'form-root' : 'form-object'} id={fieldPathId.$id}>
      {title && !root && (
        <legend className="field-label">
          {title}
          {required && <RequiredMark />}
        </legend>
      )}
      {description && !root && <p className="small soft wrap">{description}</p>}
      {properties.map(({ content }) => content)}
      {canExpand(schema, uiSchema, formData) && (
        <div>
          <Button icon="plus" size="small" onClick={onAddProperty}>
            Add a property
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function ArrayField(props: ArrayFieldTemplateProps) {
  const { title, items, canAdd, onAddClick, schema, fieldPathId, required } = props;
  return (
    <fieldset className="form-object" id={fieldPathId.$id}>
      <legend className="field-label">
        {title}
        {required && <RequiredMark />}
      </legend>
      {schema.description && <p className="small soft wrap">{schema.description}</p>}
      {items.length === 0 && <p className="small soft">No items.</p>}
      {items}
      {canAdd && (
        <div>
          <Button icon="plus" size="small" onClick={onAddClick}>
            Add an item
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function ArrayItem({ children, buttonsProps, hasToolbar, index }: ArrayFieldItemTemplateProps) {
  const { hasMoveUp, hasMoveDown, hasRemove, onMoveUpItem, onMoveDownItem, onRemoveItem } = buttonsProps;
  const number = index + 1;
  return (
    <div className="form-item">
      <div className="grow">{children}</div>
      {hasToolbar && (
        <div className="form-item-tools">
          {hasMoveUp && (
            <IconButton icon="up" size="small" label={`Move item ${number} up`} onClick={onMoveUpItem} />
          )}
          {hasMoveDown && (
            <IconButton
              icon="down"
              size="small"
              label={`Move item ${number} down`}
              onClick={onMoveDownItem}
            />
          )}
          {hasRemove && (
            <IconButton icon="trash" size="small" label={`Remove item ${number}`} onClick={onRemoveItem} />
          )}
        </div>
      )}
    </div>
  );
}

function MultiSchema({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) {
  return (
    <div className="form-alternatives">
      <div>{selector}</div>
      {optionSchemaField}
    </div>
  );
}

function Unsupported({ reason }: UnsupportedFieldProps) {
  return (
    <p className="small soft wrap">
      The form cannot show this part{reason ? ` (${String(reason)})` : ''}; write it as JSON.
    </p>
  );
}

/** A schema that contains itself is opened one level at a time. */
function Expand({ name, schema, fieldPathId, onExpand }: CyclicSchemaExpandProps) {
  return (
    <div>
      <Button icon="plus" size="small" onClick={() => onExpand(fieldPathId.$id)}>
        Add {schema.title ?? name}
      </Button>
    </div>
  );
}

function toolButton(icon: IconName, label: string) {
  return function ToolButton({ onClick, disabled, id }: IconButtonProps) {
    return <IconButton icon={icon} label={label} onClick={onClick} disabled={disabled} id={id} />;
  };
}

export const templates: Partial<TemplatesType> = {
  FieldTemplate: Field,
  FieldErrorTemplate: FieldErrors,
  ObjectFieldTemplate: ObjectField,
  ArrayFieldTemplate: ArrayField,
  ArrayFieldItemTemplate: ArrayItem,
  MultiSchemaFieldTemplate: MultiSchema,
  UnsupportedFieldTemplate: Unsupported,
  CyclicSchemaExpandTemplate: Expand,
  ButtonTemplates: {
    SubmitButton: () => null,
    AddButton: toolButton('plus', 'Add'),
    CopyButton: toolButton('copy', 'Copy'),
    MoveDownButton: toolButton('down', 'Move down'),
    MoveUpButton: toolButton('up', 'Move up'),
    RemoveButton: toolButton('trash', 'Remove'),
    ClearButton: toolButton('close', 'Clear'),
  },
};
