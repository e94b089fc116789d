/** Keeps a mistake in one part of the page from taking the rest with it. */

import { Component, type ReactNode } from 'react';
import { Button } from './button.js';
import { Notice } from './notice.js';

interface Props {
  /** What failed, such as "This panel". */
  readonly what: string;
  /** Another value means another thing to show: the mistake is forgotten. */
  readonly resetKey?: string;
  /** Shown instead, where something better than a message is possible. */
  readonly fallback?: (error: Error) => ReactNode;
  readonly children: ReactNode;
}

interface State {
  readonly error: Error | undefined;
  readonly resetKey: string | undefined;
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: undefined, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State): Partial<State> | null {
    return resetKey === state.resetKey ? null : { error: undefined, resetKey };
  }

  override render(): ReactNode {
    const { error } = this.state;
    const { what, fallback, children } = this.props;
    if (error === undefined) return children;
    if (fallback !== undefined) return fallback(error);
    return (
      <div className="panel-scroll">
        <Notice tone="bad">
          <p>{what} could not be shown. The rest of the page goes on working.</p>
          <pre className="small wrap pre-wrap">{error.message.slice(0, 2_000)}</pre>
          <div>
            <Button size="small" onClick={() => this.setState({ error: undefined })}>
              Try again
            </Button>
          </div>
        </Notice>
      </div>
    );
  }
}
