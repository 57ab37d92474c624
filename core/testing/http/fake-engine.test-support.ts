import { shippedFeatures } from "../../../plugins/_shipped/features.ts";
import { routes } from "../../../plugins/_shipped/routes.ts";
import {
	type ActionEntity,
	type ActionSnapshotEntity,
	type ExecutionEntity,
	type Logger,
	type Options,
	type OptionsInput,
	type RunnerTypeEntity,
	SvcError,
} from "../../contract/index.ts";
import { createProxies } from "../../features/access/trusted-proxies-exports.ts";
import type { StreamEvent } from "../../features/executions/stream-events-exports.ts";
import { rootRoutes } from "../../http/root-routes.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import type { ExecutionListQuery, ExecutionView, OutputChunk } from "../../kernel/executions/executions-api.ts";
import { findParameterSecrets } from "../../secrets/parameter-masking.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { createOptions as createAnyOptions } from "../service-options.ts";
import { createExecution as createAnyExecution } from "../storage/fixtures.ts";

/** Default options on ports the system chooses, with changes a section at a time. */
export function createOptions(changes: OptionsInput = {}): Options {
	const { auth, api, stream } = changes;
	const free = { auth: { port: 0, ...auth }, api: { port: 0, ...api }, stream: { port: 0, ...stream } };
	return createAnyOptions({ ...changes, ...free }, shippedFeatures());
}

