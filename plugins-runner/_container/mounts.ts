import { realpath } from "node:fs/promises";
import { posix } from "node:path";
import { type JsonObject, type JsonValue, SvcError } from "../../core/contract/index.ts";
import type { AllowedMount } from "./container-options.ts";

/** A mount in the format of the engine. */
export interface EngineMount {
	readonly Type: "bind" | "volume";
	readonly Source?: string;
	readonly Target: string;
	readonly ReadOnly: boolean;
	readonly BindOptions?: { readonly Propagation: "rprivate" };
}

/** Directories of the engine or the service in a container, in which no mount may have its target. */
const taken = ["/", "/proc", "/sys", "/dev", "/svc"];

/**
 * Returns the mounts of an action; throws `SVC_INVALID` if the configuration does not allow one. For a local engine, symbolic links are
 * resolved first, so that none can lead outside the allowed directories. Files of a remote engine are not accessible, so its paths are
 * checked as written.
 */
export async function toMounts(given: JsonValue | undefined, allowed: readonly AllowedMount[], isLocal: boolean): Promise<EngineMount[]> {
	if (given === undefined || given === null) return [];
	if (!Array.isArray(given)) throw invalid('must be a list of {"source", "target", "read_only"}');
	const mounts: EngineMount[] = [];
	for (const mount of given) mounts.push(await toMount(mount, allowed, isLocal));
	return mounts;
}

async function toMount(mount: JsonValue, allowed: readonly AllowedMount[], isLocal: boolean): Promise<EngineMount> {
	const { source, target, read_only = true, ...others } = (isObject(mount) ? mount : {}) as JsonObject;
	const [unknown] = Object.keys(others);
	if (unknown !== undefined) throw invalid(`has "${unknown}"; allowed are source, target, read_only`);
	if (typeof source !== "string" || !isPlain(source)) throw invalid("requires a source, an absolute path without . and ..");
	if (typeof target !== "string" || !isPlain(target)) throw invalid("requires a target, an absolute path without . and ..");
	if (taken.some((path) => target === path || (path !== "/" && target.startsWith(`${path}/`))))
		throw invalid(`cannot have the target "${target}"`);
	if (typeof read_only !== "boolean") throw invalid('has a "read_only" that is neither true nor false');
	const path = isLocal ? await resolve(source) : source;
	const root = await findRoot(path, allowed, isLocal);
	// The message does not contain the target of links, because that would disclose files of the machine.
	if (root === undefined) throw invalid(`has the source "${source}", which the configuration does not allow`);
	if (!read_only && root.writable !== true) throw invalid(`requests write access to "${source}", which the configuration does not allow`);
	return { Type: "bind", Source: path, Target: target, ReadOnly: read_only, BindOptions: { Propagation: "rprivate" } };
}

async function findRoot(path: string, allowed: readonly AllowedMount[], isLocal: boolean): Promise<AllowedMount | undefined> {
	let found: AllowedMount | undefined;
	for (const mount of allowed) {
		const root = isLocal ? await realpath(mount.source).catch(() => mount.source) : posix.resolve(mount.source);
		if (path === root || path.startsWith(`${root}/`)) found = found?.writable === true ? found : mount;
	}
	return found;
}

async function resolve(source: string): Promise<string> {
	return realpath(source).catch(() => {
		throw invalid(`has the source "${source}", which the configuration does not allow`);
	});
}

const isObject = (value: JsonValue): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

const isPlain = (path: string) => path.startsWith("/") && posix.normalize(path) === path && !path.includes("\0") && !path.includes(",");

const invalid = (what: string) => new SvcError("SVC_INVALID", `parameter "mounts": a mount ${what}`);
