import { createId } from "./basics/ids.ts";
import { draftEngine } from "./dry-run.ts";
import type { EngineCore } from "./engine-api.ts";
import { noReactor } from "./events/event-handler.ts";
import type { ApiOf, CreateFeatures, FeatureList } from "./feature-list.ts";
import { createKernel } from "./kernel.ts";
import { EngineLife } from "./lifecycle.ts";
import { createNode } from "./nodes/node.ts";
import type { EngineDependencies } from "./plugins/engine-dependencies.ts";
import { PluginHost } from "./plugins/plugin-host.ts";
import { createPersist } from "./plugins/startup-retry.ts";

/** Creates an engine from the kernel and features. Opens and starts nothing before `start`. */
export function createEngineOf<F extends FeatureList>(
	dependencies: EngineDependencies,
	createFeatures: CreateFeatures<F>,
): EngineCore & ApiOf<F> {
	const { logger, composition, clock } = dependencies;
	const nodeId = createId(clock);
	const host = new PluginHost(dependencies, { id: nodeId, clock, logger });
	const kernel = createKernel(dependencies, host, nodeId);
	const features = createFeatures(kernel);
	kernel.seams.take(Object.values(features), async (storage, changes) => {
		await draftEngine({ ...dependencies, ...changes }, host, storage, createFeatures);
	});
	const halting = new AbortController();
	const retryStartup = createPersist({ storage: host.storage, logger, signal: halting.signal });
	const node = createNode({
		...dependencies,
		...kernel,
		names: { storage: composition.storage.name, eventBus: composition.eventBus.name },
		loops: toLoops(kernel),
		persist: retryStartup,
		idle: () => kernel.scheduler.idle(),
		running: () => kernel.executor.runs.held().size,
		lateWrites: kernel.lateWrites.count,
		signal: halting.signal,
	});
	const lifecycle = new EngineLife({ dependencies, host, kernel, node, persist: retryStartup, halting });
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
function toLoops({ roles, seams, recovery, scheduler, processor }: ReturnType<typeof createKernel>) {
	const featureLoops = seams.features.flatMap(({ work }) => work ?? []);
	const eventLoops = seams.reactor === noReactor ? [] : ([["rules", processor]] as const);
	const loops = [["worker", recovery], ["worker", scheduler], ...eventLoops, ...featureLoops] as const;
	return loops.filter(([role]) => roles.includes(role)).map(([, loop]) => loop);
}
