import { type Storage, SvcError } from "../contract/index.ts";
import type { EngineCore } from "./engine-api.ts";
import { noNestedDryRun } from "./extension-points.ts";
import type { ApiOf, CreateFeatures, FeatureMap } from "./feature-list.ts";
import { createKernel, type Plugins } from "./kernel.ts";
import type { EngineDependencies } from "./plugins/engine-dependencies.ts";
import { TelemetryHub } from "./telemetry/telemetry-hub.ts";

const silentBus = {
	capabilities: {},
	publish: () => {},
	subscribe: () => Promise.reject(new SvcError("SVC_UNAVAILABLE", "a dry run has no event bus")),
};

/**
 * Performs a dry run of the start of an engine: writes to `storage` what the start would write, by the same code. Starts nothing. Returns
 * the executions and the API of the features for reading the result.
 *
 * @param dependencies dependencies of the engine; the logger gets a message for everything that a start would skip
 * @param storage receives all writes
 */
export async function dryRunEngine<F extends FeatureMap>(
	dependencies: EngineDependencies,
	plugins: Omit<Plugins, "storageSource" | "eventBus" | "authBackend" | "hub">,
	storage: Storage,
	createFeatures: CreateFeatures<F>,
): Promise<Pick<EngineCore, "executions"> & ApiOf<F>> {
	const kernel = createKernel(
		dependencies,
		{ ...plugins, storageSource: { current: storage }, eventBus: silentBus, authBackend: undefined, hub: new TelemetryHub() },
		"",
	);
	const features = createFeatures(kernel);
	kernel.extensions.setFeatures(Object.values(features), noNestedDryRun);
	await kernel.register();
	return Object.assign({ executions: kernel.executions }, ...Object.values(features).map(({ api }) => api));
}
