/** What extensions want to hear about on listen streams: the union of all interests, field by field. */

import type { SubscriptionFilter } from '../../protocol/model/subscriptions.js';

type FilterInterest = true | readonly string[];

export class ExtensionFilters {
  readonly #interests = new Map<string, Set<{ readonly value: FilterInterest }>>();

  /** Returns what gives the interest up again. */
  add(field: string, value: FilterInterest): () => void {
    const interests = this.#interests.get(field) ?? new Set();
    this.#interests.set(field, interests);
    const interest = { value };
    interests.add(interest);
    return () => {
      interests.delete(interest);
      if (interests.size === 0) this.#interests.delete(field);
    };
  }

  fields(): SubscriptionFilter {
    const fields: SubscriptionFilter = {};
    for (const [field, interests] of this.#interests) {
      const values = [...interests].map(({ value }) => value);
      fields[field] = values.includes(true) || [
        ...new Set(values.flatMap((value) => (value === true ? [] : value))),
      ];
    }
    return fields;
  }
}
