import { readFile, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import type { PackCheck, PackOperationOptions } from "../../core/cli.ts";
import { type EntityKind, type PackFinding, type Storage, toErrorMessage } from "../../core/contract/index.ts";
import {
	findingOf,
	findRuleProblems,
	isDefinedKind,
	LocatedYaml,
	locateRefused,
	type NamedAction,
	type RuleProblem,
	sortFindings,
	splitRef,
	toActionSignature,
} from "../../core/feature.ts";
import { type DryRunPacks, dryRunPacks, toAbsolute } from "./dry-run-packs.ts";
import { findPacks } from "./find-packs.ts";
import { findKnownActions, inspectDefinitions, type KnownActions } from "./inspect-definitions.ts";
import { inspectPack, type PackInspection } from "./inspect-pack.ts";
import { type PackToolsResult, withPackTools } from "./pack-tools.ts";

/**
 * Returns all problems of packs. Reads each file with the code of the service. Also reports files that registration skips, such as a rule
 * with an unknown trigger. Checks workflow definitions against the registered actions, and lets runners check files in their languages.
 */
export async function checkPacks({ directories, config, signal }: PackOperationOptions): Promise<readonly PackCheck[]> {
	const packs = await findPacks(directories);
	const drafted = await dryRunPacks(config, packs);
	const inspections: PackInspection[] = [];
	for (const directory of packs) inspections.push(await inspectPack(directory, { readers: drafted.config.fileReaders, ...drafted }));
	const known = await findKnownActions(drafted, inspections);
	return withPackTools(drafted, async (tools) => {
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

/** Returns findings for files that registration skips and that have no finding yet. */
async function toSkipFindings({ directory, findings }: PackInspection, { skipped }: DryRunPacks): Promise<readonly PackFinding[]> {
	const root = await realpath(directory);
	const refused = skipped
		.map((skip) => ({ file: relative(root, toAbsolute(skip, root)).replaceAll("\\", "/"), message: skip.message }))
		.filter(({ file }) => file !== "" && !file.startsWith(".."));
	return locateRefused({ directory: root, findings }, refused);
}

async function inspectByRunners(
	{ ref, directory }: PackInspection,
	started: readonly PackToolsResult[],
	signal: AbortSignal,
): Promise<readonly PackFinding[]> {
	const found: PackFinding[] = [];
	for (const { runner, tools, failure } of started) {
		const toNote = (error: unknown) => findingOf("note", "", `files for the runner "${runner}" were not checked: ${toErrorMessage(error)}`);
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

/**
 * Returns findings about rules and other records of a pack that do not match their actions, and about unknown functions in rule templates.
 */
export async function inspectRules(
	{ ref: pack, directory }: PackInspection,
	{ storage, config }: DryRunPacks,
	known: KnownActions,
): Promise<readonly PackFinding[]> {
	const found: PackFinding[] = [];
	const findAction = async (ref: string) => {
		const [action] = await storage.find("action", { where: { ref }, limit: 1 });
		const [type] = action === undefined ? [] : await storage.find("runner_type", { where: { name: action.runner_type }, limit: 1 });
		return action && type && toActionSignature(action, type);
	};
	for (const { metadata_file: file, ...rule } of await storage.find("rule", { where: { pack } })) {
		const problems = findRuleProblems(rule, await findAction(rule.action_ref));
		if (file !== null) found.push(...(await locate(directory, file, problems, (problem) => typeOf(problem, rule.action_ref, known))));
	}
	for (const { kind, namesAction = false } of config.fileReaders) {
		if (!namesAction || !isDefinedKind(kind)) continue;
		for (const { metadata_file: file, action_ref: ref } of await findNamedActions(storage, kind, pack)) {
			const problems = (await findAction(ref)) === undefined ? [{ path: ["action_ref"], message: `action "${ref}" does not exist` }] : [];
			if (file !== null) found.push(...(await locate(directory, file, problems, () => typeOf({ type: "action" }, ref, known))));
		}
	}
	return found;
}

async function findNamedActions(storage: Storage, kind: EntityKind, pack: string): Promise<readonly NamedAction[]> {
	return (await storage.find(kind, { where: { pack } as object })) as unknown as readonly NamedAction[];
}

type Located = Pick<RuleProblem, "path" | "message">;

async function locate<P extends Located>(
	directory: string,
	file: string,
	problems: readonly P[],
	toType: (problem: P) => PackFinding["type"] | undefined,
): Promise<readonly PackFinding[]> {
	if (problems.length === 0) return [];
	const yaml = new LocatedYaml(await readFile(join(directory, file), "utf8"));
	return problems.flatMap((problem) => {
		const type = toType(problem);
		if (type === undefined) return [];
		return [{ ...findingOf(type, file, problem.message, yaml.lineOf(problem.path)), path: problem.path.join(".") }];
	});
}

/**
 * Returns the type of a finding. Returns undefined for an unknown action that has a file: the problem is in that file and is reported for
 * it.
 */
function typeOf({ type }: Pick<RuleProblem, "type">, ref: string, { packs, described }: KnownActions): PackFinding["type"] | undefined {
	if (type === "other") return "note";
	if (type !== "action") return "error";
	if (described.has(ref)) return undefined;
	// An unknown pack is only a note: it may be installed where the rule will run.
	return packs.has(splitRef(ref).pack) ? "error" : "note";
}
