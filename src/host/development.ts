/** Makes a host one for the author of packages. It has a state directory of its own, without the operator's values. */
export interface DevelopmentOptions {
  /** Where language packages are installed; several such hosts share it. */
  readonly environments: string;
  /** The operator's state directory: the file KILL in it stops this host too. */
  readonly operatorState: string;
  /** More folders of the operator's host, which tools must not see. */
  readonly hidden: readonly string[];
}
