import { type Requirement, table } from './requirement.js';

export const schemaRequirements: readonly Requirement[] = table(
  'Schema',
  `
406 | 1-5 | must | both | schema | Messages have the shape that the schema of the revision gives them | Watch every message against the shapes of the revision | Compare the message with the schema of the revision and correct the field that is named.
`,
);
