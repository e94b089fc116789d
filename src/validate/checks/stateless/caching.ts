/** Caching hints. */

import { isRecord } from '../../../jsonrpc/message.js';
import { META_PROTOCOL_VERSION } from '../../../protocol/model/meta.js';
import { type Check, watch } from '../../check.js';
import { sortTraffic } from '../../traffic.js';

export const cachingChecks: readonly Check[] = [
  watch('300 286', (probe) => {
    for (const { method, params, request, result, response } of sortTraffic(probe.recorder.entries)
      .exchanges) {
      // Without an envelope a request is one of the other era, where a server has both.
      const modern = isRecord(params._meta) && META_PROTOCOL_VERSION in params._meta;
      if (result === undefined || !modern || request.hostile === true) continue;
      const received = response?.text ?? '';
      if (result.resultType === 'input_required') {
        const bare = !('ttlMs' in result) && !('cacheScope' in result);
        probe.judge(
          '286',
          bare,
          `${method}: caching hints on an interim result`,
          'no ttlMs and no cacheScope',
          { received },
        );
      } else if (probe.revision.cacheable.has(method)) {
        const scope = result.cacheScope === 'public' || result.cacheScope === 'private';
        const ttl = typeof result.ttlMs === 'number' && Number.isInteger(result.ttlMs) && result.ttlMs >= 0;
        probe.judge(
          '300',
          scope && ttl,
          `${method}: ttlMs ${JSON.stringify(result.ttlMs)}, cacheScope ${JSON.stringify(result.cacheScope)}`,
          'ttlMs from 0, and cacheScope public or private',
          { received },
        );
      }
    }
    probe.skip('286', 'nothing here asks for input');
  }),
  watch('301', (probe) => {
    for (const [method, pages] of probe.catalogue.pages) {
      const scopes = pages.flatMap((page) => (page.kind === 'result' ? [page.result.cacheScope] : []));
      if (scopes.length < 2) continue;
      const same = scopes.every((scope) => scope === scopes[0]);
      probe.judge('301', same, `${method}: pages with different cacheScope`, 'one cacheScope for all pages', {
        received: JSON.stringify(scopes),
      });
    }
    probe.skip('301', 'every list fits on one page');
  }),
];
