/** What a listed tool says of its app; the page shares no code with the process. */

import type { InspectedCatalogue } from '../../api.js';
import { isObject } from '../components/json-value.js';

type Tool = InspectedCatalogue['tools']['items'][number];

const EVERYONE: readonly string[] = ['model', 'app'];

function uiOf({ _meta }: Tool): Readonly<Record<string, unknown>> {
  const meta: unknown = _meta;
  return isObject(meta) && isObject(meta.ui) ? meta.ui : {};
}

/** The address of the app, in the present spelling or the first one. */
export function appOf(tool: Tool): string | undefined {
  const meta: unknown = tool._meta;
  const uri = uiOf(tool).resourceUri ?? (isObject(meta) ? meta['ui/resourceUri'] : undefined);
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined;
}

/** Who may call the tool. */
export function visibilityOf(tool: Tool): readonly string[] {
  const { visibility } = uiOf(tool);
  return Array.isArray(visibility) ? visibility : EVERYONE;
}
