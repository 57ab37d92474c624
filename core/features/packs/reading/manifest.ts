import { basename } from "node:path";
import { type JsonObject, type PackEntity, SvcError } from "../../../contract/index.ts";
import { type Attribute, checkAttributes, list, requiredText, text, textList } from "../../../language/file-attributes.ts";
import { isInRange } from "../../../language/version-range.ts";
import { notInstalled } from "../registration/not-installed.ts";

/** Platform version that the range in `svc_version` of a pack must include. */
const platformVersion = "3.0.0";

/** Python version that runs the actions of packs, in the form of `python_versions`. */
export const pythonVersion = "3";

const refPattern = /^[a-z0-9_]+$/;
const emailPattern = /^[^\s@<>]+@[^\s@<>]+$/;
const shortVersionPattern = /^\d+(\.\d+)?$/;
const versionPattern = /^\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?$/;

/** Attributes of a manifest that are checked. Manifests may have other attributes. */
export const manifestAttributes: Readonly<Record<string, Attribute>> = {
	name: requiredText,
	ref: {
		description: "a name of lower-case letters, digits and underscores",
		accepts: (value) => typeof value === "string" && refPattern.test(value),
		schema: { type: "string", pattern: refPattern.source },
	},
	description: { ...text, required: true },
	version: {
		description: 'a version of three parts, such as "1.0.0"',
		accepts: (value) => (typeof value === "string" || typeof value === "number") && versionPattern.test(toVersion(value)),
		schema: {
			anyOf: [
				{ type: "string", pattern: `${versionPattern.source}|${shortVersionPattern.source}` },
				{ type: "number", minimum: 0 },
			],
		},
		required: true,
	},
	author: requiredText,
	email: {
		description: "an email address",
		accepts: (value) => typeof value === "string" && (value === "" || emailPattern.test(value)),
		schema: { type: "string", pattern: `^$|${emailPattern.source}` },
	},
	keywords: list,
	contributors: textList,
	dependencies: list,
	python_versions: list,
	svc_version: text,
};

/**
 * Returns the pack that a `pack.yaml` describes. Does not check that the pack supports this version of the service. Keeps unknown members.
 * Throws `SVC_INVALID`, which names the attribute.
 */
export function toPack(manifest: JsonObject, directory: string, ref?: string): Omit<PackEntity, "id"> {
	checkAttributes(manifest, manifestAttributes, false);
	const { name, description, author, version } = manifest;
	return {
		ref: ref === undefined ? toRef(manifest, basename(directory)) : toKnownRef(manifest, ref),
		name: String(name),
		description: String(description),
		version: toVersion(version as string | number),
		author: String(author),
		path: directory,
		metadata: manifest,
		...notInstalled,
	};
}

/** Returns why the manifest excludes this version of the service, or undefined if it does not. */
export function findPlatformProblem({ svc_version: range }: JsonObject): string | undefined {
	if (typeof range !== "string" || isInRange(platformVersion, range)) return undefined;
	return `attribute "svc_version" requires ${range.slice(0, 100)}; this is ${platformVersion}`;
}

/** Throws `SVC_INVALID` if a pack does not support this version of the service. */
export function assertPlatform(manifest: JsonObject): void {
	const problem = findPlatformProblem(manifest);
	if (problem !== undefined) throw new SvcError("SVC_INVALID", problem);
}

/** Returns the first valid ref of: the ref in the manifest, the directory name, the pack name. Throws `SVC_INVALID` if none is valid. */
function toRef({ ref, name }: JsonObject, directoryName: string): string {
	const found = [ref, directoryName, name].find((candidate) => typeof candidate === "string" && refPattern.test(candidate));
	if (typeof found !== "string") {
		throw new SvcError(
			"SVC_INVALID",
			'attribute "ref" is missing, and neither the directory name nor the attribute "name" consists of lower-case letters, digits and underscores',
		);
	}
	if (found === "_global") throw new SvcError("SVC_INVALID", 'attribute "ref" must not be "_global", which is reserved');
	return found;
}

/** Returns the ref that the source of the pack determines. Throws `SVC_INVALID` if the manifest has another ref. */
function toKnownRef(manifest: JsonObject, ref: string): string {
	const own = toRef(manifest, ref);
	if (own !== ref) throw new SvcError("SVC_INVALID", `attribute "ref" must be "${ref}", the name of the pack; it is "${own}"`);
	return own;
}

/** Returns a version with three parts. The YAML numbers 1 and 1.2 mean 1.0.0 and 1.2.0. */
function toVersion(version: string | number): string {
	if (typeof version === "string" && !shortVersionPattern.test(version)) return version;
	const parts = String(version).split(".");
	return [...parts, "0", "0"].slice(0, 3).join(".");
}
