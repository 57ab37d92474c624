import { setMaxListeners } from "node:events";
import type { JsonObject, SensorContext, SensorTrigger, TriggerReference } from "../contract/index.ts";
import { silentLogger } from "./run-context.ts";

/** Options of the simulated host of a sensor under test. */
export interface SensorHostOptions {
	/** Seconds between polls; may be shorter than the host allows. */
	readonly poll_interval?: number;
	readonly packConfig?: JsonObject;
	/** Environment variables for a child process of the sensor. Default: none. */
	readonly environment?: Readonly<Record<string, string>>;
	/** Triggers of the sensor's types, as rules have requested them. */
	readonly triggers?: readonly SensorTrigger[];
}

/** An event that a sensor under test has dispatched. */
export interface DispatchedEvent {
	readonly trigger: TriggerReference;
	readonly payload: JsonObject;
	readonly traceTag?: string;
	readonly traceId?: string;
	readonly uniqueKey?: string;
}

/** Simulated host of a sensor. It keeps what outlives a run: datastore items, dispatched events and the current triggers. */
export interface SensorHost {
	/** The sensor's datastore items, by name without the sensor's prefix. */
	readonly items: Map<string, string>;
	/** Other datastore items, by full name. */
	readonly others: Map<string, string>;
	/** Dispatched events, in order. An event whose unique key was already dispatched is not added again. */
	readonly dispatched: readonly DispatchedEvent[];
	/** Replaces the triggers, as when rules are created or deleted. */
	setTriggers(triggers: readonly SensorTrigger[]): void;
	/** Creates the context that the host passes to `run`. Each run needs its own. */
	createContext(): SensorContext & { abort(): void };
	/** Resolves when `count` events have been dispatched in total. */
	waitFor(count: number): Promise<void>;
}

/** Creates a simulated host, with which a sensor is tested without the service. */
export function createSensorHost({ poll_interval, packConfig = {}, environment = {}, triggers = [] }: SensorHostOptions = {}): SensorHost {
	const state = new HostState(triggers);
	return {
		items: state.items,
		others: state.others,
		dispatched: state.dispatched,
		setTriggers: (next) => state.setTriggers(next),
		createContext: () => createContext(state, { poll_interval, packConfig, environment }),
		waitFor: (count) => state.waitFor(count),
	};
}

/** State of the host, and the listeners for its changes. */
class HostState {
	readonly items = new Map<string, string>();
	readonly others = new Map<string, string>();
	readonly dispatched: DispatchedEvent[] = [];
	/** Ids of events by their unique keys. */
	readonly #ids = new Map<string, string>();
	readonly #listeners = new Set<() => void>();
	#triggers: readonly SensorTrigger[];

	constructor(triggers: readonly SensorTrigger[]) {
		this.#triggers = triggers;
	}

	get triggers(): readonly SensorTrigger[] {
		return this.#triggers;
	}

	setTriggers(next: readonly SensorTrigger[]): void {
		this.#triggers = next;
		this.#tell();
	}

	/** Returns the datastore interface of one of the maps. */
	toDatastore(items: Map<string, string>): SensorContext["state"] {
		return {
			get: async (name) => items.get(name),
			set: async (name, value) => {
				items.set(name, value);
				this.#tell();
			},
			delete: async (name) => items.delete(name),
			list: async (prefix = "") => [...items].filter(([name]) => name.startsWith(prefix)).map(([name, value]) => ({ name, value })),
		};
	}

	dispatch(event: DispatchedEvent): string {
		const known = event.uniqueKey === undefined ? undefined : this.#ids.get(event.uniqueKey);
		if (known !== undefined) return known;
		const id = String(this.dispatched.push(event));
		if (event.uniqueKey !== undefined) this.#ids.set(event.uniqueKey, id);
		this.#tell();
		return id;
	}

	async waitFor(count: number): Promise<void> {
		while (this.dispatched.length < count) await this.#change();
	}

	async *follow(signal: AbortSignal): ReturnType<SensorContext["followTriggers"]> & AsyncGenerator {
		let known: readonly SensorTrigger[] | undefined;
		while (!signal.aborted) {
			const current = this.#triggers;
			const before = known ?? [];
			const added = current.filter((trigger) => !before.includes(trigger));
			const removed = before.filter((trigger) => !current.includes(trigger));
			if (known === undefined || added.length + removed.length > 0) yield { added, removed };
			known = current;
			if (this.#triggers === current) await this.#change(signal);
		}
	}

	#tell(): void {
		for (const listener of [...this.#listeners]) listener();
	}

	/** Resolves at the next change of the host's state, or when the signal aborts. */
	#change(signal?: AbortSignal): Promise<void> {
		return new Promise((resolve) => {
			const done = () => {
				this.#listeners.delete(done);
				signal?.removeEventListener("abort", done);
				resolve();
			};
			this.#listeners.add(done);
			signal?.addEventListener("abort", done);
			if (signal?.aborted) done();
		});
	}
}

function createContext(
	state: HostState,
	given: Pick<SensorContext, "poll_interval" | "packConfig" | "environment">,
): ReturnType<SensorHost["createContext"]> {
	const controller = new AbortController();
	// A sensor may add many listeners at once, for example one for each request. Node.js 20 warns at the eleventh listener.
	setMaxListeners(0, controller.signal);
	return {
		ref: "tests.sensor",
		pack: "tests",
		...given,
		signal: controller.signal,
		logger: silentLogger,
		clock: { now: () => Date.now() * 1_000 },
		state: state.toDatastore(state.items),
		datastore: state.toDatastore(state.others),
		dispatch: async (trigger, payload, options = {}) => state.dispatch({ trigger, payload, ...options }),
		triggers: async () => state.triggers,
		followTriggers: () => state.follow(controller.signal),
		abort: () => controller.abort(),
	};
}
