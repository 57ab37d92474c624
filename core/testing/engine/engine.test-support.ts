import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedFeatures } from "../../../plugins/_shipped/features.ts";
import {
	type Clock,
	defineRunner,
	type EventBusPlugin,
	type ExecutionEntity,
	type JsonObject,
	type NodeRole,
	type RunnerPlugin,
	type Storage,
	type StoragePlugin,
	type SvcConfig,
} from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import type { SubmitInput } from "../../kernel/executions/executions-api.ts";
import { isCompleted } from "../../kernel/executions/status.ts";
import { createEngine } from "../../service/service.ts";
import { createBackend } from "../backends/backend.test-support.ts";
import { deafBus } from "./shared-bus.test-support.ts";

// Defines the kinds of all features, so that a storage that a test starts before the engine creates their tables as well.
shippedFeatures();

export const principal: Principal = { username: "maria", isAdmin: true, authentication: { method: "none" } };

/** A runner whose parameters say what it does. */
export const scripted = defineRunner("scripted", () => ({
	description: "Simulates an action as defined by its parameters.",
	capabilities: { streaming: true, cancellation: true },
	parameters: {
		lines: { type: "array", default: [] },
		outcome: { type: "string", enum: ["succeed", "fail", "throw", "hang"], default: "succeed" },
		secret: { type: "string", secret: true },
		timeout: { type: "number", default: 60 },
	},
	async run({ runnerParameters, emit, signal, captured }) {
		for (const line of runnerParameters.lines) await emit("stdout", `${String(line)}\n`);
		if (runnerParameters.outcome === "throw") throw new Error("the runner broke");
		if (runnerParameters.outcome === "hang") {
			await new Promise<void>((resolve) =>
				signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true }),
			);
			return { succeeded: false, result: { stdout: captured("stdout").text } };
		}
		return { succeeded: runnerParameters.outcome === "succeed", result: { stdout: captured("stdout").text } };
	},
}));

export interface TestEngine {
	readonly engine: Engine;
	/** For looking, and for leaving something behind. */
	readonly storage: Storage;
	/** Submit as an administrator, with the action `default.scripted` unless told otherwise. */
	submit(parameters?: JsonObject, input?: Partial<SubmitInput>): Promise<ExecutionEntity>;
	/** Wait until the execution is final, or has `status`. */
	settled(id: string, status?: ExecutionEntity["status"]): Promise<ExecutionEntity>;
	stop(): Promise<void>;
}

/** Milliseconds that a test waits for an execution: less than a file may take, so that it can say which one. */
const longestWait = 90_000;
/** Milliseconds between two reads of an execution that is waited for: longer the longer it takes, as a test may wait for a hundred. */
const shortestPause = 2;
const longestPause = 50;

export interface TestEngineOptions {
	/** Default: one of its own. */
	readonly storage?: StoragePlugin;
	/** Default: one of its own; one that reaches nobody, though it says that it does, where there is a storage of the test's own. */
	readonly eventBus?: EventBusPlugin;
	/** Parts of the service that the node runs. Default all. */
	readonly only?: readonly NodeRole[];
	readonly runners?: readonly RunnerPlugin[];
	/** Default: the system's. */
	readonly clock?: Clock;
	/** False: executions are stored before they are claimed (`StoreThenSchedule`). Default: those that can start are stored as running. */
	readonly startsInline?: boolean;
	readonly options?: Partial<Omit<SvcConfig, "storage" | "event_bus" | "runners">>;
}

/** A started engine on the chosen backend with the action `default.scripted`. Authentication is off. */
export async function startEngine({
	storage,
	eventBus,
	only,
	runners = [],
	clock,
	startsInline = true,
	options = {},
}: TestEngineOptions = {}): Promise<TestEngine> {
	const backend = storage === undefined ? createBackend() : { storage, eventBus: deafBus(), release: async () => {} };
	const directory = await mkdtemp(join(tmpdir(), "svc-engine-"));
	const createOptions = { directory, startsInline, ...(only !== undefined && { only }), ...(clock !== undefined && { clock }) };
	const engine = createEngine(
		{
			features: shippedFeatures(),
			storage: backend.storage,
			event_bus: eventBus ?? backend.eventBus,
			runners: [scripted(), ...runners],
			log: { level: "error" },
			...options,
			auth: { enable: false, ...options.auth },
			data_dir: directory,
		},
		createOptions,
	);
	try {
		await engine.start();
	} catch (error) {
		await backend.release();
		await rm(directory, { recursive: true, force: true });
		throw error;
	}
	await engine.actions.create({ name: "scripted", runner_type: "scripted" }).catch(() => undefined);

	async function settled(id: string, status?: ExecutionEntity["status"]): Promise<ExecutionEntity> {
		const deadline = performance.now() + longestWait;
		for (let pause = shortestPause; ; pause = Math.min(pause * 1.25, longestPause)) {
			// Embedded databases answer at once: without a turn of the event loop whoever asks again and again would keep writes waiting for ever.
			await new Promise((resolve) => setImmediate(resolve));
			const { entity } = await engine.executions.get(id);
			if (entity.status === status || (status === undefined && isCompleted(entity.status))) return entity;
			if (isCompleted(entity.status)) throw new Error(`execution ended ${entity.status} instead of ${status}`);
			if (performance.now() > deadline) throw new Error(`execution is still ${entity.status} instead of ${status ?? "ended"}`);
			await new Promise((resolve) => setTimeout(resolve, pause));
		}
	}

	return {
		engine,
		storage: backend.storage.create(),
		settled,
		async submit(parameters = {}, input = {}) {
			const { entity } = await engine.executions.submit({ action: "default.scripted", parameters, ...input }, principal);
			return entity;
		},
		async stop() {
			await engine.stop();
			await backend.release();
			await rm(directory, { recursive: true, force: true });
		},
	};
}
