import { activityPage } from './activity/activity-page.js';
import { buildPage } from './build/build-page.js';
import { clientsPage } from './clients/clients-page.js';
import { healthPage } from './health/health-page.js';
import { inboxPage } from './inbox/inbox-page.js';
import { packagesPage } from './packages/packages-page.js';
import type { ConsolePage } from './page.js';
import { registryPage } from './registry/registry-page.js';
import { tryPage } from './try/try-page.js';

/** All pages, in the order of the navigation. */
export const pages: readonly ConsolePage[] = [
  inboxPage,
  packagesPage,
  tryPage,
  activityPage,
  clientsPage,
  registryPage,
  buildPage,
  healthPage,
];
