import type { Finding, PlannedStorage } from "../../cli/service-plan.ts";
import { isSvcError, type PluginContext, type Storage } from "../../contract/index.ts";
import { getSystemClock, toTimestamp } from "../../kernel/basics/clock.ts";
import { assertNoUnfinishedDatabaseMove } from "../../kernel/nodes/database-move-guard.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { toFindings } from "./to-findings.ts";

const mustStop = "stop it first";

export interface StorageReport {
	readonly storage: PlannedStorage;
	/** The storage, opened for reading. Undefined if its records cannot be read. The caller must stop it. */
	readonly stored: Storage | undefined;
	/** True if nothing has been stored yet. */
	readonly isNew: boolean;
	/** True if a running service uses the storage and must stop first. */
	readonly isHeld: boolean;
	readonly problems: readonly Finding[];
	readonly warnings: readonly Finding[];
}

/** Returns the state of a storage. Changes nothing. */
export async function inspectStorage(
	{ storage: plugin }: ResolvedConfig,
	instance: Storage,
	{ context, isBusShared }: { readonly context: PluginContext; readonly isBusShared: boolean },
): Promise<StorageReport> {
	const { name } = plugin;
	const report = (storage: Omit<PlannedStorage, "name">, rest: Partial<StorageReport> = {}): StorageReport => {
		return {
			storage: { name, ...storage },
			stored: undefined,
			isNew: storage.state === "new",
			isHeld: false,
			problems: [],
			warnings: [],
			...rest,
		};
	};
	try {
		if (instance.inspect === undefined) {
			const changes = (await instance.plan?.(context)) ?? [];
			// A storage that is not durable is empty at the start of a process.
			return report({ place: null, state: instance.capabilities.durable === true ? "unknown" : "new", changes });
		}
		const { place, state, changes, in_use: inUse } = await instance.inspect(context);
		const held = { path: "storage", message: "a running service uses it", hint: mustStop };
		if (state !== "ready") return report({ place, state, changes }, inUse ? { isHeld: true, warnings: [held] } : {});
		await assertNoUnfinishedDatabaseMove(instance, getSystemClock().now());
		// The record of a node that was killed remains valid until its lease expires, so `in_use` of the storage takes precedence.
		const others = inUse === false ? [] : await findOthers(instance, isBusShared);
		const warnings = inUse && others.length === 0 ? [held] : others;
		return report({ place, state, changes }, { stored: instance, warnings, isHeld: warnings.length > 0 });
	} catch (error) {
		const state = isSvcError(error, "SVC_CONFIG") ? "unknown" : "unreachable";
		return report({ place: null, state, changes: [] }, { problems: toFindings(error, "storage") });
	}
}

/**
 * Returns findings about nodes that use the storage and cannot share it with this node. Includes a node that was killed until its lease
 * expires.
 */
async function findOthers(storage: Storage, isBusShared: boolean): Promise<Finding[]> {
	const now = toTimestamp(getSystemClock().now());
	const living = (await storage.find("node", {})).filter(({ expires_at }) => expires_at > now);
	const isShared = storage.capabilities.shared === true;
	const others = isShared && isBusShared ? living.filter((node) => !node.event_bus_shared) : living;
	if (others.length === 0) return [];
	const names = others.map(({ name, hostname, pid }) => `"${name}" (process ${pid} on ${hostname})`).join(", ");
	if (!isShared) return [{ path: "storage", message: `it is in use by node ${names}`, hint: mustStop }];
	const message = `node ${names} uses the same storage, but its event bus or that of this node reaches only one process`;
	return [{ path: "event_bus", message, hint: `give both nodes the same shared event bus, or stop the other node first` }];
}
