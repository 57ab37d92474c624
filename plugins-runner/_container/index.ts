export { type ArchiveEntry, toArchive } from "./archive.ts";
export type { AllowedMount, ContainerOptions, PullPolicy, RegistryCredentials } from "./container-options.ts";
export { limitParameters } from "./container-parameters.ts";
export type { ContainerEnd } from "./container-run.ts";
export { ContainerRuns, type ContainerWork, toContainerResult, toError } from "./container-runs.ts";
export type { ContainerProgram } from "./container-spec.ts";
export { containerParameters, type ShellContainerOptions, ShellContainers } from "./shell-containers.ts";
