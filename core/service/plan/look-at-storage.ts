import type { Finding, PlannedStorage } from "../../cli/service-plan.ts";
import { isSvcError, type PluginContext, type Storage } from "../../contract/index.ts";
import { createSystemClock, toTimestamp } from "../../kernel/basics/clock.ts";
import { assertNotMoving } from "../../kernel/work/database-move.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { toFindings } from "./findings.ts";

export interface StorageReport {
	readonly storage: PlannedStorage;
	/** Open for reading; undefined when nothing can be read. The caller stops it. */
	readonly stored: Storage | undefined;
	/** Whether nothing has been kept yet. */
	readonly isNew: boolean;
	readonly problems: readonly Finding[];
	readonly warnings: readonly Finding[];
}

/** What a storage holds, found out without changing anything. */
export async function lookAtStorage(
	{ storage: plugin }: ResolvedConfig,
	instance: Storage,
	{ context, isBusShared }: { readonly context: PluginContext; readonly isBusShared: boolean },
): Promise<StorageReport> {
	const { name } = plugin;
	const report = (storage: Omit<PlannedStorage, "name">, rest: Partial<StorageReport> = {}): StorageReport => {
		return { storage: { name, ...storage }, stored: undefined, isNew: storage.state === "new", problems: [], warnings: [], ...rest };
	};
	try {
		if (instance.inspect === undefined) {
			const changes = (await instance.plan?.(context)) ?? [];
			// What does not outlast the process begins empty.
			return report({ place: null, state: instance.capabilities.durable === true ? "unknown" : "new", changes });
		}
		const { place, state, changes } = await instance.inspect(context);
		if (state !== "ready") return report({ place, state, changes });
		await assertNotMoving(instance, createSystemClock().now());
		const warnings = await findOthers(instance, isBusShared);
		return report({ place, state, changes }, { stored: instance, warnings });
	} catch (error) {
		const state = isSvcError(error, "SVC_CONFIG") ? "unknown" : "unreachable";
		return report({ place: null, state, changes: [] }, { problems: toFindings(error, "storage") });
	}
}

/** Other nodes that work on it now and cannot do so beside this one. A node that was killed a moment ago is among them. */
async function findOthers(storage: Storage, isBusShared: boolean): Promise<Finding[]> {
	const now = toTimestamp(createSystemClock().now());
	const living = (await storage.find("node", {})).filter(({ expires_at }) => expires_at > now);
	const isShared = storage.capabilities.shared === true;
	const others = isShared && isBusShared ? living.filter((node) => !node.event_bus_shared) : living;
	if (others.length === 0) return [];
	const names = others.map(({ name, hostname, pid }) => `"${name}" (process ${pid} on ${hostname})`).join(", ");
	const stop = "stop it before this one is started";
	if (!isShared) return [{ path: "storage", message: `it is in use by node ${names}`, hint: stop }];
	const message = `node ${names} works on the same storage, and its event bus or this one's reaches one process only`;
	return [{ path: "event_bus", message, hint: `give both the same shared event bus, or ${stop}` }];
}