/** A logger that keeps what it is told. */
export function createMemoryLogger(): Logger & { readonly lines: { level: string; message: string; fields: unknown }[] } {
	const lines: { level: string; message: string; fields: unknown }[] = [];
	const at = (level: string) => (message: string, fields?: unknown) => void lines.push({ level, message, fields });
	return { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

export const token = "0123456789abcdef0123456789abcdef";
export const apiKey = "a-key";
export const firstId = "66a1f0c29d3e4b7a51c08d12";

const action: ActionEntity = {
	id: "66a1e0019d3e4b7a51c00010",
	ref: "core.local",
	pack: "core",
	name: "local",
	description: "Run a command.",
	runner_type: "local-shell-cmd",
	entry_point: "",
	enabled: true,
	metadata_file: null,
	parameters: { cmd: { type: "string", required: true }, pin: { type: "string", secret: true, default: "default-secret" } },
	output_schema: {},
	tags: [],
	notify: {},
	content: null,
};
const runnerType: RunnerTypeEntity = {
	id: "66a1e0019d3e4b7a51c00002",
	name: "local-shell-cmd",
	description: "Local command.",
	enabled: true,
	runner_module: "local-shell-cmd",
	output_key: null,
	runner_parameters: { timeout: { type: "integer", default: 60 } },
};
const snapshot: ActionSnapshotEntity = {
	id: "s",
	action,
	runner: runnerType,
};

export function createExecution(changes: Partial<ExecutionEntity> = {}): ExecutionEntity {
	return createAnyExecution({
		id: firstId,
		liveaction_id: "66a1f0c29d3e4b7a51c08d11",
		user: "maria",
		trace_id: "66a1f0c29d3e4b7a51c08d10",
		start_timestamp: "2031-03-04T09:15:02.418273Z",
		due_timestamp: "2031-03-04T09:15:02.418273Z",
		snapshot_id: "s",
		log: [{ status: "requested", timestamp: "2031-03-04T09:15:02.430000Z" }],
		context: { user: "maria", pack: "core" },
		parameters: { cmd: "uptime", pin: "hunter2" },
		...changes,
	});
}

export function toView(entity: ExecutionEntity, children: readonly string[] = []): ExecutionView {
	return { entity, snapshot, children, isWorkflow: false, secrets: new Redactor(findParameterSecrets(entity.parameters, snapshot)) };
}

/** A stand-in for the engine: answers from what a test puts in, and records what it was asked. */
export class FakeEngine {
	readonly stored: ExecutionEntity[] = [];
	readonly chunks: OutputChunk[] = [];
	readonly asked: Record<string, unknown> = {};
	/** Thrown by the next call of `executions.list`. */
	failure: unknown;
	isAdmin = true;
	readonly #followers = new Set<() => void>();
	readonly #subscribers = new Set<(event: StreamEvent) => void>();
	ended = 0;

	get subscribers(): number {
		return this.#subscribers.size;
	}

	publish(event: StreamEvent): void {
		for (const subscriber of this.#subscribers) subscriber(event);
	}

	addChunk(data: string, changes: Partial<OutputChunk> = {}): void {
		const sequence = this.chunks.length + 1;
		const id = `66a1f0c29d3e4b7a51c0${String(sequence).padStart(4, "0")}`;
		const timestamp = "2031-03-04T09:15:02.701112Z";
		const refs = { action_ref: "core.local", runner_ref: "local-shell-cmd" };
		this.chunks.push({
			id,
			execution_id: firstId,
			sequence,
			output_type: "stdout",
			timestamp,
			data,
			secret_spans: null,
			lines_before: null,
			own_lines_before: null,
			...refs,
			...changes,
		});
		for (const wake of this.#followers) wake();
	}

	finish(status: ExecutionEntity["status"] = "succeeded"): void {
		const index = this.stored.findIndex(({ id }) => id === firstId);
		this.stored[index] = { ...createExecution(), status };
		for (const wake of this.#followers) wake();
	}

	find(id: string): ExecutionEntity {
		if (id === "last" && this.stored.length === 0) throw new SvcError("SVC_INVALID", "last: no execution exists");
		const found = id === "last" ? this.stored.at(-1) : this.stored.find((entity) => entity.id === id);
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `execution "${id}" does not exist`);
		return found;
	}

	async *follow(after: number, type: string | undefined, signal: AbortSignal): AsyncGenerator<OutputChunk> {
		let next = after;
		try {
			while (!signal.aborted) {
				const chunk = this.chunks[next];
				if (chunk !== undefined) {
					next += 1;
					if (type === undefined || chunk.output_type === type) yield chunk;
				} else if (this.find(firstId).status === "succeeded") return;
				else await this.#wait(signal);
			}
		} finally {
			this.ended += 1;
		}
	}

	async *subscribe(signal: AbortSignal): AsyncGenerator<readonly StreamEvent[]> {
		const queue: StreamEvent[] = [];
		let wake = () => {};
		const subscriber = (event: StreamEvent) => {
			queue.push(event);
			wake();
		};
		signal.addEventListener("abort", () => wake());
		this.#subscribers.add(subscriber);
		try {
			while (!signal.aborted) {
				const event = queue.shift();
				if (event !== undefined) yield [event];
				else await new Promise<void>((resolve) => (wake = resolve));
			}
		} finally {
			this.#subscribers.delete(subscriber);
		}
	}

	#wait(signal: AbortSignal): Promise<void> {
		return new Promise((resolve) => {
			const wake = () => {
				this.#followers.delete(wake);
				signal.removeEventListener("abort", wake);
				resolve();
			};
			this.#followers.add(wake);
			signal.addEventListener("abort", wake);
		});
	}
}

/** The engine facade over a `FakeEngine`. */
/** Every execution is a workflow with one task, whose action holds a secret. */
function toWorkflows(view: (id: string) => ExecutionView) {
	const times = { start_timestamp: "2031-03-04T09:15:02.418273Z", end_timestamp: null };
	const state = { route: 0, status: "running", attempts: 1, ...times, execution_ids: [], items: null, next: [] };
	const tasks = [{ id: firstId, name: "one", action: "core.hunter2", ...state }];
	const node = { id: "one", kind: "task", action: "core.hunter2", join: null, items: null, is_start: true, tasks };
	return {
		tasks: async (id: string) => ({ value: tasks, secrets: view(id).secrets }),
		runGraph: async (id: string) => ({ value: { nodes: [node], edges: [] }, secrets: view(id).secrets }),
	};
}

export function toEngine(fake: FakeEngine): Engine {
	const expiry = new Date(Date.now() + 3_600_000).toISOString().replace("Z", "000Z");
	const view = (id: string) => toView(fake.find(id));
	const engine = {
		nodeId: "node",
		features: { all: { api: {}, routes: routes.slice(rootRoutes.length) } },
		executions: {
			submit: async (input: unknown) => {
				fake.asked["submit"] = input;
				const entity = createExecution();
				fake.stored.push(entity);
				return toView(entity);
			},
			get: async (id: string, options: unknown) => {
				fake.asked["get"] = options;
				return view(id);
			},
			list: async (query: ExecutionListQuery) => {
				fake.asked["list"] = query;
				if (fake.failure !== undefined) throw fake.failure;
				const from = query.offset ?? 0;
				const items = fake.stored.slice(from, query.limit === undefined ? undefined : from + query.limit);
				return { items: items.map((entity) => toView(entity)), total: fake.stored.length };
			},
			toServiceNames: (_field: string, value: string | readonly string[]) => value,
			triggeringRules: async () => new Map(),
			descendants: async () => [],
			findByIds: async () => [],
			cancel: async (id: string) => {
				const { status } = fake.find(id);
				return status === "succeeded" ? { view: view(id), refused: `cannot be canceled, state = ${status}` } : { view: view(id) };
			},
			setStatus: async (id: string, change: unknown) => {
				fake.asked["setStatus"] = change;
				return view(id);
			},
			rerun: async (id: string, input: unknown) => {
				fake.asked["rerun"] = input;
				return view(id);
			},
			filterValues: async () => ({ action: ["core.local"] }),
		},
		workflows: toWorkflows(view),
		singleSignOn: { offer: undefined },
		output: {
			read: async function* (_id: string, { type }: { type?: string }) {
				for (const chunk of fake.chunks) if (type === undefined || chunk.output_type === type) yield chunk.data;
			},
			lines: async () => ({ total: fake.chunks.length, lines: [], nextLine: undefined }),
			follow: (_id: string, options: { after?: number; type?: string; signal: AbortSignal }) =>
				fake.follow(options.after ?? 0, options.type, options.signal),
			followShared: (_id: string, options: { after?: number; type?: string; signal: AbortSignal }) =>
				Object.assign(fake.follow(options.after ?? 0, options.type, options.signal), {
					isOnlySubscriber: false,
					takeCached: () => undefined,
				}),
		},
		events: {
			open: async (names: readonly string[], { signal }: { signal: AbortSignal }) => {
				fake.asked["subscribe"] = names;
				const events = fake.subscribe(signal);
				const first = events.next();
				const read = { [Symbol.asyncIterator]: () => ({ next: once(first, () => events.next()), return: () => events.return(undefined) }) };
				return { events: read, published: () => 0 };
			},
		},
		actions: {
			list: async (filter: unknown) => {
				fake.asked["actions"] = filter;
				return { items: [action], total: 1 };
			},
			get: async (ref: string) => {
				if (ref !== action.ref) throw new SvcError("SVC_NOT_FOUND", `action "${ref}" does not exist`);
				return action;
			},
			create: async (input: unknown) => {
				fake.asked["create"] = input;
				throw new SvcError("SVC_CONFLICT", "Tried to save duplicate unique keys", { facts: { conflict_id: action.id } });
			},
			update: async (_ref: string, input: unknown) => {
				fake.asked["update"] = input;
				return action;
			},
			remove: async (_ref: string, options: unknown) => {
				fake.asked["remove"] = options;
			},
			clone: async (_ref: string, target: unknown) => {
				fake.asked["clone"] = target;
				return action;
			},
			runnerParameters: async (actions: readonly ActionEntity[]) => actions.map(() => runnerType.runner_parameters),
			entryPoint: async () => ({ path: "/p/actions/run.sh", text: "echo hi\n" }),
		},
		runnerTypes: {
			list: async (filter: unknown, page: unknown) => {
				fake.asked["runnerTypes"] = filter;
				fake.asked["runnerTypesPage"] = page;
				return { items: [runnerType], total: 1 };
			},
			get: async () => runnerType,
			setEnabled: async (_name: string, enabled: boolean) => ({ ...runnerType, enabled }),
		},
		credentials: {
			signIn: async (
				credentials: { username: string; password: string },
				{ ttl, remoteAddress }: { ttl?: number | null; remoteAddress?: string },
			) => {
				fake.asked["signIn"] = { ...credentials, ttl, remoteAddress };
				if (credentials.password !== "pass:word") throw new SvcError("SVC_UNAUTHORIZED", "Unauthorized - invalid or missing credentials");
				return { id: firstId, user: credentials.username, token, expiry, metadata: {}, service: false };
			},
			authenticate: async (offered?: { token?: string; apiKey?: string; location: "header" | "query" }): Promise<Principal> => {
				fake.asked["authenticate"] = offered;
				if (offered?.token === token) {
					const authentication = { method: "authentication token", location: offered.location, token_expire: expiry } as const;
					return { username: "maria", isAdmin: fake.isAdmin, authentication };
				}
				if (offered?.apiKey !== apiKey) throw new SvcError("SVC_UNAUTHORIZED", "Unauthorized");
				return { username: "maria", isAdmin: fake.isAdmin, authentication: { method: "API key", location: offered.location } };
			},
			toClientAddress: createProxies({ trusted_proxies: [], proxy_secret: "" }).toClientAddress,
			revoke: async () => {},
			validate: async (given: string) => given === token,
		},
		readiness: async () => ({ ready: true, reasons: [] }),
		access: { enabled: false, allows: () => true, assert: () => {} },
		start: async () => {},
		stop: async () => {},
	};
	return engine as unknown as Engine;
}

/** The subscription begins before the reader's first `next`, as the engine promises. */
function once<T>(first: Promise<T>, next: () => Promise<T>): () => Promise<T> {
	let used = false;
	return () => {
		if (used) return next();
		used = true;
		return first;
	};
}
