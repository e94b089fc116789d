import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/controls.css';
import './styles/content.css';
import './styles/form.css';
import './styles/panels.css';
import './styles/timeline.css';
import { App } from './app.js';
import { followProcess } from './state/inspector.js';
import { startTheme } from './state/theme.js';

startTheme();
void followProcess(new AbortController().signal);

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
