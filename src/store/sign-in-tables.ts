/** Servers of packages that asked for a sign-in. */
export interface SignInRequestTable {
  package: string;
  program: string;
  url: string;
  resource_metadata: string;
  scopes: string;
  at: number;
}
