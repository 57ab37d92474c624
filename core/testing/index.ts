export { type AuthBackendSuiteOptions, type AuthBackendUnderTest, testAuthBackend } from "./auth-suite.ts";
export { type EventBusSuiteOptions, testEventBus } from "./event-bus-suite.ts";
export { mockRunner } from "./mock-runner.ts";
export { createOptions } from "./options.ts";
export { type Requirement, requires, type SkippableTest } from "./requires.ts";
export { createRunContext, type EmittedChunk, type RunContextOptions, type TestRunContext } from "./run-context.ts";
export { type RunnerCases, type RunnerSuiteOptions, testRunner } from "./runner-suite.ts";
export { type OpenedStorage, type StorageSuiteOptions, testStorage } from "./storage-suite.ts";
