import { randomUUID } from "node:crypto";
import {
	isSvcError,
	type JsonObject,
	type SensorContext,
	type SensorState,
	SvcError,
	type TriggerReference,
	toErrorMessage,
} from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { IncomingEvent } from "../../kernel/events/event-dispatcher-api.ts";
import type { ResolvedTrigger } from "../../kernel/events/trigger-catalog.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { retryWhileUnavailable } from "../../lib/retry-while-unavailable.ts";
import type { DatastoreItems } from "../datastore/items-exports.ts";
import type { NamedSensor } from "./named-sensor-exports.ts";
import type { SensorTriggers } from "./sensor-triggers.ts";
import { runAsService } from "./uncaught-sensor-errors.ts";

export interface SensorContextDependencies extends Uses<"clock" | "logger">, Pick<Kernel, "dispatcher" | "triggerTypes"> {
	readonly datastore: DatastoreItems;
	readonly triggers: SensorTriggers;
	/** Principal under which sensors act. */
	readonly principal: Principal;
}

/** Data of a run that its context passes to the sensor. */
export interface SensorRunInput {
	readonly packConfig: JsonObject;
	/** Environment variables for the process of the sensor. */
	readonly environment: Readonly<Record<string, string>>;
	/** Secrets of the run in the encrypted form that events store; null if there are none. */
	readonly knownSecrets: string | null;
	readonly signal: AbortSignal;
	/** Returns true while this run holds the sensor. */
	readonly isHeld: () => boolean;
}

type DispatchOptions = NonNullable<Parameters<SensorContext["dispatch"]>[2]>;

/** Creates the context of a run for the sensor. */
export function createSensorContext(
	parts: SensorContextDependencies,
	{ ref, pack, sensor, isFromPack }: NamedSensor,
	run: SensorRunInput,
): SensorContext {
	const types = sensor.trigger_types.map(({ name }) => `${pack}.${name}`);

	const outlast = createOutlast(parts, ref, run.signal);
	const whileHeld: WhileHeld = (attempt) =>
		outlast(async () => {
			assertHeld(ref, run);
			return attempt();
		});

	async function dispatch(trigger: TriggerReference, payload: JsonObject, { traceTag, traceId, uniqueKey }: DispatchOptions = {}) {
		let id: string | undefined;
		// An attempt whose response was lost may have stored the event. With the same key, the next attempt finds it.
		const key = uniqueKey ?? randomUUID();
		try {
			await outlast(async () => {
				assertHeld(ref, run);
				const { instance } = await parts.dispatcher.dispatch({
					trigger,
					payload,
					knownSecrets: run.knownSecrets,
					...toTrace(traceId, traceTag),
					uniqueKey: `sensor:${ref}:${key}`,
					...(isFromPack === true && { check: (resolved: ResolvedTrigger) => assertInjectable(parts, resolved) }),
				});
				id = instance.id;
			});
		} catch (error) {
			if (!isSvcError(error, "SVC_INVALID")) throw error;
			const name = typeof trigger === "string" ? trigger : trigger.type;
			parts.logger.warn("an event of a sensor was dropped", { sensor: ref, trigger: name, problem: toErrorMessage(error) });
		}
		return id;
	}

	return {
		ref,
		pack,
		poll_interval: sensor.poll_interval,
		packConfig: run.packConfig,
		environment: run.environment,
		signal: run.signal,
		logger: parts.logger,
		clock: parts.clock,
		state: createSensorState(parts, `${ref}:`, whileHeld),
		datastore: createSensorState(parts, "", whileHeld),
		dispatch,
		async triggers() {
			assertHeld(ref, run);
			return outlast(() => parts.triggers.read(types));
		},
		followTriggers: () => parts.triggers.follow(types, run.signal),
	};
}

function assertHeld(ref: string, run: SensorRunInput): void {
	if (!run.isHeld()) throw new SvcError("SVC_CONFLICT", `this run of sensor "${ref}" has ended, or another node has taken over the sensor`);
}

/** Returns a function that repeats an operation while the storage is unavailable, until the signal aborts. */
function createOutlast({ logger }: SensorContextDependencies, ref: string, signal: AbortSignal) {
	const outage = {
		signal,
		shouldGiveUp: () => signal.aborted,
		onUnavailable: (error: unknown) => logger.warn("a call of a sensor waits until the storage is available", { sensor: ref, error }),
	};
	// Unhandled rejections of the returned promise count as the sensor's; work inside the service does not.
	return async <T>(attempt: () => Promise<T>): Promise<T> => await runAsService(() => retryWhileUnavailable(attempt, outage));
}

function toTrace(id: string | undefined, tag: string | undefined): Pick<IncomingEvent, "trace"> {
	if (id !== undefined) return { trace: { id_: id } };
	return tag === undefined ? {} : { trace: { trace_tag: tag } };
}

/** Throws `SVC_FORBIDDEN` if sensors of packs may not dispatch the trigger: rules trust the events of the service's own triggers. */
function assertInjectable({ triggerTypes, principal }: SensorContextDependencies, resolved: ResolvedTrigger): void {
	triggerTypes.assertInjectable(resolved, { ...principal, isAdmin: false });
}

/** Performs an operation, and repeats it while the storage is unavailable. Throws if this run no longer holds the sensor. */
type WhileHeld = <T>(attempt: () => Promise<T>) => Promise<T>;

/** Creates access to the system items of the datastore whose names begin with the prefix. Calls wait while the storage is unavailable. */
function createSensorState({ datastore, principal }: SensorContextDependencies, prefix: string, whileHeld: WhileHeld): SensorState {
	/** Returns the result of `ask`, or undefined if the item does not exist. */
	async function unlessMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
		try {
			return await whileHeld(ask);
		} catch (error) {
			if (!isSvcError(error, "SVC_NOT_FOUND")) throw error;
			return undefined;
		}
	}

	return {
		get: async (name) => (await unlessMissing(() => datastore.get(prefix + name, { form: "decrypted" }, principal)))?.value,
		async set(name, value, { ttl, secret } = {}) {
			await whileHeld(() => datastore.set(prefix + name, { value, ttl, secret }, principal));
		},
		delete: async (name) => (await unlessMissing(() => datastore.remove(prefix + name, {}, principal).then(() => true))) === true,
		async list(namePrefix = "") {
			const query = { prefix: prefix + namePrefix, orderBy: [["name", "asc"]], form: "decrypted" } as const;
			const items = await whileHeld(() => datastore.list(query, principal));
			return items.map(({ name, value }) => ({ name: name.slice(prefix.length), value }));
		},
	};
}
