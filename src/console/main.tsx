import { render } from 'preact';
import { pages } from './pages/pages.js';
import { App } from './shell/app.js';
import { start } from './shell/connection.js';
import { listenToKeys } from './shell/keyboard.js';

const root = document.getElementById('root');
if (root !== null) render(<App />, root);
listenToKeys(pages);
void start();
