import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import type { EntityKind, EntityMap, ExecutionEntity, ExecutionStatus, OutputChunkEntity, Storage } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { createId } from "../../kernel/basics/ids.ts";
import { clockOf } from "../../testing/engine/clock-of.test-support.ts";
import { silentLogger } from "../../testing/run-context.ts";
import { createOptions } from "../../testing/service-options.ts";
import { createExecution } from "../../testing/storage/fixtures.ts";
import { GarbageCollector } from "./garbage-collector.ts";

/** Time at which every scene begins, in microseconds. */
const beginning = Date.parse("2026-06-01T00:00:00Z") * 1_000;
const day = 86_400_000_000;

/** So many days before the beginning. */
export const daysAgo = (days: number) => toTimestamp(beginning - days * day);
const newId = () => createId({ now: () => Date.now() * 1_000 });

type Settings = Parameters<typeof createOptions>[0];

export interface Scene {
	readonly storage: Storage;
	readonly collector: GarbageCollector;
	collect(signal?: AbortSignal): Promise<void>;
	/** Calls of the storage that change something. */
	readonly calls: { readonly method: string; readonly kind: string; readonly count: number }[];
	ids(kind: EntityKind): Promise<readonly string[]>;
	/** Let so many days pass. */
	pass(days: number): void;
}

/** A collector on a storage of its own, whose calls are counted. */
export function createScene(settings: NonNullable<Settings>["garbagecollector"] = {}, storage: Storage = memoryStorage().create()): Scene {
	const calls: Scene["calls"] = [];
	let passed = 0;
	const clock = clockOf(() => beginning + passed * day);
	const counted = new Proxy(storage, {
		get(target, name: keyof Storage) {
			const member: unknown = target[name];
			if (typeof member !== "function") return member;
			return async (...values: unknown[]) => {
				const result: unknown = await member.apply(target, values);
				const count = Array.isArray(result) ? result.length : Number(result);
				calls.push({ method: name, kind: String(values[0]), count });
				return result;
			};
		},
	});
	const { garbagecollector: options } = createOptions({ garbagecollector: { sleep_delay: 0, ...settings } });
	const collector = new GarbageCollector({
		storage: counted,
		clock,
		logger: silentLogger,
		options,
		aging: () => [{ kind: "token", timeField: "expiry", days: options.tokens_ttl }],
		endInquiries: async () => 0,
		endIdleWorkflows: async () => 0,
		collectContent: async () => 0,
	});
	return {
		storage,
		collector,
		calls,
		collect: (signal = new AbortController().signal) => collector.collect(signal),
		ids: async (kind) => (await storage.find(kind, {})).map(({ id }) => id),
		pass(days) {
			passed += days;
		},
	};
}

type Fields<K extends EntityKind> = Partial<EntityMap[K]>;

export function toExecution(status: ExecutionStatus, days: number, fields: Fields<"execution"> = {}): ExecutionEntity {
	const isOver = ["succeeded", "failed", "timeout", "canceled", "abandoned"].includes(status);
	const ids = { id: newId(), liveaction_id: newId(), trace_id: newId(), snapshot_id: newId() };
	return createExecution({
		...ids,
		status,
		action_ref: "default.test",
		runner_name: "noop",
		user: "maria",
		start_timestamp: daysAgo(days),
		end_timestamp: isOver ? daysAgo(days) : null,
		due_timestamp: daysAgo(days),
		log: [],
		context: {},
		parameters: {},
		...fields,
	});
}

export function toChunks(execution_id: string, days: number, count = 1): OutputChunkEntity[] {
	return Array.from({ length: count }, (_, index) => ({
		id: newId(),
		execution_id,
		sequence: index + 1,
		output_type: "stdout",
		timestamp: daysAgo(days),
		data: `line ${index}\n`,
		secret_spans: null,
		lines_before: null,
		own_lines_before: null,
	}));
}

export function toInstance(status: EntityMap["trigger_instance"]["status"], days: number, fields: Fields<"trigger_instance"> = {}) {
	const id = newId();
	return {
		id,
		trigger: "default.t",
		trigger_type: "default.t",
		status,
		occurrence_time: daysAgo(days),
		trace_id: newId(),
		unique_key: id,
		caused_by_id: null,
		depth: 0,
		attempt: 1,
		owner: null,
		fence: null,
		lease_expires_at: null,
		failure_reason: null,
		known_secrets: null,
		payload: {},
		...fields,
	} satisfies EntityMap["trigger_instance"];
}

export function toEnforcement(trigger_instance_id: string, days: number, fields: Fields<"rule_enforcement"> = {}) {
	return {
		id: newId(),
		rule_id: newId(),
		rule_ref: "default.r",
		trigger_instance_id,
		execution_id: null,
		status: "succeeded",
		enforced_at: daysAgo(days),
		trace_id: newId(),
		failure_reason: null,
		...fields,
	} satisfies EntityMap["rule_enforcement"];
}

export function toTrace(days: number): EntityMap["trace"] {
	return { id: newId(), trace_tag: "test", start_timestamp: daysAgo(days), traceparent: null };
}

export function toToken(days: number): EntityMap["token"] {
	const id = newId();
	return {
		id,
		token_hash: id,
		user: "maria",
		expiry: daysAgo(days),
		service: false,
		created_at: daysAgo(days + 1),
		...{ metadata: {}, subject: null, session: null },
	};
}

export function toDelivery(days: number): EntityMap["webhook_delivery"] {
	const id = newId();
	return {
		id,
		url: "a",
		trigger: "default.t",
		delivery_key: id,
		delivery_id: null,
		received_at: daysAgo(days),
		verdict: "accepted",
		user: "maria",
		trigger_instance_id: null,
		reason: null,
		trace_tag: null,
		headers: {},
		query: {},
		body: {},
	};
}
