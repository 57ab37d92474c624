import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workers } from "../../../plugins/feature-workers/index.ts";
import { JobEncryption } from "../../../plugins/feature-workers/job-encryption.ts";
import { StoredWorkers } from "../../../plugins/feature-workers/stored-workers.ts";
import type { ServiceClient } from "../../../plugins/feature-workers/worker/service-client.ts";
import { Worker } from "../../../plugins/feature-workers/worker/worker.ts";
import { WorkerNotifications } from "../../../plugins/feature-workers/worker-notifications.ts";
import { routeToWorkers } from "../../../plugins/feature-workers/worker-routing.ts";
import { WorkerRunFollowers } from "../../../plugins/feature-workers/worker-run-followers.ts";
import type { WorkerEnd, WorkerOutput, WorkerPoll } from "../../../plugins/feature-workers/workers-exports.ts";
import { localCommand } from "../../../plugins-runner/local-command/index.ts";
import { type JsonObject, type RunContext, type Runner, type Storage, SvcError, type WriteOperation } from "../../contract/index.ts";
import { getSystemClock } from "../../kernel/basics/clock.ts";
import { TelemetryHub } from "../../kernel/telemetry/telemetry-hub.ts";
import { KeyRing } from "../../secrets/encryption/key-ring.ts";
import { createBackend } from "../backends/backend.test-support.ts";
import type { ExternalJobEngine } from "../external-jobs/lasting-engine.ts";
import { type RunContextOptions, silentLogger } from "../run-context.ts";
import { createOptions } from "../service-options.ts";

// Defines the kinds of the feature.
workers();

const clock = getSystemClock();
const label = "far";
const contents = {
	store: async (): Promise<string> => assertNever(),
	keep: (): WriteOperation => assertNever(),
	files: async () => [],
	readBytes: async () => Buffer.alloc(0),
};

function assertNever(): never {
	throw new Error("commands need no files");
}

/**
 * A worker that runs commands, the records over which nodes speak with it, and as many nodes, one after the other, as a test wants. What
 * stands between them can be cut: then nodes cannot reach their storage, and the worker cannot reach the service.
 */
export class WorkerEngine implements ExternalJobEngine {
	readonly #backend = createBackend();
	readonly #storage = this.#backend.storage.create();
	readonly #command = localCommand().create();
	readonly #operations = new Map<number, readonly WriteOperation[]>();
	/** Live actions whose commands run now, and how often each has begun. */
	readonly #running = new Set<string>();
	readonly #begun = new Map<string, number>();
	readonly #parts;
	readonly #front: StoredWorkers;
	readonly #lost = new Set<string>();
	/** Jobs that the worker has asked about although it was told that they are lost. */
	readonly askedAgain: string[] = [];
	#directory = "";
	#worker: Worker | undefined;
	#isCut = false;
	#offered = 0;

