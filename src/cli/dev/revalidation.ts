/** Tests what changed in a server against the specification, in a process of its own, until the next change. */

import type { StdioTarget } from '../../client/target.js';
import type { SurfaceChange } from '../../testing/contract/surface-change.js';
import type { Requirement } from '../../validate/requirements/requirement.js';
import type { Validation } from '../../validate/validate.js';

export type ValidatedPage = 'tools' | 'resources' | 'prompts';

const PAGES: Readonly<Partial<Record<SurfaceChange['kind'], ValidatedPage>>> = {
  tool: 'tools',
  prompt: 'prompts',
  resource: 'resources',
  'resource template': 'resources',
};

export function pagesOf(changes: readonly Pick<SurfaceChange, 'kind'>[]): ValidatedPage[] {
  return [...new Set(changes.flatMap(({ kind }) => PAGES[kind] ?? []))];
}

export interface Revalidated {
  readonly passed: number;
  /** Each once, whatever the number of revisions it was found in. */
  readonly failures: readonly { readonly requirement: Requirement; readonly message: string }[];
}

/** Rejects when the signal ends it. */
export async function revalidate(
  target: StdioTarget,
  pages: readonly ValidatedPage[],
  signal: AbortSignal,
): Promise<Revalidated> {
  const [{ REQUIREMENTS }, { validateServer }] = await Promise.all([
    import('../../validate/requirements/index.js'),
    import('../../validate/index.js'),
  ]);
  const chosen = REQUIREMENTS.filter(({ page }) => pages.some((name) => name === page));
  const { command, args = [], env = {}, inheritEnv = false, cwd } = target;
  const tested = { command, args, env, inheritEnv, ...(cwd === undefined ? {} : { cwd }) };
  const validation = await validateServer(tested, {
    only: chosen.map(({ id }) => id),
    signal,
  });
  return summary(validation, chosen);
}

function summary({ runs }: Validation, chosen: readonly Requirement[]): Revalidated {
  const outcomes = runs.flatMap((run) => run.outcomes);
  const failed = new Map<string, string>();
  for (const { id, findings } of outcomes) {
    const [first] = findings;
    if (first !== undefined && !failed.has(id)) failed.set(id, first.message);
  }
  const passed = new Set(outcomes.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id));
  return {
    passed: [...passed].filter((id) => !failed.has(id)).length,
    failures: chosen.flatMap((requirement) => {
      const message = failed.get(requirement.id);
      return message === undefined ? [] : [{ requirement, message }];
    }),
  };
}
