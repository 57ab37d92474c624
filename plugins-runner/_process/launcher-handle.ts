import { type PluginContext, SvcError } from "../../core/contract/index.ts";
import type { Launcher } from "./launcher.ts";
import { acquireLauncher, type LauncherLease } from "./shared-launcher.ts";

/** Lifecycle of a runner that starts processes: its share in the node's launcher. */
export interface LauncherHandle {
	readonly launcher: Launcher;
	/** Acquires the launcher of the node. */
	start(context: PluginContext): void;
	stop(): Promise<void>;
}

/** Creates the share of one runner. `launcher` throws `SVC_RUNNER` unless the runner is started. */
export function createLauncherAccess(): LauncherHandle {
	let lease: LauncherLease | undefined;
	return {
		get launcher() {
			if (lease === undefined) throw new SvcError("SVC_RUNNER", "the runner has not been started");
			return lease.launcher;
		},
		start(context) {
			lease = acquireLauncher(context);
		},
		async stop() {
			await lease?.release();
			lease = undefined;
		},
	};
}
