export { type AuthBackendSuiteOptions, type AuthBackendUnderTest, testAuthBackend } from "./auth-suite.ts";
export { type EventBusSuiteOptions, testEventBus } from "./event-bus-suite.ts";
export { createTestExpressions, type TestItems } from "./expressions.ts";
export {
	type ExternalJobCases,
	type ExternalJobEngine,
	type LastingRunnerSuiteOptions,
	testExternalJobRunner,
} from "./external-job-suite.ts";
export { createManualClock, type ManualClock } from "./manual-clock.ts";
export { mockRunner } from "./mock-runner.ts";
export { createPluginContext, type PluginContextOptions } from "./plugin-context.ts";
export type { ChildEnd, OnChild, TestChild, TestChildren } from "./run-children.ts";
export { createRunContext, type EmittedChunk, type ReadOutput, type RunContextOptions, type TestRunContext } from "./run-context.ts";
export { type KitOptions, type KitResult, type RegisterTest, runKit } from "./run-kit.ts";
export { type RunnerCases, type RunnerSuiteOptions, testRunner } from "./runner-suite.ts";
export { createSensorHost, type DispatchedEvent, type SensorHost, type SensorHostOptions } from "./sensor-host.ts";
export { type SensorSuiteOptions, type SensorUnderTest, testSensor } from "./sensor-suite.ts";
export { createOptions } from "./service-options.ts";
export { type OpenedStorage, type StorageSuiteOptions, testStorage } from "./storage-suite.ts";
export { type Requirement, requires, type SkippableTest } from "./test-requirements.ts";
