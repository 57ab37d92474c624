import { type EngineAddressOptions, problem } from "./engine-address.ts";
import { isMemory } from "./memory.ts";

/** A directory of the engine's machine that containers may be given. */
export interface AllowedMount {
	/** Absolute path; what is below may be mounted too. */
	readonly source: string;
	/** Whether containers may write there. Default false. */
	readonly writable?: boolean;
}

/** Who may pull from a registry. */
export interface RegistryCredentials {
	readonly username: string;
	/** Password or access token. */
	readonly password: string;
}

/** What containers of actions may have. Each default is the narrow one. */
export interface ContainerOptions extends EngineAddressOptions {
	/** Images that may be run, as actions name them; `*` at the end stands for any rest, without a `/` before it for one that has none. Default all. */
	readonly images?: readonly string[];
	/** Networks that actions may name; the first is the default. Default `["none"]`. */
	readonly networks?: readonly string[];
	/** Directories that actions may mount. Default none. */
	readonly mounts?: readonly AllowedMount[];
	/** Capabilities that actions may ask for, such as `NET_BIND_SERVICE`; all others are dropped. Default none. */
	readonly capabilities?: readonly string[];
	/** Whether actions may run privileged, in the network of the machine or in that of another container: as good as root there. Default false. */
	readonly allow_privileged?: boolean;
	/** User of containers whose action names none, as in `1000:1000`. Default that of the image. */
	readonly user?: string;
	/** Memory of a container: default of actions that name none, and the most they may name, as in `512m`. Default `512m` and `4g`. */
	readonly memory?: string;
	readonly max_memory?: string;
	/** Processors likewise. Default 1 and 4. */
	readonly cpus?: number;
	readonly max_cpus?: number;
	/** Most processes of a container. Default 256. */
	readonly pids?: number;
	/** Limits as `ulimit` has them, such as `{ nofile: 1024 }`. Default those of the engine. */
	readonly ulimits?: Readonly<Record<string, number>>;
	/** Pull policy of actions that name none. Default `missing`. */
	readonly pull?: PullPolicy;
	/** Credentials by registry, as in `registry.example.org` or `localhost:5000`; `docker.io` for images that name none. */
	readonly registries?: Readonly<Record<string, RegistryCredentials>>;
	/** Seconds between TERM and KILL when a run is ended. Default 5. */
	readonly stop_grace?: number;
	/**
	 * Names the service on the engine: what containers are labelled with, and whose leftovers are removed. Default made of this machine and its data
	 * directory; give nodes of one service the same.
	 */
	readonly installation?: string;
}

export const pullPolicies = ["missing", "always", "never"] as const;

/** When an image is pulled: where it is missing, before each run, not at all. */
export type PullPolicy = (typeof pullPolicies)[number];

export const defaults = { memory: "512m", max_memory: "4g", cpus: 1, max_cpus: 4, pids: 256, stop_grace: 5, networks: ["none"] } as const;

/** What of the machine no configuration may give to containers. */
const never = ["/", "/proc", "/sys", "/dev", "/run", "/var/run", "/etc", "/boot"];

/** Throws `SVC_CONFIG` for what cannot be meant. Plain JavaScript may say anything. */
export function assertOptions(options: ContainerOptions): void {
	for (const name of ["images", "networks", "capabilities"] as const) assertTexts(name, options[name]);
	for (const name of ["memory", "max_memory"] as const) {
		if (options[name] !== undefined && !isMemory(options[name])) throw problem(name, "must be a size such as 512m or 2g");
	}
	for (const name of ["cpus", "max_cpus", "pids", "stop_grace"] as const) assertAbove0(name, options[name]);
	if (options.networks?.length === 0) throw problem("networks", 'must name one at least; "none" is one');
	if (options.pull !== undefined && !pullPolicies.includes(options.pull))
		throw problem("pull", `must be one of ${pullPolicies.join(", ")}`);
	if (typeof (options.allow_privileged ?? false) !== "boolean") throw problem("allow_privileged", "must be true or false");
	const shared = (options.networks ?? []).find(isShared);
	if (shared !== undefined && options.allow_privileged !== true)
		throw problem("networks", `holds "${shared}", which needs allow_privileged: true`);
	for (const [index, mount] of (options.mounts ?? []).entries()) assertMount(`mounts[${index}]`, mount);
	for (const [name, limit] of Object.entries(options.ulimits ?? {})) assertAbove0(`ulimits.${name}`, limit);
	for (const [name, given] of Object.entries(options.registries ?? {})) {
		if (typeof given.username !== "string" || typeof given.password !== "string")
			throw problem(`registries["${name}"]`, "needs username and password");
	}
}

/** Networks of the machine itself, or of something else on it. */
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
	if (typeof value !== "number" || !(value > 0) || !Number.isFinite(value)) throw problem(name, "must be a number above 0");
}

function assertMount(name: string, { source, writable = false }: AllowedMount): void {
	if (typeof source !== "string" || !source.startsWith("/")) throw problem(`${name}.source`, "must be an absolute path");
	if (typeof writable !== "boolean") throw problem(`${name}.writable`, "must be true or false");
	const path = source.replace(/\/+$/, "") || "/";
	if (path.split("/").includes("..") || never.includes(path))
		throw problem(`${name}.source`, `is "${source}", which containers cannot be given`);
}
