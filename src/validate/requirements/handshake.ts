import { type Requirement, table } from './requirement.js';

export const handshakeRequirements: readonly Requirement[] = table(
  'Handshake',
  `
043 | 1-4 | must | client | lifecycle | First request is initialize with protocolVersion, capabilities, clientInfo{name,version} | Record | Open with initialize, with protocolVersion, capabilities and clientInfo.
044 | 1-4 | should | client | lifecycle | Proposes its latest legacy version | Record | Propose the newest handshake revision that you speak.
045 | 1-4 | must | server | lifecycle | Same version echoed when supported | initialize with each supported date | Answer with the requested version when you support it.
046 | 1-4 | must | server | lifecycle | Unsupported version -> other supported version (not silence) | Send a version of 1999 | Answer an unknown version with one that you support instead of failing.
047 | 1-4 | should | server | lifecycle | Counter-offer is server's latest | Same | Offer the newest version that you support.
048 | 1-4 | should | client | lifecycle | Disconnects on unusable counter-offer | Mock answers a version of 1999 | Disconnect when the server's version is of no use to you.
049 | 1-4 | must | server | lifecycle | Result has protocolVersion, capabilities, serverInfo{name,version} | Schema check | Return protocolVersion, capabilities and serverInfo with name and version.
050 | 1-4 | must | client | lifecycle | Sends notifications/initialized after the result | Record | Send notifications/initialized after the initialize result.
051 | 1-4 | should | client | lifecycle | Only ping before initialize result | Delay result, record | Send nothing but ping until initialize is answered.
052 | 1-4 | should | server | lifecycle | Only ping/logging before initialized | Withhold initialized, record | Send nothing but ping and log messages until notifications/initialized came.
053 | 1-4 | must | client | cancellation | initialize never cancelled | Time out initialize, record | Never cancel initialize.
054 | 3-4 | must | server | lifecycle | No capability used that was not negotiated (e.g. no sampling to client without it) | Client without caps, trigger tools | Ask only for what the client declared in its capabilities.
055 | 3-4 | must | client | lifecycle | No method called behind an undeclared server capability | Server with only tools | Call only what the server declared in its capabilities.
056 | 1-2 | should | both | lifecycle | Items 054 and 055 hold as SHOULD | As above | Use only what both sides declared in their capabilities.
057 | 1-4 | derived | server | lifecycle | Request before initialize rejected or ignored, no crash | tools/list first | Refuse requests before initialize without crashing.
058 | 3-4 | must | both | lifecycle | Only features of the negotiated version used (no resource_link to the second revision, no elicitation to the second revision) | Negotiate each date, inspect | Send only content, fields and methods of the negotiated revision.
`,
);
