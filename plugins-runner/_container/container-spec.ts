import { type JsonValue, SvcError } from "../../core/contract/index.ts";
import { type ContainerOptions, defaults, isShared, type PullPolicy } from "./container-options.ts";
import { assertImage, withTag } from "./image.ts";
import { isMemorySize, toBytes } from "./memory-size.ts";
import { type EngineMount, toMounts } from "./mounts.ts";

/** Limits that an action sets for its container: the values of `limitParameters`. */
export interface GivenLimits {
	readonly user?: string | null | undefined;
	readonly memory?: string | null | undefined;
	readonly cpus?: number | null | undefined;
	readonly network?: string | null | undefined;
	readonly mounts?: JsonValue | undefined;
	readonly capabilities?: JsonValue | undefined;
	readonly privileged?: boolean | null | undefined;
	readonly read_only?: boolean | null | undefined;
	readonly pull?: string | null | undefined;
}

/** Image of a container, and the program to run in it. */
export interface ContainerProgram {
	readonly image: string;
	/** Name of the parameter that contains the image, for error messages. Default `image`. */
	readonly imageParameter?: string;
	/** Replaces the image's entry point; if undefined, the image's own is used. */
	readonly entrypoint?: readonly string[];
	/** Replaces the image's command; if undefined, the image's own is used. */
	readonly command?: readonly string[];
	readonly cwd?: string;
	readonly environment: Readonly<Record<string, string>>;
	/** Absolute path of a writable directory that only this run uses. The archive is unpacked into it before the program starts. */
	readonly directory?: string;
}

/** The request that creates a container, with the image to pull first. */
export interface ContainerSpec {
	readonly image: string;
	readonly pull: PullPolicy;
	readonly body: object;
}

export interface SpecOptions {
	readonly options: ContainerOptions;
	readonly labels: Readonly<Record<string, string>>;
	/** True if the engine runs on this machine. */
	readonly isLocal: boolean;
}

/** Returns the request that creates the container. Throws `SVC_INVALID` for parameters that the configuration does not allow. */
export async function toContainerSpec(program: ContainerProgram, given: GivenLimits, parts: SpecOptions): Promise<ContainerSpec> {
	const { options, labels, isLocal } = parts;
	assertImage(program.image, options, program.imageParameter ?? "image");
	const mounts = await toMounts(given.mounts, options.mounts ?? [], isLocal);
	const user = given.user || options.user;
	if (user !== undefined && !/^[A-Za-z0-9_.-]{1,32}(:[A-Za-z0-9_.-]{1,32})?$/.test(user))
		throw invalid("user", 'must have the form "1000" or "1000:1000"');
	const body = {
		Image: withTag(program.image),
		...(program.entrypoint === undefined ? {} : { Entrypoint: program.entrypoint }),
		...(program.command === undefined ? {} : { Cmd: program.command }),
		...(user === undefined ? {} : { User: user }),
		...(program.cwd ? { WorkingDir: toDirectory(program.cwd) } : {}),
		Env: Object.entries(program.environment).map(([name, value]) => `${name}=${value}`),
		Labels: labels,
		AttachStdin: false,
		OpenStdin: false,
		Tty: false,
		HostConfig: { ...toLimits(given, options), Mounts: [...mounts, ...toOwnMounts(program)] },
	};
	return { image: withTag(program.image), pull: toPull(given, options), body };
}

function toLimits(given: GivenLimits, options: ContainerOptions): object {
	const privileged = given.privileged === true;
	if (privileged && options.allow_privileged !== true) throw invalid("privileged", "is not allowed by the configuration");
	const memory = toMemory(given, options);
	return {
		NetworkMode: toNetwork(given, options),
		Memory: memory,
		// Without this limit, the container could use the same amount of swap in addition.
		MemorySwap: memory,
		NanoCpus: Math.round(toCpus(given, options) * 1e9),
		PidsLimit: options.pids ?? defaults.pids,
		Privileged: privileged,
		...(privileged ? {} : { CapDrop: ["ALL"], CapAdd: toCapabilities(given, options), SecurityOpt: ["no-new-privileges"] }),
		ReadonlyRootfs: given.read_only !== false,
		Tmpfs: { "/tmp": "rw,nosuid,nodev,size=64m,mode=1777" },
		Ulimits: Object.entries(options.ulimits ?? {}).map(([Name, limit]) => ({ Name, Soft: limit, Hard: limit })),
		LogConfig: { Type: "json-file", Config: {} },
		RestartPolicy: { Name: "no" },
		AutoRemove: false,
	};
}

/** Returns a volume for the program's directory. The engine removes it together with the container. */
function toOwnMounts({ directory }: ContainerProgram): EngineMount[] {
	return directory === undefined ? [] : [{ Type: "volume", Target: directory, ReadOnly: false }];
}

function toNetwork({ network }: GivenLimits, options: ContainerOptions): string {
	const allowed = options.networks ?? defaults.networks;
	const name = network || (allowed[0] ?? "none");
	if (!allowed.includes(name)) throw invalid("network", `is "${name}"; allowed: ${allowed.join(", ")}`);
	if (isShared(name) && options.allow_privileged !== true)
		throw invalid("network", `is "${name}", which requires allow_privileged in the configuration`);
	return name;
}

function toMemory({ memory }: GivenLimits, options: ContainerOptions): number {
	const most = options.max_memory ?? defaults.max_memory;
	const text = memory || (options.memory ?? defaults.memory);
	if (!isMemorySize(text)) throw invalid("memory", "must be a size such as 512m or 2g");
	if (toBytes(text) > toBytes(most)) throw invalid("memory", `is ${text}; at most ${most}`);
	return toBytes(text);
}

function toCpus({ cpus }: GivenLimits, options: ContainerOptions): number {
	const most = options.max_cpus ?? defaults.max_cpus;
	const wanted = cpus ?? options.cpus ?? defaults.cpus;
	if (!(wanted >= 0.01 && wanted <= most)) throw invalid("cpus", `is ${wanted}; allowed: 0.01 to ${most}`);
	return wanted;
}

function toCapabilities({ capabilities }: GivenLimits, options: ContainerOptions): readonly string[] {
	if (capabilities === undefined || capabilities === null) return [];
	const allowed = options.capabilities ?? [];
	if (!Array.isArray(capabilities)) throw invalid("capabilities", "must be a list of names");
	for (const name of capabilities) {
		if (typeof name !== "string" || !allowed.includes(name))
			throw invalid("capabilities", `holds ${JSON.stringify(name)}; allowed: ${allowed.join(", ") || "none"}`);
	}
	return capabilities as readonly string[];
}

function toPull({ pull }: GivenLimits, options: ContainerOptions): PullPolicy {
	return (pull || options.pull || "missing") as PullPolicy;
}

function toDirectory(cwd: string): string {
	if (!cwd.startsWith("/") || cwd.includes("\0")) throw invalid("cwd", "must be an absolute path in the container");
	return cwd;
}

export function invalid(parameter: string, what: string): SvcError {
	return new SvcError("SVC_INVALID", `parameter "${parameter}" ${what}`);
}
