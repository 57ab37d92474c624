import type { JsonObject, SensorContext, SensorTrigger, TriggerReference } from "../contract/index.ts";
import { silentLogger } from "./run-context.ts";

/** What a sensor under test is given. */
export interface SensorHostOptions {
	/** Seconds; sensors may be told to look more often than the host allows. */
	readonly poll_interval?: number;
	readonly packConfig?: JsonObject;
	/** Triggers of the sensor's types, as rules have asked for them. */
	readonly triggers?: readonly SensorTrigger[];
}

/** An event that a sensor under test has dispatched. */
export interface DispatchedEvent {
	readonly trigger: TriggerReference;
	readonly payload: JsonObject;
	readonly traceTag?: string;
	readonly uniqueKey?: string;
}

/** What outlives the runs of a sensor: its state, what it has dispatched, and the triggers there are. */
export interface SensorHost {
	/** The sensor's items, without its prefix. */
	readonly items: Map<string, string>;
	/** In order. An event with a unique key that has been there is not among them again. */
	readonly dispatched: readonly DispatchedEvent[];
	/** Rules come and go. */
	setTriggers(triggers: readonly SensorTrigger[]): void;
	/** What the host would hand to `run`. A context for each run. */
	createContext(): SensorContext & { abort(): void };
	/** Resolves once so many events have been dispatched in all. */
	waitFor(count: number): Promise<void>;
}

/** Stands in for the service: for tests of a sensor on its own. */
export function createSensorHost({ poll_interval, packConfig = {}, triggers: given = [] }: SensorHostOptions = {}): SensorHost {
	const items = new Map<string, string>();
	const dispatched: DispatchedEvent[] = [];
	const keys = new Map<string, string>();
	const listeners = new Set<() => void>();
	let triggers = given;

	const tell = () => {
		for (const listener of [...listeners]) listener();
	};
	/** Resolves with the next change of anything, or when the signal aborts. */
	const change = (signal?: AbortSignal) =>
		new Promise<void>((resolve) => {
			const done = () => {
				listeners.delete(done);
				signal?.removeEventListener("abort", done);
				resolve();
			};
			listeners.add(done);
			signal?.addEventListener("abort", done);
			if (signal?.aborted) done();
		});

	async function* follow(signal: AbortSignal): ReturnType<SensorContext["followTriggers"]> & AsyncGenerator {
		let known: readonly SensorTrigger[] | undefined;
		while (!signal.aborted) {
			const current = triggers;
			const before = known ?? [];
			const added = current.filter((trigger) => !before.includes(trigger));
			const removed = before.filter((trigger) => !current.includes(trigger));
			if (known === undefined || added.length + removed.length > 0) yield { added, removed };
			known = current;
			if (triggers === current) await change(signal);
		}
	}

	function dispatch(event: DispatchedEvent): string {
		const known = event.uniqueKey === undefined ? undefined : keys.get(event.uniqueKey);
		if (known !== undefined) return known;
		const id = String(dispatched.push(event));
		if (event.uniqueKey !== undefined) keys.set(event.uniqueKey, id);
		tell();
		return id;
	}

	return {
		items,
		dispatched,
		setTriggers(next) {
			triggers = next;
			tell();
		},
		createContext() {
			const controller = new AbortController();
			return {
				ref: "tests.sensor",
				pack: "tests",
				poll_interval,
				packConfig,
				signal: controller.signal,
				logger: silentLogger,
				clock: { now: () => Date.now() * 1_000 },
				state: {
					get: async (name) => items.get(name),
					async set(name, value) {
						items.set(name, value);
						tell();
					},
					delete: async (name) => items.delete(name),
					list: async (prefix = "") => [...items].filter(([name]) => name.startsWith(prefix)).map(([name, value]) => ({ name, value })),
				},
				dispatch: async (trigger, payload, options = {}) => dispatch({ trigger, payload, ...options }),
				triggers: async () => triggers,
				followTriggers: () => follow(controller.signal),
				abort: () => controller.abort(),
			};
		},
		async waitFor(count) {
			while (dispatched.length < count) await change();
		},
	};
}
