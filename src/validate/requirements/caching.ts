import { type Requirement, table } from './requirement.js';

export const cachingRequirements: readonly Requirement[] = table(
  'Caching',
  `
300 | 5 | must | server | caching | ttlMs integer >= 0 and cacheScope on the six cacheable results | Call each | Add ttlMs (an integer from 0) and cacheScope to cacheable results.
301 | 5 | must | server | caching | Same cacheScope on all pages | Page through | Use one cacheScope for all pages.
302 | 5 | must | client | caching | Cached only for same method+params | Vary uri/cursor | Use the method and the params as cache key.
303 | 5 | must | client | caching | Private cache not shared across tokens | Two tokens | Keep private results apart by access token. | needs two users of one client
304 | 5 | must | client | caching | MRTR results not cached | Mock | Do not cache results that needed input.
305 | 5 | should | client | caching | Absent/negative ttl = stale | Mock -5 | Treat absent and negative ttlMs as stale.
306 | 5 | should | client | caching | Notification invalidates | Mock | Drop cached results when a notification says that they changed.
307 | 5 | should | client | caching | Ttl not used as poll interval | Watch idle client | Do not poll because a ttl ends.
`,
);
