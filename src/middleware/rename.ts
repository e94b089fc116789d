/** Gives tools and prompts other names, in lists and calls alike. */

import type { ItemRule } from './layer.js';

/** `{ tools: rename({ old_name: 'new_name' }) }`. The old name is then unknown, unless something else has it. */
export function rename(names: Readonly<Record<string, string>>): ItemRule {
  const renamed = new Map(Object.entries(names));
  const original = new Map([...renamed].map(([old, name]) => [name, old]));
  return {
    show: (item) => {
      const name = typeof item.name === 'string' ? renamed.get(item.name) : undefined;
      return name === undefined ? item : { ...item, name };
    },
    open: (params) => {
      if (typeof params.name !== 'string') return params;
      const name = original.get(params.name);
      if (name !== undefined) return { ...params, name };
      return renamed.has(params.name) ? undefined : params;
    },
  };
}
