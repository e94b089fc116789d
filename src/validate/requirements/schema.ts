import { type Requirement, table } from './requirement.js';

export const schemaRequirements: readonly Requirement[] = table(
  'Schema',
  `
406 | 1-5 | must | both | schema | Messages have the shape that the schema of the revision gives them | Watch every message against the shapes of the revision | Compare the message with the schema of the revision and correct the field that is named.
407 | 1-5 | must | server | messages | The server stays up, whatever it is sent | Watch for processes that end and addresses that refuse connections | Answer bad input with an error, and catch what a handler throws.
408 | 1-5 | derived | server | stdio | Lines end with a newline alone | Look at the end of every line | Write \\n at the end of a line, not \\r\\n.
409 | 1-5 | derived | server | stdio | White space around a message is tolerated | Send a message with a carriage return, with spaces, and after an empty line | Trim lines before parsing them, and skip empty ones.
`,
);
