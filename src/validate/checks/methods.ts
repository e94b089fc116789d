/** Requests that a server has to answer, whatever the check is about: one of each kind that it declares. */

import type { JsonObject } from '../../jsonrpc/message.js';
import { records, textOf } from '../catalogue.js';
import { promptArguments } from '../exercise.js';
import type { Probe } from '../probe.js';
import { cheapMethod } from './expect.js';

export interface MethodCall {
  readonly method: string;
  readonly params: JsonObject;
}

/** Correct requests, one for each method that is declared and has something to be used on. */
export function goodRequests(probe: Probe): readonly MethodCall[] {
  const { catalogue, goodCall } = probe;
  const calls: MethodCall[] = [{ method: cheapMethod(probe), params: {} }];
  if (probe.declares('tools')) calls.push({ method: 'tools/list', params: {} });
  if (goodCall !== undefined) calls.push({ method: 'tools/call', params: goodCall.params });
  if (probe.declares('resources')) {
    calls.push({ method: 'resources/list', params: {} });
    const [read] = probe.exercise.reads.filter(({ last }) => last.kind === 'result');
    if (read !== undefined) calls.push({ method: 'resources/read', params: read.params });
    if (catalogue.templates.length > 0) calls.push({ method: 'resources/templates/list', params: {} });
  }
  if (probe.declares('prompts')) {
    calls.push({ method: 'prompts/list', params: {} });
    const fetched = probe.exercise.gets.find(({ last }) => last.kind === 'result');
    const prompt = fetched?.subject ?? catalogue.prompts[0];
    if (prompt !== undefined)
      calls.push({
        method: 'prompts/get',
        params: { name: textOf(prompt, 'name'), arguments: promptArguments(prompt) },
      });
  }
  const [reference] = references(probe);
  if (probe.declares('completions') && reference !== undefined)
    calls.push({ method: 'completion/complete', params: reference });
  if (probe.declares('logging') && !probe.stateless)
    calls.push({ method: 'logging/setLevel', params: { level: 'debug' } });
  return calls;
}

/** Everything that can be completed: arguments of prompts, variables of templates. */
export function references({ catalogue }: Probe): readonly JsonObject[] {
  const prompts = catalogue.prompts.flatMap((prompt) =>
    records(prompt.arguments).map((argument) => ({
      ref: { type: 'ref/prompt', name: textOf(prompt, 'name') },
      argument: { name: textOf(argument, 'name'), value: '' },
    })),
  );
  const templates = catalogue.templates.flatMap((template) => {
    const uri = textOf(template, 'uriTemplate');
    return [...uri.matchAll(/\{\+?([A-Za-z0-9_]+)\}/g)].map(([, name = '']) => ({
      ref: { type: 'ref/resource', uri },
      argument: { name, value: '' },
    }));
  });
  return [...prompts, ...templates];
}

/** Requests that have to be refused: for what every error looks like. */
export function badRequests(probe: Probe): readonly MethodCall[] {
  const calls: MethodCall[] = [{ method: 'plumb/no-such-method', params: {} }];
  if (probe.declares('tools')) calls.push({ method: 'tools/call', params: { name: 'plumb_no_such_tool' } });
  if (probe.declares('prompts'))
    calls.push({ method: 'prompts/get', params: { name: 'plumb_no_such_prompt' } });
  if (probe.declares('resources'))
    calls.push({ method: 'resources/read', params: { uri: 'plumb-validate://no/such/resource' } });
  return calls;
}
