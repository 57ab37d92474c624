import { type BusEvent, type EventBus, type EventBusPlugin, type Storage, type StoragePlugin, SvcError } from "../../contract/index.ts";
import { createBackend } from "../backends/backend.test-support.ts";

const reads: readonly string[] = ["find", "get", "count"];
/** What the host asks of the plugin, rather than the engine of the records. */
const lifecycle: readonly string[] = ["start", "stop"];

type Call = (...values: unknown[]) => Promise<unknown>;

/** One node's way to a storage that several nodes of a test share. */
export interface Door {
	readonly plugin: StoragePlugin;
	/** Reaches the other nodes where the chosen backend has a bus that can; else the node hears itself only. */
	readonly eventBus: EventBusPlugin;
	/** Calls that change something, and events from other nodes, wait from here on, as those of a process that is stopped. */
	shut(): void;
	/** What waits goes on, in order. */
	open(): void;
	/** Resolves when everything that has waited so far is done, well or badly. */
	passed(): Promise<void>;
	/** Resolves when one of these methods has been called and waits. */
	knocked(...methods: readonly string[]): Promise<void>;
}

/**
 * What a door may do to a call before it goes on; the call waits for it. It may throw; `lost`: the call is made, and its answer
 * does not come back.
 */
export type OnCall = (method: string, values: unknown[]) => "lost" | void | Promise<void>;

export interface SharedStorage {
	/** For looking, and for leaving something behind. */
	readonly storage: Storage;
	createDoor(onCall?: OnCall): Door;
	/** When the nodes have stopped. */
	release(): Promise<void>;
}

/** On the chosen backend: several nodes on one database, or on one instance of a storage that cannot be shared. */
export function createSharedStorage(): SharedStorage {
	const backend = createBackend();
	return {
		storage: backend.storage.create(),
		release: backend.release,
		createDoor(onCall = () => {}) {
			let open = () => {};
			let opened: Promise<void> | undefined;
			const waiting: string[] = [];
			const late: Promise<unknown>[] = [];
			const goOn = async (method: string, call: Call, values: unknown[]) => {
				const fate = await onCall(method, values);
				const answer = await call(...values);
				if (fate === "lost") throw new SvcError("SVC_UNAVAILABLE", "the answer was lost");
				return answer;
			};
			const pass =
				(method: string, call: Call): Call =>
				(...values) => {
					if (opened === undefined || reads.includes(method)) return goOn(method, call, values);
					waiting.push(method);
					const done = opened.then(() => goOn(method, call, values));
					late.push(done);
					return done;
				};
			const create = () =>
				new Proxy(backend.storage.create(), {
					get(target, name: keyof Storage) {
						// What cannot be shared has no clock of its own, and all nodes of a test run on one machine.
						if (name === "now" && target.now === undefined) return async () => Date.now() * 1_000;
						if (name === "capabilities") return { ...target.capabilities, shared: true };
						const member: unknown = target[name];
						return typeof member === "function" && !lifecycle.includes(name) ? pass(name, member as Call) : member;
					},
				});
			return {
				plugin: { kind: "storage", name: "shared", create },
				eventBus: { ...backend.eventBus, create: () => pausing(backend.eventBus.create(), () => opened) },
				shut() {
					opened = new Promise((resolve) => {
						open = resolve;
					});
				},
				open() {
					open();
					opened = undefined;
					waiting.length = 0;
				},
				async passed() {
					await Promise.allSettled(late.splice(0));
				},
				async knocked(...methods) {
					while (!waiting.some((method) => methods.includes(method))) await new Promise((resolve) => setTimeout(resolve, 2));
				},
			};
		},
	};
}

/** A bus whose events wait for what `wait` says. It says that it can be shared, as a storage that is shared wants. */
function pausing(bus: EventBus, wait: () => Promise<void> | undefined): EventBus {
	const subscribe: EventBus["subscribe"] = async (names, options) => pause(await bus.subscribe(names, options), wait);
	const members = { subscribe, capabilities: { shared: true } };
	return new Proxy(bus, { get: (target, name) => Reflect.get(members, name) ?? Reflect.get(target, name) });
}

async function* pause(events: AsyncIterable<BusEvent>, wait: () => Promise<void> | undefined): AsyncGenerator<BusEvent> {
	for await (const event of events) {
		await wait();
		yield event;
	}
}
