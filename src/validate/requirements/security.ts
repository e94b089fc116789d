import { type Requirement, table } from './requirement.js';

export const securityRequirements: readonly Requirement[] = table(
  'Security, schemas, icons',
  `
382 | 4-5 | must | both | schema-rules | 2020-12 default dialect | Schema using prefixItems | Read schemas without $schema as 2020-12.
383 | 4-5 | must | both | schema-rules | Unsupported dialect -> clear error | $schema bogus | Report unsupported dialects clearly.
384 | 5 | must | both | schema-rules | Network $ref not fetched | Canary URL | Do not fetch references over the network.
385 | 5 | should | both | schema-rules | Schema depth/time bounded | Deep anyOf | Limit the depth and the time that schemas may take.
386 | 4-5 | must | client | icons | Icon src https or data only; others rejected | Javascript:, file: | Load icons from https and data URIs only.
387 | 4-5 | must | client | icons | Icons fetched without credentials; png and jpeg supported | Mock | Fetch icons without credentials.
388 | 4-5 | should | client | icons | No cross-origin icon redirects | Mock | Do not follow icon redirects to other origins. | icons come over https only, and the stage has no certificate that a client would trust
389 | 1-5 | must | server | security | Tool calls rate limited, input sizes bounded | Flood | Limit rates and sizes, and stay up under a flood.
390 | 4-5 | must | server | security | Task ids unguessable and checked against the caller (other handles: SHOULD) | Cross-user | Create task ids with a secure random generator.
`,
);
