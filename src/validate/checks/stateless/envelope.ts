/** The envelope of the stateless era: what has to be there, and what a server may not remember. */

import { INVALID_PARAMS } from '../../../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { MISSING_CAPABILITY, UNSUPPORTED_VERSION } from '../../../protocol/errors.js';
import { VERSION_HEADER } from '../../../protocol/mirrored-headers.js';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
} from '../../../protocol/model/meta.js';
import { acrossRevisions, type Check, check, observing, ownCheck } from '../../check.js';
import type { Effects } from '../../observe.js';
import type { Probe } from '../../probe.js';
import { outcomeOf, type WireReply } from '../../session/reply.js';
import type { RequestOptions, ValidatorSession } from '../../session/session.js';
import { expectError, expectResult, expectStatus } from '../expect.js';
import { goodRequests, type MethodCall } from '../methods.js';

const UNKNOWN_VERSIONS = ['1999-01-01', 'v999.0.0', '2099-01-01'] as const;
const NEEDS: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

export const envelopeChecks: readonly Check[] = [
  acrossRevisions(
    ownCheck('061 062', async (probe) => {
      const { session } = await probe.open();
      // A server of both eras may take the first request of a pipe for the era of all.
      await session.request('server/discover');
      for (const call of goodRequests(probe)) {
        await incomplete(probe, session, call, '_meta', { bare: true });
        await incomplete(probe, session, call, 'protocolVersion', {
          meta: { [META_PROTOCOL_VERSION]: undefined },
        });
        await incomplete(probe, session, call, 'clientCapabilities', {
          meta: { [META_CLIENT_CAPABILITIES]: undefined },
        });
      }
      for (const wrong of [null, 'all', 7]) {
        const meta = { [META_CLIENT_CAPABILITIES]: wrong };
        const reply = await session.request('server/discover', {}, { meta, hostile: true });
        expectError(
          probe,
          '061',
          reply,
          [INVALID_PARAMS],
          `A request with clientCapabilities ${JSON.stringify(wrong)}`,
        );
      }
      for (const wrong of [null, 20_260_728]) {
        const meta = { [META_PROTOCOL_VERSION]: wrong };
        const headers = { [VERSION_HEADER]: probe.revision.version };
        const reply = await session.request('server/discover', {}, { meta, headers, hostile: true });
        const what = `A request with protocolVersion ${JSON.stringify(wrong)}`;
        // A server of both eras may take it for a request of the other one, and refuse it as such.
        probe.judge('061', reply.kind !== 'result', `${what} was served`, 'an error', reply);
      }
    }),
  ),
  check('063', async (probe) => {
    const session = await probe.session();
    for (const { method, params } of goodRequests(probe)) {
      const reply = await session.request(method, params, { meta: { [META_CLIENT_INFO]: undefined } });
      expectResult(probe, '063', reply, `${method} without clientInfo`);
    }
  }),
  ownCheck('065 066', async (probe) => {
    const { session } = await probe.open();
    const known = { method: 'server/discover', params: {} };
    for (const version of UNKNOWN_VERSIONS) {
      for (const call of goodRequests(probe).slice(0, 3))
        judgeRefusal(probe, '066', version, await withVersion(probe, session, call, version));
      const after = await session.request(known.method, known.params);
      expectResult(probe, '065', after, 'A request with a supported version after one without');
    }
    const again = await withVersion(probe, session, known, UNKNOWN_VERSIONS[0]);
    probe.judge(
      '065',
      again.kind === 'error',
      'The version of an earlier request was remembered',
      'error -32022 again',
      again,
    );
  }),
  observing(
    ownCheck('064 073 074 274', async (probe) => {
      const asking = probe.seen(({ asks }) => [...asks].some((method) => method in NEEDS)).slice(0, 5);
      if (asking.length === 0)
        return probe.skipAll(
          '064 073 074 274',
          'no callable tool asks for input (--call-tools, or --tool NAME for one that does)',
        );
      const { session } = await probe.open();
      for (const effects of asking) {
        const { use, asks } = effects;
        // First with everything, so that there is something to remember.
        await session.request(use.method, use.params);
        await deprived(probe, session, effects, {});
        for (const method of asks) {
          const { [NEEDS[method] ?? '']: _, ...others } = session.capabilities;
          await deprived(probe, session, effects, others);
        }
        const restored = await session.request(use.method, use.params);
        probe.judge(
          '064',
          restored.kind === 'result',
          `With all capabilities after a request without: ${outcomeOf(restored)}`,
          'each request judged by its own capabilities',
          restored,
        );
      }
      probe.skipAll('073 074', 'the tools do without input');
    }),
  ),
  check('079', async (probe) => {
    const session = await probe.session();
    const first = await session.request('tools/list');
    for (const info of [{ name: 'claude-desktop', version: '99.0.0' }, undefined]) {
      const second = await session.request('tools/list', {}, { meta: { [META_CLIENT_INFO]: info } });
      if (first.kind !== 'result' || second.kind !== 'result')
        return probe.skip('079', 'the server has no tools');
      const same = JSON.stringify(first.result.tools) === JSON.stringify(second.result.tools);
      probe.judge(
        '079',
        same,
        'The tools depend on the name of the client',
        'the same list for every client',
        second,
      );
    }
  }),
];

