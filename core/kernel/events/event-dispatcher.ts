import {
	isJsonObject,
	isSvcError,
	type JsonObject,
	type Storage,
	SvcError,
	type TraceEntity,
	type TriggerInstanceEntity,
	type TriggerTypeEntity,
	type WriteOperation,
} from "../../contract/index.ts";
import { waitForLoopBudget } from "../../language/event-loop-budget.ts";
import { normalizeTraceparent } from "../../lib/traceparent.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { createId, isId } from "../basics/ids.ts";
import { insertClaimed } from "../coordination/claimer.ts";
import type { CausingExecution, Dispatcher, EventDraft, IncomingEvent } from "./event-dispatcher-api.ts";
import type { EventHandler, StoreEvent } from "./event-handler.ts";
import type { EventProcessor } from "./event-processor.ts";
import { assertMatchesSchema } from "./payload-schema.ts";
import type { TriggerCatalog } from "./trigger-catalog.ts";
import type { TriggerTypeRegistry } from "./trigger-type-registry.ts";

interface EventDispatcherDependencies extends Uses<"storage" | "clock" | "logger" | "options"> {
	readonly triggerCatalog: TriggerCatalog;
	readonly triggerTypes: TriggerTypeRegistry;
	readonly eventHandler: () => EventHandler;
	readonly processor: Pick<EventProcessor, "wake" | "reserve" | "processInline">;
}

/** Dispatches every event: resolves its trigger, validates its payload, and stores it with its trace. */
export class EventDispatcher implements Dispatcher {
	readonly #parts: EventDispatcherDependencies;

	constructor(parts: EventDispatcherDependencies) {
		this.#parts = parts;
	}

	async dispatch(event: IncomingEvent): Promise<{ readonly instance: TriggerInstanceEntity; readonly isNew: boolean }> {
		const { instance, position } = await this.#toInstance(event);
		try {
			await this.#store(instance, position);
		} catch (error) {
			if (event.uniqueKey === undefined || !isSvcError(error, "SVC_CONFLICT")) throw error;
			const where = { unique_key: event.uniqueKey };
			const [existing] = await this.#parts.storage.find("trigger_instance", { where, limit: 1 });
			if (existing === undefined) throw error;
			return { instance: existing, isNew: false };
		}
		return { instance, isNew: true };
	}

	async isWanted(trigger: string): Promise<boolean> {
		return !this.#parts.triggerTypes.isKeptForRulesOnly(trigger) || this.#parts.eventHandler().isTriggerUsed(trigger);
	}

	async draft(event: IncomingEvent): Promise<EventDraft | undefined> {
		if (typeof event.trigger === "string" && !(await this.isWanted(event.trigger))) return undefined;
		const { instance, position } = await this.#toInstance(event);
		return {
			instance,
			operations: toOperations(instance, position),
			announce: () => this.#parts.processor.wake(),
			store: (also) => this.#store(instance, position, also),
		};
	}

	async #toInstance(event: IncomingEvent): Promise<{ instance: TriggerInstanceEntity; position: TracePosition }> {
		const { storage, clock, triggerCatalog } = this.#parts;
		const resolved = await triggerCatalog.resolve(event.trigger);
		event.check?.(resolved);
		const { trigger, type } = resolved;
		if (event.isPayloadValidated !== true) {
			await waitForLoopBudget();
			this.#checkPayload(type, event.payload);
		}
		const id = createId(clock);
		const timestamp = toTimestamp(clock.now());
		const position = await findTracePosition(storage, event, { instanceId: id, traceId: createId(clock), timestamp });
		const instance: TriggerInstanceEntity = {
			id,
			trigger: trigger.ref,
			trigger_type: type.ref,
			status: "pending",
			occurrence_time: timestamp,
			trace_id: position.traceId,
			unique_key: event.uniqueKey ?? id,
			caused_by_id: event.causedBy?.executionId ?? null,
			depth: position.depth,
			attempt: 0,
			owner: null,
			fence: null,
			lease_expires_at: null,
			failure_reason: null,
			known_secrets: event.knownSecrets ?? null,
			payload: event.isPayloadValidated === true ? event.payload : withoutReEmitter(event.payload),
		};
		return { instance, position };
	}

	/**
	 * Stores a trigger instance. If it can be processed inline, it is stored as processed, together with the executions and enforcements
	 * that rules create for it. Otherwise it is stored as claimed if this node has a free slot, else as pending.
	 */
	async #store(instance: TriggerInstanceEntity, position: TracePosition, also: readonly WriteOperation[] = []): Promise<void> {
		const { storage, processor } = this.#parts;
		let conflict: unknown;
		const store: StoreEvent = async (stored, done = []) => {
			try {
				await storage.write([...toOperations(stored, position), ...also, ...done]);
			} catch (error) {
				if (isSvcError(error, "SVC_CONFLICT")) conflict = error;
				throw error;
			}
		};
		if (await processor.processInline(instance, position.insert, store)) return;
		// The write inserts only new records. So a conflict means that the key of the event, or of a record in `also`, already exists, and
		// storing them again would conflict too.
		if (conflict !== undefined) throw conflict;
		await insertClaimed(processor.reserve(instance), (stored) => store(stored));
	}

	#checkPayload(type: TriggerTypeEntity, payload: JsonObject): void {
		const { options, triggerTypes, logger } = this.#parts;
		try {
			assertMatchesSchema(type.payload_schema, payload, "payload");
		} catch (error) {
			if (options.system.validate_trigger_payload || triggerTypes.isAlwaysChecked(type.ref)) throw error;
			logger.warn("payload does not match the schema of the trigger type", { trigger_type: type.ref, problem: error });
		}
	}
}

