import { type EngineAddressOptions, problem } from "./engine-address.ts";
import { isMemorySize } from "./memory-size.ts";

/** A directory of the engine's machine that containers may mount. */
export interface AllowedMount {
	/** Absolute path; its subdirectories may be mounted too. */
	readonly source: string;
	/** True if containers may write to the directory. Default false. */
	readonly writable?: boolean;
}

/** Credentials for a registry. */
export interface RegistryCredentials {
	readonly username: string;
	/** Password or access token. */
	readonly password: string;
}

/** Permissions and limits of action containers. All defaults are restrictive. */
export interface ContainerOptions extends EngineAddressOptions {
	/**
	 * Images that may run, as actions write them. A `*` at the end matches any rest, but after a prefix without `/` only a rest without
	 * `/`. Default all.
	 */
	readonly images?: readonly string[];
	/** Networks that actions may use; the first is the default. Default `["none"]`. */
	readonly networks?: readonly string[];
	/** Directories that actions may mount. Default none. */
	readonly mounts?: readonly AllowedMount[];
	/** Capabilities that actions may request, such as `NET_BIND_SERVICE`; all others are dropped. Default none. */
	readonly capabilities?: readonly string[];
	/**
	 * True if actions may run privileged, in the machine's network or in another container's network. Each is equivalent to root access
	 * there. Default false.
	 */
	readonly allow_privileged?: boolean;
	/** User of containers whose action does not set one, such as `1000:1000`. Default: the image's user. */
	readonly user?: string;
	/** Memory of a container: the default, and the maximum that actions may set, such as `512m`. Defaults `512m` and `4g`. */
	readonly memory?: string;
	readonly max_memory?: string;
	/** Processors of a container: the default, and the maximum that actions may set. Defaults 1 and 4. */
	readonly cpus?: number;
	readonly max_cpus?: number;
	/** Maximum number of processes in a container. Default 256. */
	readonly pids?: number;
	/** Limits with the names of `ulimit`, such as `{ nofile: 1024 }`. Default: those of the engine. */
	readonly ulimits?: Readonly<Record<string, number>>;
	/** Pull policy of actions that do not set one. Default `missing`. */
	readonly pull?: PullPolicy;
	/** Credentials by registry, such as `registry.example.org` or `localhost:5000`; `docker.io` for images without a registry. */
	readonly registries?: Readonly<Record<string, RegistryCredentials>>;
	/** Seconds between TERM and KILL when a run must end. Default 5. */
	readonly stop_grace?: number;
	/**
	 * Id of the service on the engine; containers have it as a label, and only containers with this label are cleaned up. The default is
	 * derived from this machine's name and the data directory. All nodes of one service should use the same value.
	 */
	readonly installation?: string;
}

export const pullPolicies = ["missing", "always", "never"] as const;

/** Time at which an image is pulled: only if it is missing, before each run, or never. */
export type PullPolicy = (typeof pullPolicies)[number];

export const defaults = { memory: "512m", max_memory: "4g", cpus: 1, max_cpus: 4, pids: 256, stop_grace: 5, networks: ["none"] } as const;

/** Directories of the machine that no configuration may share with containers. */
const never = ["/", "/proc", "/sys", "/dev", "/run", "/var/run", "/etc", "/boot"];

/** Validates the options, which plain JavaScript does not check. Throws `SVC_CONFIG` for invalid values. */
export function assertOptions(options: ContainerOptions): void {
	for (const name of ["images", "networks", "capabilities"] as const) assertTexts(name, options[name]);
	for (const name of ["memory", "max_memory"] as const) {
		if (options[name] !== undefined && !isMemorySize(options[name])) throw problem(name, "must be a size such as 512m or 2g");
	}
	for (const name of ["cpus", "max_cpus", "pids", "stop_grace"] as const) assertAbove0(name, options[name]);
	if (options.networks?.length === 0) throw problem("networks", 'must name at least one network; "none" is allowed');
	if (options.pull !== undefined && !pullPolicies.includes(options.pull))
		throw problem("pull", `must be one of ${pullPolicies.join(", ")}`);
	if (typeof (options.allow_privileged ?? false) !== "boolean") throw problem("allow_privileged", "must be true or false");
	const shared = (options.networks ?? []).find(isShared);
	if (shared !== undefined && options.allow_privileged !== true)
		throw problem("networks", `contains "${shared}", which requires allow_privileged: true`);
	for (const [index, mount] of (options.mounts ?? []).entries()) assertMount(`mounts[${index}]`, mount);
	for (const [name, limit] of Object.entries(options.ulimits ?? {})) assertAbove0(`ulimits.${name}`, limit);
	for (const [name, given] of Object.entries(options.registries ?? {})) {
		if (typeof given.username !== "string" || typeof given.password !== "string")
			throw problem(`registries["${name}"]`, "requires username and password");
	}
}

/** Returns true for the network of the machine itself or of another container. */
export function isShared(network: string): boolean {
	return network === "host" || network.includes(":");
}

function assertTexts(name: string, values: readonly string[] | undefined): void {
	if (values === undefined) return;
	if (!Array.isArray(values) || values.some((value) => typeof value !== "string" || value === ""))
		throw problem(name, "must be a list of names");
}

function assertAbove0(name: string, value: number | undefined): void {
	if (value === undefined) return;
	if (typeof value !== "number" || !(value > 0) || !Number.isFinite(value)) throw problem(name, "must be a number greater than 0");
}

function assertMount(name: string, { source, writable = false }: AllowedMount): void {
	if (typeof source !== "string" || !source.startsWith("/")) throw problem(`${name}.source`, "must be an absolute path");
	if (typeof writable !== "boolean") throw problem(`${name}.writable`, "must be true or false");
	const path = source.replace(/\/+$/, "") || "/";
	if (path.split("/").includes("..") || never.includes(path))
		throw problem(`${name}.source`, `is "${source}", which cannot be mounted into containers`);
}
