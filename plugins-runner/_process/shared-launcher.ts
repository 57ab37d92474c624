import { type PluginContext, warnIfMissing } from "../../core/contract/index.ts";
import { Launcher } from "./launcher.ts";
import { LauncherMetrics } from "./launcher-metrics.ts";

interface SharedLauncher {
	readonly launcher: Launcher;
	users: number;
}

/** Launchers by node id. An entry exists from the first start to the last stop of the node's runners. */
const launchers = new Map<string, SharedLauncher>();

const optionalPackages = [
	{ name: "node-pty", off: 'the parameter "svc_pty" of commands and scripts', resolve: () => import.meta.resolve("node-pty") },
	{ name: "koffi", off: "fast process start; a slower method is used instead", resolve: () => import.meta.resolve("koffi") },
];

/** A runner's share in the node's launcher. */
export interface LauncherLease {
	readonly launcher: Launcher;
	/** Releases the share. The last release stops the launcher and everything that still runs. Repeated calls have no effect. */
	release(): Promise<void>;
}

/** Members of the plugin context that identify the node and report on its launcher. */
type LaunchingNode = Pick<PluginContext, "nodeId" | "logger" | "meters">;

/** Acquires a share in the launcher of the node. Its process starts with the first run. */
export function acquireLauncher(node: LaunchingNode): LauncherLease {
	const { nodeId, logger } = node;
	const shared = launchers.get(nodeId) ?? { launcher: createLauncher(node), users: 0 };
	launchers.set(nodeId, shared);
	if (shared.users === 0) for (const optionalPackage of optionalPackages) warnIfMissing(optionalPackage, logger);
	shared.users++;
	let isReleased = false;
	return {
		launcher: shared.launcher,
		async release() {
			if (isReleased) return;
			isReleased = true;
			if (--shared.users > 0) return;
			launchers.delete(nodeId);
			await shared.launcher.stop();
		},
	};
}

function createLauncher({ logger, meters }: LaunchingNode): Launcher {
	const onLost = () => logger.error("process launcher lost");
	return new Launcher({ onLost, ...(meters !== undefined && { metrics: new LauncherMetrics(meters) }) });
}
