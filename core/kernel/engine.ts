import { createId } from "./basics/ids.ts";
import { dryRunEngine } from "./dry-run.ts";
import type { EngineCore } from "./engine-api.ts";
import { EngineLifecycle } from "./engine-lifecycle.ts";
import { noEventHandler } from "./events/event-handler.ts";
import type { ApiOf, CreateFeatures, FeatureMap } from "./feature-list.ts";
import { createKernel, type RunnableKernel } from "./kernel.ts";
import { createNode } from "./nodes/node.ts";
import type { EngineDependencies } from "./plugins/engine-dependencies.ts";
import { PluginHost } from "./plugins/plugin-host.ts";
import { createRetryStartup } from "./plugins/retry-startup.ts";

/** Creates an engine from the kernel and features. Opens and starts nothing before `start`. */
export function createEngineOf<F extends FeatureMap>(
	dependencies: EngineDependencies,
	createFeatures: CreateFeatures<F>,
): EngineCore & ApiOf<F> {
	const { logger, composition, clock } = dependencies;
	const nodeId = createId(clock);
	const host = new PluginHost(dependencies, nodeId);
	const { restartableStorage: storageSource, entries: _entries, ...created } = host.created;
	const kernel = createKernel(dependencies, { ...created, storageSource, hub: host.hub }, nodeId);
	const features = createFeatures(kernel);
	kernel.extensions.setFeatures(Object.values(features), async (storage, changes) => {
		await dryRunEngine({ ...dependencies, ...changes }, created, storage, createFeatures);
	});
	const halting = new AbortController();
	const retryStartup = createRetryStartup(storageSource, logger, halting.signal);
	const node = createNode({
		...dependencies,
		...kernel,
		names: { eventBus: composition.eventBus.name },
		loops: toLoops(kernel),
		retryStartup,
		idle: () => kernel.scheduler.idle(),
		running: () => kernel.executor.runs.heldLeases().size,
		staleWrites: kernel.staleWrites.count,
		signal: halting.signal,
	});
	const lifecycle = new EngineLifecycle({ dependencies, host, kernel, node, retryStartup, halting });
	const core: EngineCore = {
		nodeId,
		features,
		executions: kernel.executions,
		output: kernel.output,
		dispatcher: kernel.dispatcher,
		nodes: node.nodes,
		telemetry: kernel.hub,
		readiness: node.readiness,
		start: () => lifecycle.start(),
		drain: () => lifecycle.drain(),
		abort: () => lifecycle.abort(),
		stop: () => lifecycle.stop(),
		[Symbol.asyncDispose]: () => lifecycle.stop(),
	};
	const apis = Object.values(features).map(({ api }) => api);
	return Object.assign(core, ...apis) as EngineCore & ApiOf<F>;
}

/** Returns the background loops of the roles of this node, in the order in which they start. */
function toLoops({ roles, extensions, recovery, scheduler, processor }: RunnableKernel) {
	const featureLoops = extensions.features.flatMap(({ loops = [] }) => loops);
	const eventLoops = extensions.eventHandler === noEventHandler ? [] : ([["rules", processor]] as const);
	const loops = [["worker", recovery], ["worker", scheduler], ...eventLoops, ...featureLoops] as const;
	return loops.filter(([role]) => roles.includes(role)).map(([, loop]) => loop);
}
