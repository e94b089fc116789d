/** Whether a server has what the cases are about, before anything is called. */

import { createGlob } from '../../middleware/subject.js';
import type { CaseDefinition, CaseType, StepDefinition } from '../suite/definition.js';
import type { CaseResult } from './result.js';
import { findNamed, matchResources, type ServerCatalogue } from './server-catalogue.js';

export interface NamedCase {
  readonly name: string;
  readonly type: CaseType;
}

export interface ExistenceCase extends NamedCase {
  readonly verdict: Pick<CaseResult, 'status' | 'message' | 'failures'>;
}

export function existenceCases(
  cases: readonly CaseDefinition[],
  catalogue: ServerCatalogue,
): ExistenceCase[] {
  const seen = new Set<string>();
  return cases
    .flatMap(({ steps }) => steps)
    .flatMap((step) => {
      const found = existence(step, catalogue);
      if (found === undefined || seen.has(found.name)) return [];
      seen.add(found.name);
      return [found];
    });
}

function existence(step: StepDefinition, catalogue: ServerCatalogue): ExistenceCase | undefined {
  const { kind, subject } = step;
  // What must not exist is looked for when it is called, and a captured name is not known yet.
  if (step.shouldExist === false || step.error !== undefined || subject.includes('${')) return undefined;
  switch (kind) {
    case 'tool':
      return verdictOf('Tool', findNamed(catalogue.tools, subject)?.name, subject, catalogue.tools);
    case 'prompt':
      return verdictOf('Prompt', findNamed(catalogue.prompts, subject)?.name, subject, catalogue.prompts);
    case 'resource': {
      if (step.count !== undefined || fitsTemplate(subject, catalogue)) return undefined;
      const { count } = matchResources(catalogue, subject);
      const names = catalogue.resources.map(({ uri }) => ({ name: uri }));
      return verdictOf('Resource', count > 0 ? subject : undefined, subject, names);
    }
    case 'request':
      return undefined;
  }
}

function fitsTemplate(uri: string, { templates }: ServerCatalogue): boolean {
  return templates.some(({ uriTemplate }) => createGlob(uriTemplate.replaceAll(/\{[^}]*\}/g, '*'))(uri));
}

const MAX_NAMES = 30;

function verdictOf(
  what: string,
  found: string | undefined,
  wanted: string,
  all: readonly { readonly name: string }[],
): ExistenceCase {
  const name = `${what} '${found ?? wanted}' exists`;
  if (found !== undefined)
    return { name, type: 'capability', verdict: { status: 'pass', message: '', failures: [] } };
  const names = all.slice(0, MAX_NAMES).map((item) => item.name);
  const message = `${what} '${wanted}' is not listed; the server has: ${names.join(', ') || 'none'}`;
  const problem = { message, expected: wanted, actual: names };
  const failures = [{ step: 'lists', problems: [problem], sent: [], received: [] }];
  return { name, type: 'capability', verdict: { status: 'fail', message, failures } };
}
