import { basename } from "node:path";
import { isJsonObject, type JsonObject } from "../../../contract/index.ts";
import type { Dialects } from "../../../language/dialects.ts";
import { didYouMean } from "../../../lib/did-you-mean.ts";
import { assertPlatform, manifestAttributes, toPack } from "../reading/manifest.ts";
import { locatedFinding } from "./findings.ts";
import { inspectFile } from "./inspect-file.ts";

/** Attributes that the service sets, or that are only for human readers. */
const others: ReadonlySet<string> = new Set(["system", "files", "path", "uid", "id", "homepage", "license", "repo_url"]);
const standIns: JsonObject = { name: "any_name", description: "any", version: "1.0.0", author: "any", ref: "any_pack" };

/**
 * Finds the problems of a `pack.yaml`. Returns them with the ref of the pack, or with a substitute if the manifest contains no valid one.
 */
export async function inspectManifest(directory: string, dialects: Dialects) {
	const file = "pack.yaml";
	const read = (manifest: JsonObject) => {
		toPack(manifest, directory);
		assertPlatform(manifest);
	};
	const { findings, metadata, yaml } = await inspectFile({ directory, file, dialects }, { kind: "pack", read, standIns });
	const known = Object.keys(manifestAttributes);
	const unknown = Object.keys(metadata ?? {}).filter((name) => !known.includes(name) && !others.has(name));
	const notes = unknown.map((name) => {
		const message = `attribute "${name.slice(0, 100)}" is unknown and has no effect${didYouMean(name, known)}`;
		return yaml === undefined ? undefined : locatedFinding(file, yaml, { path: [name], message }, "note");
	});
	return { findings: [...findings, ...notes.filter((note) => note !== undefined)], ref: toRef(metadata, directory) };
}

/** Returns the ref of the pack, or the closest valid name, so that its files can be inspected even if the manifest is wrong. */
function toRef(metadata: JsonObject | undefined, directory: string): string {
	if (isJsonObject(metadata)) {
		try {
			const { ref } = metadata;
			return toPack({ ...standIns, ref: typeof ref === "string" ? ref : null }, directory).ref;
		} catch {
			// Fall back to the name of the directory.
		}
	}
	const name = basename(directory)
		.toLowerCase()
		.replaceAll(/[^a-z0-9_]/g, "_");
	return name === "" ? "any_pack" : name;
}
