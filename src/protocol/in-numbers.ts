/** Options whose durations and sizes have been parsed, and whose defaults are filled in: milliseconds and bytes. */
export type InNumbers<Options> = {
  readonly [Key in keyof Options]-?: number extends Options[Key] ? number : Exclude<Options[Key], undefined>;
};
