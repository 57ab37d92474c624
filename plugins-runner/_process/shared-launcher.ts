import { type PluginContext, warnIfMissing } from "../../core/contract/index.ts";
import { Launcher } from "./launcher.ts";
import { LauncherMetrics } from "./launcher-metrics.ts";

interface Shared {
	readonly launcher: Launcher;
	users: number;
}

/** One launcher a node. Entries exist between the first start and the last stop of the node's runners. */
const launchers = new Map<string, Shared>();

const packages = [
	{ name: "node-pty", off: 'the parameter "svc_pty" of commands and scripts', resolve: () => import.meta.resolve("node-pty") },
	{ name: "koffi", off: "the quick way to start processes; a slower one is taken", resolve: () => import.meta.resolve("koffi") },
];

/** A runner's share in the node's launcher. */
export interface LauncherLease {
	readonly launcher: Launcher;
	/** Give it back; the last one stops the launcher and what still runs. */
	release(): Promise<void>;
}

/** What the launcher needs to know of its node. */
type LaunchingNode = Pick<PluginContext, "nodeId" | "logger" | "meters">;

/** Take part in the launcher of the node; the first one starts it. */
export async function acquireLauncher(node: LaunchingNode): Promise<LauncherLease> {
	const { nodeId, logger } = node;
	const shared = launchers.get(nodeId) ?? { launcher: createLauncher(node), users: 0 };
	launchers.set(nodeId, shared);
	if (shared.users === 0) for (const each of packages) warnIfMissing(each, logger);
	shared.users++;
	let released = false;
	const lease: LauncherLease = {
		launcher: shared.launcher,
		async release() {
			if (released) return;
			released = true;
			if (--shared.users > 0) return;
			launchers.delete(nodeId);
			await shared.launcher.stop();
		},
	};
	try {
		await shared.launcher.start();
	} catch (error) {
		await lease.release();
		throw error;
	}
	return lease;
}

function createLauncher({ logger, meters }: LaunchingNode): Launcher {
	const onLost = () => logger.error("process launcher lost");
	return new Launcher({ onLost, ...(meters !== undefined && { metrics: new LauncherMetrics(meters) }) });
}
