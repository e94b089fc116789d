/** What is chosen for a new project. */

export type ScaffoldFeature = 'resources' | 'prompts';

export interface ScaffoldChoices {
  /** Of the package, and what the server calls itself. */
  readonly name: string;
  readonly transport: 'stdio' | 'http';
  /** Beside tools. */
  readonly features: readonly ScaffoldFeature[];
  /** Bearer tokens of an authorization server, over HTTP. */
  readonly auth: boolean;
  /** The version of Plumb that the project depends on. */
  readonly plumbVersion: string;
  /** Whether the Node that it is made with runs TypeScript by itself. */
  readonly runsTypeScript: boolean;
}

/** What a generated server offers, for its manifest and its tests. */
export const SCAFFOLD_TOOLS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'add_note', description: 'Saves a note and returns its number' },
  { name: 'search_notes', description: 'Finds the notes that contain a text' },
];
