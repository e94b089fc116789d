/** Options that are undefined are options that are absent. */

/** What may be given of these, each by itself. Unlike `Partial`, `undefined` is taken for absent. */
export type Optional<Options> = { readonly [Key in keyof Options]?: Options[Key] | undefined };

type Given<Options> = { [Key in keyof Options]: Exclude<Options[Key], undefined> };

/** The options without those that are undefined, so that they can be put over defaults. */
export function given<Options extends object>(options: Options): Given<Options> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<Options>;
}
