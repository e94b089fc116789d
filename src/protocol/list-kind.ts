/** The lists of a server that change and are announced. Templates belong to the resources. */
export type ListKind = 'tools' | 'prompts' | 'resources';
