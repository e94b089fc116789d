/** server/discover, removed methods, and lists that depend on nothing but the server. */

import { METHOD_NOT_FOUND } from '../../../jsonrpc/codes.js';
import { isRecord } from '../../../jsonrpc/message.js';
import { UNSUPPORTED_VERSION } from '../../../protocol/errors.js';
import { VERSION_HEADER } from '../../../protocol/mirrored-headers.js';
import { META_CLIENT_CAPABILITIES, META_PROTOCOL_VERSION } from '../../../protocol/model/meta.js';
import { findRevision } from '../../../protocol/revisions/index.js';
import { LISTS } from '../../catalogue.js';
import { acrossRevisions, type Check, check, loneCheck, observing, ownCheck } from '../../check.js';
import type { Probe } from '../../probe.js';
import { outcomeOf } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';
import { expectError, isError } from '../expect.js';

const USES = [
  ['tools', 'tools/call', { name: 'x', arguments: {} }],
  ['resources', 'resources/read', { uri: 'plumb://nothing' }],
  ['prompts', 'prompts/get', { name: 'x' }],
] as const;
const REMOVED = ['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'] as const;

export const discoverChecks: readonly Check[] = [
  check('069 070', async (probe) => {
    const session = await probe.session();
    const reply = await session.request('server/discover');
    const result = reply.kind === 'result' ? reply.result : {};
    const versions = Array.isArray(result.supportedVersions) ? result.supportedVersions : [];
    const complete =
      versions.length > 0 &&
      versions.every((version) => typeof version === 'string') &&
      isRecord(result.capabilities) &&
      typeof result.ttlMs === 'number' &&
      Number.isInteger(result.ttlMs) &&
      result.ttlMs >= 0 &&
      (result.cacheScope === 'public' || result.cacheScope === 'private') &&
      result.resultType === 'complete';
    probe.judge(
      '069',
      complete,
      'server/discover is not complete',
      'supportedVersions, capabilities, ttlMs, cacheScope, resultType',
      reply,
    );
    for (const version of versions.filter((name): name is string => typeof name === 'string')) {
      if (findRevision(version)?.lifecycle === 'handshake') continue;
      const headers = probe.transport === 'http' ? { [VERSION_HEADER]: version } : {};
      const trial = await session.request(
        'server/discover',
        {},
        { meta: { [META_PROTOCOL_VERSION]: version }, headers },
      );
      probe.judge('070', trial.kind === 'result', `${version} is listed and not accepted`, 'a result', trial);
    }
    const listed = versions.includes(probe.revision.version);
    probe.judge(
      '070',
      listed,
      `${probe.revision.version} is spoken and not listed`,
      'every version that is accepted',
      reply,
    );
  }),
  check('072', async (probe) => {
    const session = await probe.session();
    for (const { method, capability } of LISTS) {
      const reply = await session.request(method);
      const declared = probe.declares(capability);
      const ok = declared ? reply.kind === 'result' : isError(reply, METHOD_NOT_FOUND);
      probe.judge(
        '072',
        ok,
        `${method} (${declared ? 'declared' : 'not declared'}): ${outcomeOf(reply)}`,
        declared ? 'a result' : 'error -32601',
        reply,
      );
    }
    for (const [capability, method, params] of USES) {
      if (probe.declares(capability)) continue;
      const reply = await session.request(method, params);
      expectError(probe, '072', reply, [METHOD_NOT_FOUND], `${method} without the capability ${capability}`);
    }
    if (!probe.declares('completions')) {
      const reply = await session.request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'x' },
        argument: { name: 'x', value: '' },
      });
      expectError(probe, '072', reply, [METHOD_NOT_FOUND], 'completion/complete without the capability');
    }
  }),
  acrossRevisions(
    check('075', async (probe) => {
      const params = {
        protocolVersion: probe.revision.version,
        capabilities: {},
        clientInfo: { name: 'old', version: '1' },
      };
      if (probe.spoken.some(({ lifecycle }) => lifecycle === 'handshake'))
        return probe.skip('075', 'the server speaks the handshake era too');
      const session = await probe.session();
      const reply = await session.request('initialize', params, { bare: true, hostile: true });
      const named =
        reply.kind === 'error' && JSON.stringify([reply.text, reply.data]).includes(probe.revision.version);
      probe.judge(
        '075',
        named,
        `initialize: ${outcomeOf(reply)} that names no version`,
        `an error that names ${probe.revision.version}`,
        reply,
      );
    }),
  ),
  check('076', async (probe) => {
    const session = await probe.session();
    for (const method of REMOVED) {
      const params =
        method === 'logging/setLevel'
          ? { level: 'info' }
          : method === 'ping'
            ? {}
            : { uri: 'plumb://nothing' };
      expectError(
        probe,
        '076',
        await session.request(method, params),
        [METHOD_NOT_FOUND],
        `${method} with the new envelope`,
      );
    }
    const params = {
      protocolVersion: probe.revision.version,
      capabilities: {},
      clientInfo: { name: 'new', version: '1' },
    };
    const reply = await session.request('initialize', params);
    // A server of both eras may say by the version that this one needs no handshake.
    expectError(
      probe,
      '076',
      reply,
      [METHOD_NOT_FOUND, UNSUPPORTED_VERSION],
      'initialize with the new envelope',
    );
  }),
  observing(
    loneCheck('077 078', async (probe) => {
      const { session } = await probe.open();
      const { session: other } = await probe.open();
      // What was called on one connection is no reason for it to see other lists.
      for (const { method, params } of probe.goodCalls.slice(0, 5))
        if (!probe.seen(({ lists, use }) => lists.size > 0 && use.params === params).length)
          await session.request(method, params);
      for (const { method, field } of LISTS) {
        const now = await session.request(method);
        const again = await session.request(method);
        const third = await session.request(method);
        const elsewhere = await other.request(method);
        if (again.kind !== 'result' || elsewhere.kind !== 'result') continue;
        const same = JSON.stringify(again.result[field]) === JSON.stringify(elsewhere.result[field]);
        probe.judge(
          '077',
          same,
          `${method} differs between connections`,
          'the same list everywhere',
          elsewhere,
        );
        if (method !== 'tools/list' || now.kind !== 'result' || third.kind !== 'result') continue;
        const lists = [now, again, third].map(({ result }) => JSON.stringify(result[field]));
        const stable = new Set(lists).size === 1;
        probe.judge('078', stable, 'tools/list changes its order', 'the same order every time', again);
      }
    }),
  ),
  acrossRevisions(
    ownCheck('403 405', async (probe) => {
      const old = probe.spoken.find(({ lifecycle }) => lifecycle === 'handshake');
      if (old === undefined) {
        for (const id of ['403', '405']) probe.skip(id, 'the server speaks only the stateless era');
        return;
      }
      const { session: legacy, greeting } = await probe.open({}, old);
      const { session: modern } = await probe.open();
      const opened = greeting?.kind === 'result';
      if (!opened) return probe.skip('403', 'the handshake failed');
      const before = await legacy.request('ping');
      const beside = await modern.request('server/discover');
      if (probe.transport === 'stdio') await mixed(probe, legacy);
      const after = await legacy.request('ping');
      probe.judge(
        '403',
        before.kind === 'result' && beside.kind === 'result',
        'The two eras are not served side by side',
        'both are served',
        before.kind === 'result' ? beside : before,
      );
      probe.judge(
        '405',
        after.kind === 'result',
        'A stateless request disturbed a session',
        'the session goes on',
        after,
      );
    }),
  ),
];

/** On one pipe: a request of the stateless era inside a session of the handshake era. */
async function mixed(probe: Probe, legacy: ValidatorSession): Promise<void> {
  const id = legacy.nextId();
  const meta = {
    [META_PROTOCOL_VERSION]: probe.revision.version,
    [META_CLIENT_CAPABILITIES]: {},
  };
  const reply = await legacy.request('server/discover', {}, { id, meta });
  probe.judge(
    '403',
    reply.kind === 'result',
    `A stateless request on the pipe of a session: ${outcomeOf(reply)}`,
    'both eras are served',
    reply,
  );
}
