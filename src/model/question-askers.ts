/**
 * Member of a question's `_meta`: the tools of which one asked, if the server does not say which one. Only the host sets
 * it.
 */
export const askersKey = 'toolwharf/askers';