async function incomplete(
  probe: Probe,
  session: ValidatorSession,
  { method, params }: MethodCall,
  what: string,
  options: RequestOptions,
): Promise<void> {
  // A server of both eras takes a request without the version for one of the handshake era, and may stay
  // there: only HTTP has a header that tells them apart.
  const dual =
    probe.spoken.some((revision) => revision.lifecycle === 'handshake') && probe.transport !== 'http';
  if (dual && what !== 'clientCapabilities') return;
  const headers = probe.transport === 'http' ? { [VERSION_HEADER]: probe.revision.version } : {};
  const reply = await session.request(method, params, { ...options, headers, hostile: true });
  expectError(probe, '061', reply, [INVALID_PARAMS], `${method} without ${what}`);
  if (probe.transport === 'http') expectStatus(probe, '062', reply, [400], `${method} without ${what}`);
}

export function withVersion(
  probe: Probe,
  session: ValidatorSession,
  { method, params }: MethodCall,
  version: string,
): Promise<WireReply> {
  const headers = probe.transport === 'http' ? { [VERSION_HEADER]: version } : {};
  return session.request(method, params, { meta: { [META_PROTOCOL_VERSION]: version }, headers });
}

function judgeRefusal(probe: Probe, id: string, version: string, reply: WireReply): void {
  const data = reply.kind === 'error' && isRecord(reply.data) ? reply.data : {};
  const supported = Array.isArray(data.supported) ? data.supported : [];
  const useful = supported.includes(probe.revision.version) && !supported.includes(version);
  const ok =
    reply.kind === 'error' &&
    reply.code === UNSUPPORTED_VERSION &&
    useful &&
    supported.every((name) => typeof name === 'string') &&
    data.requested === version;
  probe.judge(
    id,
    ok,
    `The unknown version ${version}: ${outcomeOf(reply)}`,
    `error -32022 with data.supported that has ${probe.revision.version}, and data.requested`,
    reply,
  );
}

/** A call of a tool that asks, by a client that lacks what it asks for. */
async function deprived(
  probe: Probe,
  session: ValidatorSession,
  { use, asks }: Effects,
  capabilities: JsonObject,
): Promise<void> {
  const reply = await session.request(use.method, use.params, {
    meta: { [META_CLIENT_CAPABILITIES]: capabilities },
  });
  const requests =
    reply.kind === 'result' && isRecord(reply.result.inputRequests) ? reply.result.inputRequests : {};
  const undeclared = Object.values(requests).find(
    (request) => isRecord(request) && !((NEEDS[String(request.method)] ?? '') in capabilities),
  );
  const expected = 'error -32021, or a result without such questions';
  const ok = undeclared === undefined;
  probe.judge('064', ok, 'Capabilities of an earlier request were remembered', expected, reply);
  probe.judge('274', ok, 'Input was requested that the client cannot give', expected, reply);
  if (reply.kind !== 'error') return;
  const data = isRecord(reply.data) ? reply.data : {};
  const required = isRecord(data.requiredCapabilities) ? data.requiredCapabilities : {};
  const missing = [...asks].map((method) => NEEDS[method] ?? '').filter((name) => !(name in capabilities));
  // The one that it comes to first is enough.
  const named = missing.some((name) => isRecord(required[name]));
  probe.judge(
    '073',
    reply.code === MISSING_CAPABILITY && named,
    `Without ${missing.join(' and ')}: ${outcomeOf(reply)}`,
    'error -32021 with data.requiredCapabilities that names it',
    reply,
  );
  if (probe.transport === 'http') expectStatus(probe, '074', reply, [400], 'A missing capability');
}
