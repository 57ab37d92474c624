import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PackFinding } from "../../../contract/index.ts";
import { findingOf, locatedFinding, sortFindings } from "./findings.ts";
import { inspectConfig } from "./inspect-config.ts";
import { type FoldersOfPack, inspectFolders } from "./inspect-folders.ts";
import { inspectManifest } from "./inspect-manifest.ts";
import { LocatedYaml } from "./located-yaml.ts";
import { toMessagePlace } from "./message-path.ts";

export interface RefusedFile {
	/** Path relative to the pack. */
	readonly file: string;
	/** Message of the first problem, at which registration stopped. */
	readonly message: string;
}

/** Maximum number of files that are inspected. Authors who fix these will try again. */
const maxFiles = 50;

/**
 * Returns all errors in files that registration has refused, sorted by file and line. Registration itself stops at the first problem in
 * each file.
 */
export async function explainRefused(pack: Omit<FoldersOfPack, "files">, refused: readonly RefusedFile[]): Promise<readonly PackFinding[]> {
	const first = [...new Map(refused.map((one) => [one.file, one])).values()].slice(0, maxFiles);
	const files = first.map(({ file }) => file);
	const all = [
		...(files.includes("pack.yaml") ? (await inspectManifest(pack.directory, pack.dialects)).findings : []),
		...(await inspectFolders({ ...pack, files })).findings,
		...(await inspectConfig({ ...pack, files })),
	];
	const findings = all.filter(({ type }) => type === "error");
	return sortFindings([...findings, ...(await locateRefused({ ...pack, findings }, first))]);
}

/** Returns a finding for each refused file without errors of its own. The reason is then something that the file depends on. */
export async function locateRefused(
	{ directory, findings }: { readonly directory: string; readonly findings: readonly PackFinding[] },
	refused: readonly RefusedFile[],
): Promise<readonly PackFinding[]> {
	const broken = new Set(findings.filter(({ type }) => type === "error").map(({ file }) => file));
	return Promise.all(refused.filter(({ file }) => !broken.has(file)).map((one) => locate(directory, one)));
}

async function locate(directory: string, { file, message }: RefusedFile): Promise<PackFinding> {
	const text = await readFile(join(directory, file), "utf8").catch(() => "");
	const yaml = new LocatedYaml(text);
	const parametersAt = file === "config.schema.yaml" ? [] : undefined;
	const place = yaml.value === undefined ? undefined : toMessagePlace(message, yaml.value, parametersAt);
	return place === undefined ? findingOf("error", file, message) : locatedFinding(file, yaml, place);
}
