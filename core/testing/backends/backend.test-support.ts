import type { EventBus, EventBusPlugin, Lifecycle, Storage, StoragePlugin } from "../../contract/index.ts";
import { createPluginContext } from "../plugin-context.ts";
import { chosenBackend } from "./backend-names.test-support.ts";
import { places } from "./backend-places.test-support.ts";
import { type Open, openEach, openOne, type Started, startAtUse } from "./start-at-use.test-support.ts";

/** Records and events of one node or of several, with nothing in them, on the backend that was chosen for this process. */
export interface TestBackend {
	/** For one node after another, or for several at once. */
	readonly storage: StoragePlugin;
	/** An instance for each node; they hear each other where the bus can be shared. */
	readonly eventBus: EventBusPlugin;
	/** Stop what still runs and remove everything. May be called twice. */
	release(): Promise<void>;
}

export interface BackendOptions {
	/** Whether records must be on a disk. SQLite stands in for memory then. */
	readonly durable?: boolean;
}

export function createBackend({ durable = false }: BackendOptions = {}): TestBackend {
	const chosen = chosenBackend();
	const name = durable && chosen === "memory" ? "sqlite" : chosen;
	const place = places[name]();
	const created: Started[] = [];
	let preparing: Promise<void> | undefined;
	let releasing: Promise<void> | undefined;

	function provide<T extends Lifecycle>(shape: T, open: Open<T>): T {
		const prepared: Open<T> = async (context) => {
			await (preparing ??= place.prepare());
			return open(context);
		};
		const instance = startAtUse(shape, prepared, createPluginContext);
		created.push(instance);
		return instance;
	}

	async function release(): Promise<void> {
		for (const instance of created) await instance.stop();
		await preparing;
		await place.remove();
	}

	const isShared = place.createStorage().capabilities.shared ?? false;
	const openStorage = isShared ? openEach(place.createStorage) : openOne(place.createStorage);
	const openBus = openEach(place.createBus);
	return {
		storage: { kind: "storage", name, create: () => provide<Storage>(place.createStorage(), openStorage) },
		eventBus: { kind: "event-bus", name, create: () => provide<EventBus>(place.createBus(), openBus) },
		release: () => (releasing ??= release()),
	};
}
