import { packInstaller } from "../../../plugins/feature-pack-installer/index.ts";
import {
	type AuthBackendPlugin,
	defineConfig,
	type EventBus,
	type EventBusPlugin,
	type RunnerPlugin,
	type Storage,
	type StoragePlugin,
	type SvcConfig,
} from "../../contract/index.ts";

function create(): never {
	throw new Error("a configuration is data: nothing of it may be created");
}

export const storage: StoragePlugin = { kind: "storage", name: "test", create };
export const eventBus: EventBusPlugin = { kind: "event-bus", name: "test", create };
export const authBackend: AuthBackendPlugin = { kind: "auth-backend", name: "test", create };

export function runner(name: string): RunnerPlugin {
	return { kind: "runner", name, create };
}

/** A configuration with inert plugins, and other parts laid over it. */
export function configWith(parts: Partial<SvcConfig> = {}): SvcConfig {
	return defineConfig({
		features: [packInstaller()],
		storage,
		event_bus: eventBus,
		runners: [runner("one")],
		auth: { backend: authBackend },
		...parts,
	});
}

/** An event bus of the right shape that tells nobody anything. */
export function createInertEventBus(): EventBus {
	return { capabilities: {}, publish() {}, subscribe: async () => (async function* () {})() };
}

/** A storage of the right shape that keeps nothing. */
export function createInertStorage(): Storage {
	return {
		capabilities: {},
		insert: async () => {},
		get: async () => undefined,
		find: async () => [],
		count: async () => 0,
		distinct: async () => [],
		update: async () => undefined,
		claim: async () => [],
		remove: async () => 0,
		write: async () => {},
	};
}
