import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordContractVersion } from "../../contract/contract-version.ts";
import {
	type AuthBackendPlugin,
	type EntityKind,
	type EventBus,
	type EventBusPlugin,
	entityKinds,
	type RunnerPlugin,
	type SensorPlugin,
	type Storage,
	type StoragePlugin,
	SvcError,
} from "../../contract/index.ts";
import { createPluginContext } from "../plugin-context.ts";
import type { OpenedStorage } from "../storage-suite.ts";

export type AnyPlugin = RunnerPlugin | AuthBackendPlugin | StoragePlugin | EventBusPlugin | SensorPlugin;

/** Options of a conformance kit without `name` and `test`, and descriptions of the statements that remain untested with them. */
export interface Derived {
	readonly options: object;
	readonly leftOut: readonly string[];
}

/** Derives the options of a kit from a plugin alone. Throws `SVC_CONFIG` if the kind needs options that only its author can provide. */
export function derive(path: string, plugin: AnyPlugin): Derived {
	switch (plugin.kind) {
		case "storage":
			return { options: { create: () => openStorage(plugin) }, leftOut: [] };
		case "event-bus":
			return deriveEventBus(plugin);
		case "runner":
			return {
				options: { create: () => plugin, cases: {} },
				leftOut: ["all statements about runs: export `conformance` with `cases` that define what the runner must do"],
			};
		case "auth-backend":
			throw needsOptions(path, plugin.kind, "`create`, which creates a backend with the given users");
		case "sensor":
			throw needsOptions(path, plugin.kind, "`create`, which returns the plugin and `provoke`, which causes an event");
	}
}

function needsOptions(path: string, kind: string, members: string): SvcError {
	return new SvcError(
		"SVC_CONFIG",
		`module "${path}" exports a plugin; for the kind "${kind}" it must export \`conformance\` with ${members}`,
	);
}

function deriveEventBus(plugin: EventBusPlugin): Derived {
	const open = async (): Promise<EventBus> => {
		const dataDirectory = await mkdtemp(join(tmpdir(), "svc-conform-"));
		const bus = recordContractVersion(plugin.create(), plugin.contract);
		await bus.start?.(createPluginContext({ dataDirectory }));
		const stop = bus.stop?.bind(bus);
		bus.stop = async () => {
			await stop?.();
			await rm(dataDirectory, { recursive: true, force: true });
		};
		return bus;
	};
	const { shared } = plugin.create().capabilities;
	return { options: { create: open, ...(shared ? { connect: open } : {}) }, leftOut: [] };
}

async function openStorage(plugin: StoragePlugin): Promise<OpenedStorage> {
	const dataDirectory = await mkdtemp(join(tmpdir(), "svc-conform-"));
	const start = async () => {
		current = recordContractVersion(plugin.create(), plugin.contract);
		await current.start?.(createPluginContext({ dataDirectory }));
		return current;
	};
	const stop = async () => {
		await current?.stop?.();
		await rm(dataDirectory, { recursive: true, force: true });
	};
	let current: Storage | undefined;
	try {
		const storage = await start();
		await assertEmpty(storage);
		const reopen = async () => {
			await current?.stop?.();
			return start();
		};
		return { storage, stop, reopen };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** Throws if the storage contains records: the kit writes and removes arbitrary ones, so real data must never be exposed to it. */
async function assertEmpty(storage: Storage): Promise<void> {
	for (const kind of Object.keys(entityKinds) as EntityKind[]) {
		if ((await storage.count(kind, {})) === 0) continue;
		throw new Error(
			`the storage contains records of the kind "${kind}" and is not changed: export \`conformance\` with a \`create\` that returns an empty storage for each statement`,
		);
	}
}
