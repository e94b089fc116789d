/** Elicitation: a server asks the user, by a form or by sending them to a page. Since 2025-06-18. */

import type { Meta, RequestMeta } from './meta.js';
import type { TaskOptions } from './tasks.js';

export type ElicitParams = ElicitFormParams | ElicitUrlParams;

export type ElicitFormParams = {
  /** Until 2025-11-25. */
  _meta?: RequestMeta;
  /** Since 2025-11-25; form when absent. */
  mode?: 'form';
  message: string;
  requestedSchema: ElicitSchema;
  /** 2025-11-25 only. */
  task?: TaskOptions;
};

/** Since 2025-11-25. */
export type ElicitUrlParams = {
  /** Until 2025-11-25. */
  _meta?: RequestMeta;
  mode: 'url';
  /** Why the user should go there. */
  message: string;
  url: string;
  /** 2025-11-25 only, required there. */
  elicitationId?: string;
  /** 2025-11-25 only. */
  task?: TaskOptions;
};

/** `cancel` is a dialog closed without a choice, `decline` a refusal. */
export type ElicitAction = 'accept' | 'decline' | 'cancel';

/** Lists since 2025-11-25. */
export type ElicitValue = string | number | boolean | string[];

export type ElicitResult = {
  /** Until 2025-11-25. */
  _meta?: Meta;
  action: ElicitAction;
  /** Only for an accepted form. */
  content?: { [field: string]: ElicitValue };
};

/** 2025-11-25 only: what the user was sent to do elsewhere is done. */
export type ElicitationCompleteParams = {
  elicitationId: string;
};

/** A flat form: one primitive a field, no nesting. */
export interface ElicitSchema {
  /** Since 2025-11-25. */
  $schema?: string;
  type: 'object';
  properties: { [field: string]: PrimitiveSchema };
  required?: string[];
}

export type PrimitiveSchema = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

interface Labelled {
  title?: string;
  description?: string;
}

export interface StringSchema extends Labelled {
  type: 'string';
  minLength?: number;
  maxLength?: number;
  format?: 'email' | 'uri' | 'date' | 'date-time';
  /** Since 2025-11-25. */
  default?: string;
}

export interface NumberSchema extends Labelled {
  type: 'number' | 'integer';
  minimum?: number;
  maximum?: number;
  /** Since 2025-11-25. */
  default?: number;
}

export interface BooleanSchema extends Labelled {
  type: 'boolean';
  default?: boolean;
}

export type EnumSchema = SingleSelectSchema | MultiSelectSchema | LegacyTitledEnumSchema;
export type SingleSelectSchema = UntitledSingleSelectSchema | TitledSingleSelectSchema;
export type MultiSelectSchema = UntitledMultiSelectSchema | TitledMultiSelectSchema;

/** A value and what to show for it. */
export interface TitledOption {
  const: string;
  title: string;
}

export interface UntitledSingleSelectSchema extends Labelled {
  type: 'string';
  enum: string[];
  /** Since 2025-11-25. */
  default?: string;
}

/** Since 2025-11-25. */
export interface TitledSingleSelectSchema extends Labelled {
  type: 'string';
  oneOf: TitledOption[];
  default?: string;
}

/** Since 2025-11-25. */
export interface UntitledMultiSelectSchema extends Labelled {
  type: 'array';
  items: { type: 'string'; enum: string[] };
  minItems?: number;
  maxItems?: number;
  default?: string[];
}

/** Since 2025-11-25. */
export interface TitledMultiSelectSchema extends Labelled {
  type: 'array';
  items: { anyOf: TitledOption[] };
  minItems?: number;
  maxItems?: number;
  default?: string[];
}

/** The only titled choice of 2025-06-18; not standard JSON Schema, and superseded since. */
export interface LegacyTitledEnumSchema extends Labelled {
  type: 'string';
  enum: string[];
  /** In the order of `enum`. */
  enumNames?: string[];
  /** Since 2025-11-25. */
  default?: string;
}
