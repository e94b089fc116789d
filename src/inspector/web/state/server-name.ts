import { useInspector } from './inspector.js';

/** What a server or a chain is called; an id that is not known stands for itself. */
export function useServerName(id: string): string {
  return useInspector(
    ({ servers, chains }) => [...servers, ...chains].find((each) => each.id === id)?.name ?? id,
  );
}
