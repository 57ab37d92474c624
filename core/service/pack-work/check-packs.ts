import { realpath } from "node:fs/promises";
import { relative } from "node:path";
import type { PackCheck, PackWorkOptions } from "../../cli/pack-work.ts";
import { type PackFinding, toErrorMessage } from "../../contract/index.ts";
import { fileReaders } from "../../features/file-readers.ts";
import { findingOf, inspectPack, locateRefused, type PackInspection, sortFindings } from "../../features/packs/inspect-pack-api.ts";
import { type DraftedPacks, draftPacks, toAbsolute } from "./draft-packs.ts";
import { findPacks } from "./find-packs.ts";
import { findKnownActions, inspectDefinitions } from "./inspect-definitions.ts";
import { inspectRules } from "./inspect-rules.ts";
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
	const known = await findKnownActions(drafted, inspections);
	return withTools(drafted, async (tools) => {
		const checks: PackCheck[] = [];
		for (const inspection of inspections) {
			signal.throwIfAborted();
			const others = [
				...(await toSkipFindings(inspection, drafted)),
				...(await inspectDefinitions(inspection, drafted, known)),
				...(await inspectRules(inspection, drafted, known)),
				...(await inspectByRunners(inspection, tools, signal)),
			];
			const { ref: pack, directory, findings } = inspection;
			checks.push({ pack, directory, findings: sortFindings([...findings, ...others]) });
		}
		return checks;
	});
}

/** What registration does not take, where that has not been told yet. */
async function toSkipFindings({ directory, findings }: PackInspection, { skipped }: DraftedPacks): Promise<readonly PackFinding[]> {
	const root = await realpath(directory);
	const refused = skipped
		.map((skip) => ({ file: relative(root, toAbsolute(skip, root)).replaceAll("\\", "/"), message: skip.message }))
		.filter(({ file }) => file !== "" && !file.startsWith(".."));
	return locateRefused({ directory: root, findings }, refused);
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
