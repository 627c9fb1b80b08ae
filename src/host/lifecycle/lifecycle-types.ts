// The types of installed packages and of everything about them. host.ts exports them.
export type {
  ChangeProgress,
  ChangeStep,
  ChangeStepName,
  GenerationName,
  PackageChange,
} from '../../model/change.js';
export type { Installation, SmokeResult } from '../../model/installation.js';
export type { LearnedAccess, LearnProposal } from '../../model/learning.js';
export type { LockPlan, UnchangedPackage } from '../../model/lock-file.js';
export type { Narrowing } from '../../model/narrowing.js';
export type { CostEstimate, Plan, PlanChanges, PlannedCredential, PlannedPackage } from '../../model/plan.js';
export type {
  AgentRequest,
  AgentRequestAnswer,
  RequestDecision,
  RequestedInstallation,
  RequestedInstallationState,
} from '../../model/requested-installation.js';
export type { InstallRequests } from '../operator/install-requests.js';
export type {
  ServerDraft,
  ServerRequest,
  ServerTrial,
  ServerTrialRequest,
} from './added/server-request.js';
export type {
  ChangeOptions,
  GarbageReport,
  GenerationEntry,
  InstallationOrigin,
  Installations,
  InstalledPackage,
  InstallRequest,
  LockPlanRequest,
  OutdatedPackage,
  PlanRequest,
  RemoveRequest,
  RestoreReport,
  RestoreRequest,
  RevokeRequest,
  RollbackRequest,
  ValueRequest,
} from './installations.js';
export type { Learning, NarrowRequest, ProposalRequest, WatchedTime, WatchRequest } from './learning.js';
export type {
  DecidedReview,
  PublicationReview,
  PublicationReviews,
  Registries,
  RegistryPackage,
  RegistryPackageRelease,
  RegistryPackageRequest,
  RegistryPackageSummary,
  RegistryProblem,
  RegistryReading,
  RegistrySearch,
  RegistrySearchHit,
  RegistrySearchResult,
  RegistryStatus,
  ReviewDecisionRequest,
  SeenLogHead,
} from './registries.js';
