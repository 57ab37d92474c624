import { readFile, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import type { PackCheck, PackWorkOptions } from "../../cli/pack-work.ts";
import { type PackFinding, toErrorMessage } from "../../contract/index.ts";
import { fileReaders } from "../../features/file-readers.ts";
import {
	findingOf,
	inspectPack,
	LocatedYaml,
	type PackInspection,
	sortFindings,
	toMessagePlace,
} from "../../features/packs/inspect-pack-api.ts";
import { type DraftedPacks, draftPacks, toAbsolute } from "./draft-packs.ts";
import { findPacks } from "./find-packs.ts";
import { inspectDefinitions } from "./inspect-definitions.ts";
import { type StartedTools, withTools } from "./started-tools.ts";

/**
 * Everything that is wrong with packs: file by file, by what the service reads them by; what registration passes over besides, such as a rule with a trigger
 * that there is not; definitions of workflows with the actions that there are; and what runners say of files in their languages.
 */
export async function checkPacks({ directories, config, signal }: PackWorkOptions): Promise<readonly PackCheck[]> {
	const packs = await findPacks(directories);
	const drafted = await draftPacks(config, packs);
	const inspections: PackInspection[] = [];
	for (const directory of packs) inspections.push(await inspectPack(directory, { readers: fileReaders, ...drafted }));
	return withTools(drafted, async (tools) => {
		const checks: PackCheck[] = [];
		for (const inspection of inspections) {
			signal.throwIfAborted();
			const others = [
				...(await toSkipFindings(inspection, drafted)),
				...(await inspectDefinitions(inspection, drafted, inspections)),
				...(await inspectByRunners(inspection, tools, signal)),
			];
			const { ref: pack, directory, findings } = inspection;
			checks.push({ pack, directory, findings: sortFindings([...findings, ...others]) });
		}
		return checks;
	});
}

/** What is wrong with a file in itself has been told; what is left is wrong with what it needs. */
async function toSkipFindings({ directory, findings }: PackInspection, { skipped }: DraftedPacks): Promise<readonly PackFinding[]> {
	const root = await realpath(directory);
	const broken = new Set(findings.filter(({ type }) => type === "error").map(({ file }) => file));
	const found: PackFinding[] = [];
	for (const skip of skipped) {
		const file = relative(root, toAbsolute(skip, root)).replaceAll("\\", "/");
		if (file === "" || file.startsWith("..") || broken.has(file)) continue;
		found.push(await locate(root, file, skip.message));
	}
	return found;
}

async function locate(root: string, file: string, message: string): Promise<PackFinding> {
	const text = await readFile(join(root, file), "utf8").catch(() => "");
	const yaml = new LocatedYaml(text);
	const place = yaml.value === undefined ? undefined : toMessagePlace(message, yaml.value);
	if (place === undefined) return findingOf("error", file, message);
	return { type: "error", file, line: yaml.lineOf(place.path), path: place.path.join("."), message: place.message };
}

async function inspectByRunners(
	{ ref, directory }: PackInspection,
	started: readonly StartedTools[],
	signal: AbortSignal,
): Promise<readonly PackFinding[]> {
	const found: PackFinding[] = [];
	for (const { runner, tools, failure } of started) {
		const toNote = (error: unknown) =>
			findingOf("note", "", `files for the runner "${runner}" were not looked at: ${toErrorMessage(error)}`);
		try {
			if (tools === undefined) throw failure;
			found.push(...((await tools.inspect?.({ pack: ref, directory, signal })) ?? []));
		} catch (error) {
			signal.throwIfAborted();
			found.push(toNote(error));
		}
	}
	return found;
}
