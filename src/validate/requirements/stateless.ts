import { type Requirement, table } from './requirement.js';

export const statelessRequirements: readonly Requirement[] = table(
  'Stateless requests',
  `
059 | 5 | must | client | base5 | Every request has _meta protocolVersion and clientCapabilities | Record all methods | Put protocolVersion and clientCapabilities into _meta of every request.
060 | 5 | should | client | base5 | Every request has clientInfo | Record | Put clientInfo into _meta of every request.
061 | 5 | must | server | base5 | Missing _meta/protocolVersion/clientCapabilities -> -32602 | Omit each | Refuse requests without the required _meta fields with -32602.
062 | 5 | must | server | http | Same on HTTP -> status 400 | Omit each over HTTP | Answer requests without the required _meta fields with status 400.
063 | 5 | must | server | base5 | clientInfo absence accepted | Omit it | Accept requests without clientInfo.
064 | 5 | must | server | base5 | Capabilities not remembered between requests | Request with caps, then without, then tool needing them | Judge capabilities by the request at hand, not by earlier ones.
065 | 5 | must | server | versioning | Version not remembered: each request judged alone | Alternate versions | Judge the version of every request alone.
066 | 5 | must | server | versioning | Unsupported version -> -32022 with data.supported[] and data.requested | Send v999 | Answer unknown versions with -32022, data.supported and data.requested.
067 | 5 | should | client | versioning | On -32022 retries with a mutual version | Mock | After -32022 choose a version from data.supported and try again.
068 | 5 | should | client | versioning | No mutual version -> error surfaced, no loop | Mock supported ["a version of 1900"] | Report an error when no version is shared; do not retry for ever.
069 | 5 | must | server | discover | server/discover implemented: supportedVersions, capabilities, ttlMs, cacheScope, resultType | Call | Implement server/discover with supportedVersions, capabilities, ttlMs and cacheScope.
070 | 5 | derived | server | discover | Every modern date in supportedVersions is accepted in _meta | Try each | List only versions that requests are accepted in.
071 | 5 | should | server | base5 | ServerInfo in result _meta on every result | Inspect | Put serverInfo into _meta of every result.
072 | 5 | derived | server | discover | Capabilities match behaviour: advertised works, unadvertised -> -32601 | Call all list methods | Advertise exactly the features that work; answer the rest with -32601.
073 | 5 | must | server | base5 | Needed but undeclared client capability -> -32021, data.requiredCapabilities object | Call tool needing sampling with {} | Answer with -32021 and data.requiredCapabilities when the client lacks a capability.
074 | 5 | must | server | http | -32021 -> HTTP 400 | Same over HTTP | Send -32021 with status 400.
075 | 5 | should | server | versioning | Modern-only server names supported versions when refusing initialize | Send initialize | Name the supported versions in the error that answers initialize.
076 | 5 | must | server | versioning | Removed methods (initialize, ping, logging/setLevel, resources/subscribe, resources/unsubscribe) -> -32601 | Call with valid _meta | Answer methods that this revision removed with -32601.
077 | 5 | must | server | tools | List results do not vary per connection or by earlier calls | List, call tools, list from new connection | Return the same lists on every connection, whatever was called before.
078 | 5 | should | server | tools | tools/list order deterministic | List twice | Return tools in a stable order.
079 | 5 | should | both | base5 | clientInfo/serverInfo not used for behaviour | Change names, compare | Do not change behaviour by the name of the other side.
080 | 5 | must | both | base5 | traceparent/tracestate/baggage follow W3C format if sent | Validate | Write traceparent, tracestate and baggage in their W3C formats.
`,
);
