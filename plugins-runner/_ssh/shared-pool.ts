import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type PluginContext, warnIfMissing } from "../../core/contract/index.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { HostKeys } from "./host-keys.ts";
import { importSsh2, type Ssh2 } from "./ssh2-package.ts";

/** The package ssh2 and the pool of its connections. */
export interface Ssh {
	readonly ssh2: Ssh2;
	readonly pool: ConnectionPool;
}

interface Shared {
	opened: Promise<Ssh> | undefined;
	users: number;
}

/** Shared connections by node id. An entry exists from the first start to the last stop of the node's remote runners. */
const nodes = new Map<string, Shared>();

/** A reference of a runner to the shared connections of the node. */
export interface SshShare {
	/** Returns the shared connections. The first call loads the package `ssh2`, because many services run no remote actions. */
	open(): Promise<Ssh>;
	/** Releases the reference; the last release closes the connections. */
	release(): Promise<void>;
}

/** Adds a reference to the shared connections of the node. */
export function shareSsh({ nodeId, options, logger }: PluginContext): SshShare {
	const shared = nodes.get(nodeId) ?? { opened: undefined, users: 0 };
	nodes.set(nodeId, shared);
	const ssh2 = { name: "ssh2", off: "actions on remote hosts", resolve: () => import.meta.resolve("ssh2") };
	if (shared.users === 0) warnIfMissing(ssh2, logger);
	shared.users++;
	let released = false;
	return {
		open() {
			shared.opened ??= importSsh2().then((ssh2) => ({ ssh2, pool: createPool(ssh2, options.ssh_runner, logger) }));
			return shared.opened;
		},
		async release() {
			if (released) return;
			released = true;
			if (--shared.users > 0) return;
			nodes.delete(nodeId);
			const opened = await shared.opened?.catch(() => undefined);
			opened?.pool.stop();
		},
	};
}

/** Returns an absolute path; `~/` is the home directory of the service's user. */
export function expandHome(path: string): string {
	return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(path);
}

function createPool(ssh2: Ssh2, options: PluginContext["options"]["ssh_runner"], logger: PluginContext["logger"]): ConnectionPool {
	const hostKeys = new HostKeys({ policy: options.host_key_check, file: expandHome(options.known_hosts), logger });
	const { ssh_connect_timeout: connectTimeout, connection_idle_timeout: idleTimeout } = options;
	return new ConnectionPool({ ssh2, hostKeys, logger, connectTimeout, idleTimeout });
}
