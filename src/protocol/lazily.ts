/** A module that is loaded on first use. From then on it is there at once: `import()` costs microseconds each time. */
/* @__NO_SIDE_EFFECTS__ */
export function lazily<Module>(load: () => Promise<Module>): () => Module | Promise<Module> {
  let loaded: Module | undefined;
  return () =>
    loaded ??
    load().then((module) => {
      loaded = module;
      return module;
    });
}
