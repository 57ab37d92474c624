import { type PluginContext, warnIfMissing } from "../../core/contract/index.ts";
import { Launcher } from "./launcher.ts";

interface Shared {
	readonly launcher: Launcher;
	users: number;
}

/** One launcher a node. Entries exist between the first start and the last stop of the node's runners. */
const launchers = new Map<string, Shared>();

const packages = [
	{ name: "node-pty", off: 'the parameter "pty" of commands and scripts', resolve: () => import.meta.resolve("node-pty") },
	{ name: "koffi", off: "the quick way to start processes; a slower one is taken", resolve: () => import.meta.resolve("koffi") },
];

/** A runner's share in the node's launcher. */
export interface LauncherLease {
	readonly launcher: Launcher;
	/** Give it back; the last one stops the launcher and what still runs. */
	release(): Promise<void>;
}

/** Take part in the launcher of the node; the first one starts it. */
export async function acquireLauncher({ nodeId, logger }: Pick<PluginContext, "nodeId" | "logger">): Promise<LauncherLease> {
	const shared = launchers.get(nodeId) ?? { launcher: new Launcher({ onLost: () => logger.error("process launcher lost") }), users: 0 };
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