/**
 * Returns a payload without `__context.re_emitted_by`. That member names the user who dispatched an earlier event again; only the service
 * may set it.
 */
function withoutReEmitter(payload: JsonObject): JsonObject {
	const context = payload["__context"];
	if (!isJsonObject(context) || !Object.hasOwn(context, "re_emitted_by")) return payload;
	const { re_emitted_by: _claimed, ...remainingContext } = context;
	return { ...payload, __context: remainingContext };
}

function toOperations(instance: TriggerInstanceEntity, { insert }: TracePosition): WriteOperation[] {
	const event: WriteOperation = { insert: "trigger_instance", entities: [instance] };
	return insert === undefined ? [event] : [{ insert: "trace", entities: [insert] }, event];
}

/** Position of an event: its trace, and its depth in a cascade of events that trigger one another through rules. */
interface TracePosition {
	readonly traceId: string;
	/** The trace record to insert; undefined if the trace exists. */
	readonly insert: TraceEntity | undefined;
	/** Number of rules that acted between the first event of the cascade and this event. */
	readonly depth: number;
}

const causingFields = ["id", "trace_id", "parent_id", "trigger_instance_id"] as const;
/** Maximum number of parent generations that are searched for an execution started by a rule. */
const maxParentGenerations = 100;

/**
 * Returns the trace and depth of an event. A trace id selects an existing trace; throws `SVC_INVALID` if it does not exist. A tag opens a
 * new trace. Otherwise the event joins the trace of its cause; without a cause it opens a new trace.
 */
async function findTracePosition(
	storage: Storage,
	{ trace = {}, causedBy }: IncomingEvent,
	fresh: { readonly instanceId: string; readonly traceId: string; readonly timestamp: string },
): Promise<TracePosition> {
	const cause = causedBy && (causedBy.execution ?? (await readExecution(storage, causedBy.executionId)));
	if (causedBy !== undefined && cause === undefined) {
		throw new SvcError("SVC_INVALID", `execution "${causedBy.executionId}" cannot be found; the event names it as its cause`);
	}
	const depth = cause === undefined ? 0 : await depthOf(storage, cause);
	const { id_: id, trace_tag: tag } = trace;
	if (id !== undefined && id !== "") {
		if (!isId(id) || (await storage.get("trace", id)) === undefined) throw new SvcError("SVC_INVALID", `trace "${id}" does not exist`);
		return { traceId: id, insert: undefined, depth };
	}
	const isTagged = tag !== undefined && tag !== "";
	if (cause !== undefined && !isTagged) return { traceId: cause.trace_id, insert: undefined, depth };
	const insert = {
		id: fresh.traceId,
		trace_tag: isTagged ? tag : `trigger_instance-${fresh.instanceId}`,
		start_timestamp: fresh.timestamp,
		traceparent: normalizeTraceparent(trace.traceparent),
	};
	return { traceId: insert.id, insert, depth };
}

/** Returns the depth of the event whose rule started the execution or one of its parents, plus one. Returns 0 if no rule did. */
async function depthOf(storage: Storage, execution: CausingExecution): Promise<number> {
	let current: CausingExecution | undefined = execution;
	for (let generation = 0; current !== undefined && generation < maxParentGenerations; generation += 1) {
		if (current.trigger_instance_id !== null) {
			const [instance] = await storage.find("trigger_instance", { where: { id: current.trigger_instance_id }, fields: ["depth"] });
			return (instance?.depth ?? 0) + 1;
		}
		current = current.parent_id === null ? undefined : await readExecution(storage, current.parent_id);
	}
	return 0;
}

async function readExecution(storage: Storage, id: string): Promise<CausingExecution | undefined> {
	const [execution] = await storage.find("execution", { where: { id }, fields: causingFields });
	return execution;
}
