/** What pages may ask the process to do: one entry for each command of the API. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { CommandName, CommandResult } from './api.js';
import type { FileBody, InspectorCore } from './core.js';
import { invalid } from './failure.js';
import * as read from './params.js';
import { replayTarget } from './replay.js';
import { catalogueOf } from './servers/catalogue.js';
import { assertRevision } from './servers/servers.js';
import { readSkillFile, skillDirectory } from './servers/skills.js';
import { testFile } from './test-file.js';
import { harText, jsonLines } from './timeline/export.js';
import { importText } from './timeline/import.js';
import { detailOf, type StoredMessage } from './timeline/stored.js';

type FileCommand = 'timeline.export' | 'comply.report' | 'calls.export';

type Handler<C extends CommandName> = (
  core: InspectorCore,
  params: JsonObject,
) => C extends FileCommand ? FileBody | Promise<FileBody> : CommandResult<C> | Promise<CommandResult<C>>;

const MAX_DETAILS = 500;
const MAX_IMPORT = 256 * 1024 * 1024;
const REPORTS = {
  html: ['report.html', 'text/html'],
  json: ['report.json', 'application/json'],
  junit: ['report.xml', 'application/xml'],
  sarif: ['report.sarif', 'application/sarif+json'],
  markdown: ['report.md', 'text/markdown'],
  tap: ['report.tap', 'text/plain'],
  text: ['report.txt', 'text/plain'],
  badge: ['badge.svg', 'image/svg+xml'],
} as const;

const COMMANDS: { readonly [C in CommandName]: Handler<C> } = {
  'servers.add': ({ servers }, params) => servers.add(read.addServer(params)),
  'servers.edit': ({ servers }, params) => servers.edit(read.editServer(params)),
  'servers.duplicate': ({ servers }, params) => servers.duplicate(read.text(params, 'server')),
  'servers.order': ({ servers }, params) => {
    servers.order(read.texts(params, 'servers'));
    return {};
  },
  'servers.remove': async ({ servers, recording, tasks }, params) => {
    const id = read.text(params, 'server');
    await servers.remove(id);
    recording.figures.forget(id);
    tasks.forget(id);
    return {};
  },
  'servers.connect': async (core, params) => {
    const server = serverOf(core, params);
    await server.connect();
    return server.view();
  },
  'servers.disconnect': async (core, params) => {
    const server = serverOf(core, params);
    await server.disconnect();
    return server.view();
  },
  'servers.pin': async (core, params) => {
    const server = serverOf(core, params);
    const revision = params.revision === null ? null : read.text(params, 'revision');
    assertRevision(revision);
    await server.pin(revision);
    return server.view();
  },
  'servers.rename': (core, params) => {
    const server = serverOf(core, params);
    const name = read.text(params, 'name', 200).trim();
    if (name === '') throw invalid('A name cannot be empty');
    server.rename(name);
    core.servers.renamed();
    return server.view();
  },
  'servers.ping': async (core, params) => {
    const server = serverOf(core, params);
    await server.ping();
    return server.view();
  },
  'servers.logLevel': async (core, params) => {
    const server = serverOf(core, params);
    await server.setLogLevel(read.logLevel(params));
    return server.view();
  },
  'servers.roots': async (core, params) => {
    const server = serverOf(core, params);
    await server.setRoots(read.roots(params), read.flag(params, 'ask'));
    return server.view();
  },
  'servers.stderr': (core, params) => ({ text: serverOf(core, params).stderr }),
  'configs.list': ({ servers }) => ({ configs: servers.found() }),

  'catalogue.get': (core, params) =>
    catalogueOf(serverOf(core, params).client, read.optional(params, 'reload', read.flag).reload ?? false),
  'resources.subscribe': async (core, params) => {
    const server = serverOf(core, params);
    await server.subscribe(read.text(params, 'uri'));
    return server.view();
  },
  'resources.unsubscribe': async (core, params) => {
    const server = serverOf(core, params);
    await server.unsubscribe(read.text(params, 'uri'));
    return server.view();
  },
  'completion.complete': async (core, params) => {
    const { ref, argument, settled } = read.completion(params);
    const { client } = serverOf(core, params);
    const context = settled === undefined ? {} : { context: { arguments: settled } };
    const { completion } = await client.completion.complete(ref, argument, context);
    const { values, total, hasMore } = completion;
    return {
      values,
      ...(total === undefined ? {} : { total }),
      ...(hasMore === undefined ? {} : { hasMore }),
    };
  },

  'apps.open': (core, params) => {
    const server = serverOf(core, params);
    const uri = read.text(params, 'uri');
    return core.apps.open(server.client, { server: server.id, uri, host: read.text(params, 'host', 200) });
  },
  'apps.record': ({ apps }, params) => {
    const from = read.text(params, 'from') === 'app' ? 'app' : 'host';
    apps.record({ view: read.text(params, 'view'), from, message: read.object(params, 'message') });
    return {};
  },
  'apps.close': ({ apps }, params) => {
    apps.close(read.text(params, 'view'));
    return {};
  },

  'calls.run': (core, params) => {
    const server = serverOf(core, params);
    return core.calls.run(server.client, {
      callId: read.text(params, 'callId', 200),
      server: server.id,
      target: read.callTarget(params),
      timeoutMs: read.optional(params, 'timeoutMs', read.number).timeoutMs ?? server.callTimeoutMs,
    });
  },
  'calls.extend': ({ calls }, params) => ({
    extended: calls.extend(read.text(params, 'callId'), read.number(params, 'timeoutMs')),
  }),
  'calls.outcome': ({ calls }, params) => calls.past.outcome(read.text(params, 'callId')),
  'calls.again': (core, params) => {
    const { server: id, target } = core.calls.past.request(read.text(params, 'past'));
    const server = core.servers.get(id);
    return core.calls.run(server.client, {
      callId: read.text(params, 'callId', 200),
      server: server.id,
      target,
      timeoutMs: server.callTimeoutMs,
    });
  },
  'calls.clear': ({ calls }) => {
    calls.past.clear();
    return {};
  },
  'drafts.set': ({ desk }, params) => {
    desk.draft(read.text(params, 'place', 2_000), params.value, read.text(params, 'page', 100));
    return {};
  },
  'pins.set': ({ desk }, params) => {
    desk.pin(read.numbers(params, 'seqs'));
    return {};
  },
  'calls.cancel': ({ calls }, params) => ({ cancelled: calls.cancel(read.text(params, 'callId')) }),
  'calls.leave': ({ calls }, params) => ({ left: calls.leave(read.text(params, 'callId')) }),
  'tasks.refresh': async (core, params) => {
    const { id, client } = serverOf(core, params);
    const { reload = false } = read.optional(params, 'reload', read.flag);
    await core.tasks.refresh(id, client, (task) => core.calls.follows(id, task), reload);
    return {};
  },
  'tasks.add': async (core, params) => {
    const { id, client } = serverOf(core, params);
    await core.tasks.add(id, client, read.text(params, 'id', 1_000).trim());
    return {};
  },
  'tasks.cancel': async (core, params) => {
    const { id, client } = serverOf(core, params);
    await core.tasks.cancel(id, client, read.text(params, 'id', 1_000));
    return {};
  },
  'tasks.forget': (core, params) => {
    core.tasks.forget(serverOf(core, params).id, read.text(params, 'id', 1_000));
    return {};
  },
  'skills.read': (core, params) =>
    readSkillFile(serverOf(core, params).client, read.text(params, 'skill'), read.text(params, 'uri')),
  'skills.directory': async (core, params) => ({
    resources: await skillDirectory(serverOf(core, params).client, read.text(params, 'uri')),
  }),
  'calls.save': (core, params) =>
    core.saved.save({
      name: read.text(params, 'name', 200),
      server: serverOf(core, params).name,
      target: read.callTarget(params),
      ...read.optional(params, 'collection', (given, name) => read.text(given, name, 200)),
    }),
  'calls.export': ({ saved, servers }, params) => {
    const { collection } = read.optional(params, 'collection', read.text);
    const calls = saved.all().filter((call) => collection === undefined || call.collection === collection);
    return {
      name: 'plumb-tests.json',
      type: 'application/json',
      content: [testFile(collection ?? 'Saved calls', calls, servers.all())],
    };
  },
  'calls.forget': ({ saved }, params) => {
    saved.forget(read.text(params, 'id'));
    return {};
  },

  'asks.answer': ({ asks }, params) => ({
    accepted: asks.answer(read.text(params, 'id'), read.askAnswer(params)),
  }),

  'timeline.query': ({ timeline }, params) => timeline.query(read.timelineQuery(params)),
  'timeline.get': ({ timeline }, params) => ({
    messages: read
      .numbers(params, 'seqs')
      .slice(0, MAX_DETAILS)
      .map((seq) => timeline.get(seq))
      .filter((message) => message !== undefined)
      .map(detailOf),
  }),
  'timeline.locate': ({ timeline }, params) => ({
    offset: timeline.locate(read.filter(params).filter, read.number(params, 'seq'), read.rows(params).rows),
  }),
  'timeline.clear': ({ timeline }) => {
    timeline.clear();
    return timeline.totals();
  },
  'timeline.record': ({ timeline }, params) => {
    timeline.recording = read.flag(params, 'recording');
    return timeline.totals();
  },
  'timeline.export': (core, params) => {
    const format = read.oneOf(params, 'format', ['jsonl', 'har']);
    const { seqs } = read.optional(params, 'seqs', read.numbers);
    const messages =
      seqs === undefined
        ? core.timeline.select(read.filter(params).filter)
        : seqs
            .map((seq) => core.timeline.get(seq))
            .filter((message): message is StoredMessage => message !== undefined);
    return format === 'har'
      ? { name: 'timeline.har', type: 'application/json', content: [harText(messages)] }
      : { name: 'timeline.jsonl', type: 'application/x-ndjson', content: jsonLines(messages, core.names()) };
  },
  'timeline.import': ({ recording }, params) =>
    importText(recording, read.text(params, 'name', 200), read.text(params, 'text', MAX_IMPORT)),
  'timeline.replay': (core, params) => {
    const seq = read.number(params, 'seq');
    const target = replayTarget(core.timeline, seq, read.optional(params, 'params', read.object).params);
    const id = read.optional(params, 'server', read.text).server ?? core.timeline.get(seq)?.server ?? '';
    const server = core.servers.get(id);
    return core.calls.run(server.client, {
      callId: read.text(params, 'callId', 200),
      server: server.id,
      target,
      timeoutMs: server.callTimeoutMs,
    });
  },

  'figures.get': ({ recording }) => ({ figures: recording.figures.all() }),

  'auth.get': ({ auth }, params) => auth.view(read.text(params, 'server')),
  'auth.login': async (core, params) => {
    const server = serverOf(core, params);
    const flow = await core.auth.login(server.id, read.optional(params, 'scopes', read.texts).scopes);
    if (flow.state === 'authorized') await server.connect();
    return core.auth.view(server.id);
  },
  'auth.cancel': ({ auth }, params) => auth.cancel(read.text(params, 'server')),
  'auth.logout': ({ auth }, params) => auth.logout(read.text(params, 'server')),

  'comply.start': (core, params) => {
    const server = serverOf(core, params);
    return core.comply.start(server, {
      server: server.id,
      ...read.optional(params, 'revisions', read.texts),
      ...read.optional(params, 'only', read.texts),
      ...read.optional(params, 'callTools', read.flag),
    });
  },
  'comply.stop': ({ comply }, params) => comply.stop(read.text(params, 'run')),
  'comply.get': ({ comply }, params) => comply.get(read.text(params, 'run')),
  'comply.report': async ({ comply }, params) => {
    const format = read.oneOf(params, 'format', Object.keys(REPORTS) as (keyof typeof REPORTS)[]);
    const [name, type] = REPORTS[format];
    return { name, type, content: [await comply.report(read.text(params, 'run'), format)] };
  },
};

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

/** A file where the command answers with one; anything else is sent as JSON. */
export async function runCommand(
  core: InspectorCore,
  name: CommandName,
  params: JsonObject,
): Promise<unknown> {
  return COMMANDS[name](core, params);
}

function serverOf(
  { servers }: InspectorCore,
  params: JsonObject,
): ReturnType<InspectorCore['servers']['get']> {
  return servers.get(read.text(params, 'server'));
}
