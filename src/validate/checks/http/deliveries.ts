/** HTTP answers: whether they ended, and what they were. */

import type { Delivery } from '../../wire/connection.js';

export async function endOf(delivery: Delivery, patienceMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, patienceMs, false);
  });
  try {
    return await Promise.race([delivery.ended.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}

export function statusText(delivery: Delivery | undefined): string {
  return `HTTP ${delivery?.status ?? '(none)'} ${delivery?.contentType ?? ''}\n${delivery?.body() ?? ''}`;
}
