import {
	type Clock,
	isJsonObject,
	isSvcError,
	type JsonObject,
	type Logger,
	type Options,
	type Storage,
	SvcError,
	type TraceEntity,
	type TriggerInstanceEntity,
	type TriggerTypeEntity,
	type WriteOperation,
} from "../../contract/index.ts";
import { roomInTurn } from "../../language/event-loop-budget.ts";
import { toKeptTraceparent } from "../../lib/traceparent.ts";
import { toTimestamp } from "../basics/clock.ts";
import { createId, isId } from "../basics/ids.ts";
import { storeReserved } from "../coordination/claimer.ts";
import type { CausingExecution, Dispatch, DispatchDraft, Dispatcher } from "./event-dispatcher-api.ts";
import type { Reactor, StoreEvent } from "./event-handler.ts";
import type { Processor } from "./event-processor.ts";
import { checkAgainst } from "./payload-schema.ts";
import type { TriggerCatalog } from "./trigger-catalog.ts";
import type { OwnTriggerTypes } from "./trigger-type-registry.ts";

interface EventDoorParts {
	readonly storage: Storage;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly options: Options;
	readonly triggerCatalog: TriggerCatalog;
	readonly triggerTypes: OwnTriggerTypes;
	readonly reactor: () => Reactor;
	readonly processor: Pick<Processor, "wake" | "reserve" | "actAtOnce">;
}

/** Where every event comes in: its trigger is found, its payload checked, and it is stored with its trace. */
export class EventDoor implements Dispatcher {
	readonly #parts: EventDoorParts;

	constructor(parts: EventDoorParts) {
		this.#parts = parts;
	}

	async dispatch(event: Dispatch): Promise<{ readonly instance: TriggerInstanceEntity; readonly isNew: boolean }> {
		const { instance, place } = await this.#toInstance(event);
		try {
			await this.#store(instance, place);
		} catch (error) {
			const known = event.uniqueKey !== undefined && isSvcError(error, "SVC_CONFLICT") && (await this.#findByKey(event.uniqueKey));
			if (!known) throw error;
			return { instance: known, isNew: false };
		}
		return { instance, isNew: true };
	}

	async isWanted(trigger: string): Promise<boolean> {
		return !this.#parts.triggerTypes.isKeptForRulesOnly(trigger) || this.#parts.reactor().isListenedTo(trigger);
	}

	async draft(event: Dispatch): Promise<DispatchDraft | undefined> {
		if (typeof event.trigger === "string" && !(await this.isWanted(event.trigger))) return undefined;
		const { instance, place } = await this.#toInstance(event);
		return {
			instance,
			operations: toOperations(instance, place),
			announce: () => this.#parts.processor.wake(),
			store: (also) => this.#store(instance, place, also),
		};
	}

	async #toInstance(event: Dispatch): Promise<{ instance: TriggerInstanceEntity; place: EventPlace }> {
		const { storage, clock, triggerCatalog } = this.#parts;
		const resolved = await triggerCatalog.resolve(event.trigger);
		event.check?.(resolved);
		const { trigger, type } = resolved;
		if (event.isChecked !== true) {
			await roomInTurn();
			this.#checkPayload(type, event.payload);
		}
		const id = createId(clock);
		const timestamp = toTimestamp(clock.now());
		const place = await placeEvent(storage, event, { instanceId: id, traceId: createId(clock), timestamp });
		const instance: TriggerInstanceEntity = {
			id,
			trigger: trigger.ref,
			trigger_type: type.ref,
			status: "pending",
			occurrence_time: timestamp,
			trace_id: place.traceId,
			unique_key: event.uniqueKey ?? id,
			caused_by_id: event.causedBy?.executionId ?? null,
			depth: place.depth,
			attempt: 0,
			owner: null,
			fence: null,
			lease_expires_at: null,
			failure_reason: null,
			known_secrets: event.knownSecrets ?? null,
			payload: event.isChecked === true ? event.payload : withoutReEmitter(event.payload),
		};
		return { instance, place };
	}