	constructor() {
		const eventBus = this.#backend.eventBus.create();
		this.#parts = {
			...{ clock, logger: silentLogger, contents, lease: 15, pollInterval: 0.05, isOutputKept: true, maxResultOutput: 1_048_576 },
			sealing: new JobEncryption(new KeyRing({ path: "/nowhere/key", isEnabled: false, logger: silentLogger })),
			notifications: new WorkerNotifications({ eventBus, logger: silentLogger, nodeId: "node" }),
			hub: new TelemetryHub(),
		};
		this.#front = new StoredWorkers({ ...this.#parts, storage: this.#storage });
	}

	async start(): Promise<void> {
		this.#directory = await mkdtemp(join(tmpdir(), "svc-worker-engine-"));
		const options = createOptions();
		await this.#command.start?.({ logger: silentLogger, clock, dataDirectory: this.#directory, nodeId: "worker", options });
		this.#startWorker();
	}

	async stop(): Promise<void> {
		await this.#worker?.abort();
		await this.#command.stop?.();
		await this.#backend.release();
		await rm(this.#directory, { recursive: true, force: true });
	}

	/** The runner of one more node: as a service has it that gives commands to workers. */
	createRunner(): Runner {
		const storage = cuttable(this.#storage, () => this.#isCut);
		const runs = new WorkerRunFollowers({ ...this.#parts, storage });
		const findDemand = async () => ({ labels: [], policies: [] });
		const placed = routeToWorkers("local-shell-cmd", this.#command, { runs, findDemand });
		return {
			...placed,
			start: async () => runs.start(),
			stop: () => runs.stop(),
			run: (context) => placed.run(this.#toHosted(context)),
			recover: async (context, state) => placed.recover?.(this.#toHosted(context), state),
			// As the kernel stores it: in the write of the end.
			async afterRun(run) {
				await storage.write(runs.toRemoval(run));
				await placed.afterRun?.(run);
			},
		};
	}

	/** The options of a run of a command. */
	toCase(cmd: string): RunContextOptions {
		return { runnerParameters: { cmd, svc_worker_labels: [label] }, onSaveState: (state) => this.#store(state) };
	}

	/** What is offered or given, and what still runs whatever the records say. */
	async jobs(): Promise<readonly string[]> {
		const stored = await this.#storage.find("worker_job", { fields: [] });
		return [...new Set([...stored.map(({ id }) => id), ...this.#running])];
	}

	/** What was begun more than once counts as often. */
	async accepted(): Promise<number> {
		return this.#offered + [...this.#begun.values()].reduce((sum, times) => sum + times - 1, 0);
	}

	async takeAway(job: string): Promise<void> {
		await this.#storage.remove("worker_job", { where: { id: job } });
	}

	async cutOff(): Promise<void> {
		this.#isCut = true;
	}

	async restore(): Promise<void> {
		this.#isCut = false;
	}

	async hold(): Promise<void> {
		await this.#worker?.abort();
		this.#worker = undefined;
	}

	async release(): Promise<void> {
		if (this.#worker === undefined) this.#startWorker();
	}

	#startWorker(): void {
		const runner: Runner = {
			...{ description: "", parameters: this.#command.parameters, capabilities: this.#command.capabilities },
			run: (context) => this.#run(context),
		};
		const connection = { post: (path: string, body: JsonObject, signal?: AbortSignal) => this.#answer(path, body, signal) };
		this.#worker = new Worker({
			...{ name: "worker", labels: [label], version: "0.0.0", places: 16, serviceUrl: "http://127.0.0.1", logger: silentLogger },
			connection: connection as Pick<ServiceClient, "post"> as ServiceClient,
			folders: { directory: assertNever } as never,
			runners: new Map([["local-shell-cmd", runner]]),
			onRefused: (error) => {
				throw error;
			},
		});
		this.#worker.start();
	}

	async #run(context: RunContext) {
		const { liveaction_id: id } = context;
		this.#begun.set(id, (this.#begun.get(id) ?? 0) + 1);
		this.#running.add(id);
		try {
			return await this.#command.run(context);
		} finally {
			this.#running.delete(id);
			await this.#command.afterRun?.(context);
		}
	}

	/** As the routes do. */
	async #answer(path: string, body: unknown, signal = new AbortController().signal): Promise<unknown> {
		const assertReached = () => {
			if (this.#isCut || signal.aborted) throw new SvcError("SVC_UNAVAILABLE", "the line is cut");
		};
		assertReached();
		await new Promise((resolve) => setImmediate(resolve));
		const [, , , job = "", verb] = path.split("/");
		const reporter = { username: "edge", assertLabels: () => undefined };
		const { reports } = this.#front;
		const answer = await (verb === "output"
			? reports.output(job, body as WorkerOutput, reporter).then((stored) => ({ stored }))
			: verb === "end"
				? reports.end(job, body as WorkerEnd, reporter).then(() => ({ stored: true }))
				: this.#poll(body as WorkerPoll, signal));
		assertReached();
		return answer;
	}

	async #poll(poll: WorkerPoll, signal: AbortSignal) {
		this.askedAgain.push(...poll.jobs.map(({ id }) => id).filter((id) => this.#lost.has(id)));
		const principal = { username: "edge", isAdmin: false, authentication: { method: "API key", location: "header" } } as const;
		const news = await this.#front.poll(poll, principal, signal);
		for (const id of news.lost) this.#lost.add(id);
		return news;
	}

	/** The kit's contexts keep states; what is stored with one is stored with it. */
	#toHosted(context: RunContext) {
		return {
			...context,
			saveStateWith: async (state: JsonObject, operations: readonly WriteOperation[]) => {
				const ticket = this.#operations.size + 1;
				this.#operations.set(ticket, operations);
				await context.saveState({ ...state, ticket });
			},
			noteRunnerInfo: () => undefined,
		};
	}

	async #store({ ticket }: JsonObject): Promise<void> {
		const operations = this.#operations.get(Number(ticket)) ?? [];
		this.#operations.set(Number(ticket), []);
		if (operations.length === 0) return;
		if (this.#isCut) throw new SvcError("SVC_UNAVAILABLE", "the storage is away");
		await this.#storage.write(operations);
		this.#offered += 1;
	}
}

/** Nothing of it can be asked while `isCut`. */
function cuttable(storage: Storage, isCut: () => boolean): Storage {
	return new Proxy(storage, {
		get(target, name: keyof Storage) {
			const member: unknown = target[name];
			if (typeof member !== "function") return member;
			return async (...values: unknown[]) => {
				if (isCut()) throw new SvcError("SVC_UNAVAILABLE", "the storage is away");
				return (member as (...given: unknown[]) => unknown).apply(target, values);
			};
		},
	});
}
