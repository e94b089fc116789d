import type { AskAnswer, AskView } from '../../../api.js';

export interface AskProps<Kind extends AskView['kind']> {
  readonly ask: Extract<AskView, { readonly kind: Kind }>;
  readonly busy: boolean;
  readonly answer: (answer: AskAnswer) => void;
}