	/** With what is done about it where that can be told at once; else as claimed already where there is a place for it. */
	async #store(instance: TriggerInstanceEntity, place: EventPlace, also: readonly WriteOperation[] = []): Promise<void> {
		const { storage, processor } = this.#parts;
		let conflict: unknown;
		const store: StoreEvent = async (stored, done = []) => {
			try {
				await storage.write([...toOperations(stored, place), ...also, ...done]);
			} catch (error) {
				if (isSvcError(error, "SVC_CONFLICT")) conflict = error;
				throw error;
			}
		};
		if (await processor.actAtOnce(instance, place.insert, store)) return;
		// All else is new: the key of the event, or of what comes with it, is taken. To store it without what is done about it ends no other way.
		if (conflict !== undefined) throw conflict;
		await storeReserved(processor.reserve(instance), (stored) => store(stored));
	}

	#checkPayload(type: TriggerTypeEntity, payload: JsonObject): void {
		const { options, triggerTypes, logger } = this.#parts;
		try {
			checkAgainst(type.payload_schema, payload, "payload");
		} catch (error) {
			if (options.system.validate_trigger_payload || triggerTypes.isAlwaysChecked(type.ref)) throw error;
			logger.warn("payload is not what the trigger type allows", { trigger_type: type.ref, problem: error });
		}
	}

	async #findByKey(key: string): Promise<TriggerInstanceEntity | undefined> {
		const [found] = await this.#parts.storage.find("trigger_instance", { where: { unique_key: key }, limit: 1 });
		return found;
	}
}

/** `__context.re_emitted_by` says who has had an event dispatched again, which no sender may claim. */
function withoutReEmitter(payload: JsonObject): JsonObject {
	const context = payload["__context"];
	if (!isJsonObject(context) || !Object.hasOwn(context, "re_emitted_by")) return payload;
	const { re_emitted_by: _claimed, ...kept } = context;
	return { ...payload, __context: kept };
}

function toOperations(instance: TriggerInstanceEntity, { insert }: EventPlace): WriteOperation[] {
	const event: WriteOperation = { insert: "trigger_instance", entities: [instance] };
	return insert === undefined ? [event] : [{ insert: "trace", entities: [insert] }, event];
}

/** Where an event belongs: its trace, and how far it is from the event that began the cascade. */
interface EventPlace {
	readonly traceId: string;
	/** The trace, when it is a new one. */
	readonly insert: TraceEntity | undefined;
	readonly depth: number;
}

const causingFields = ["id", "trace_id", "parent_id", "trigger_instance_id"] as const;
/** Generations of parents that are looked through for the rule that began them. */
const maximumGenerations = 100;

/** Choose the trace of an event (reference 3.3; decisions 18): a given id, a new one for a tag, its cause's, or a new one. */
async function placeEvent(
	storage: Storage,
	{ trace = {}, causedBy }: Dispatch,
	fresh: { readonly instanceId: string; readonly traceId: string; readonly timestamp: string },
): Promise<EventPlace> {
	const cause = causedBy && (causedBy.execution ?? (await readExecution(storage, causedBy.executionId)));
	if (causedBy !== undefined && cause === undefined) {
		throw new SvcError("SVC_INVALID", `execution "${causedBy.executionId}" cannot be found, which is said to have caused an event`);
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
		traceparent: toKeptTraceparent(trace.traceparent),
	};
	return { traceId: insert.id, insert, depth };
}

/** One more than that of the event whose rule started the execution or one of its parents; 0 when no rule did. */
async function depthOf(storage: Storage, execution: CausingExecution): Promise<number> {
	let current: CausingExecution | undefined = execution;
	for (let generation = 0; current !== undefined && generation < maximumGenerations; generation += 1) {
		if (current.trigger_instance_id !== null) {
			const [instance] = await storage.find("trigger_instance", { where: { id: current.trigger_instance_id }, fields: ["depth"] });
			return (instance?.depth ?? 0) + 1;
		}
		current = current.parent_id === null ? undefined : await readExecution(storage, current.parent_id);
	}
	return 0;
}

async function readExecution(storage: Storage, id: string): Promise<CausingExecution | undefined> {
	const [found] = await storage.find("execution", { where: { id }, fields: causingFields });
	return found;
}
