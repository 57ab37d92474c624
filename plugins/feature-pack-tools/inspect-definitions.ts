import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DefinitionFinding, PackFinding } from "../../core/contract/index.ts";
import { findingOf } from "../../core/feature.ts";
import type { DryRunPacks } from "./dry-run-packs.ts";
import type { PackInspection } from "./inspect-pack.ts";

/** A workflow definition that is the entry point of an action. */
export interface PackDefinition {
	/** Path in the pack. */
	readonly file: string;
	readonly runner: string;
	readonly text: string;
}

/** Returns the workflow definitions of a pack, each once. */
export async function findDefinitions({ directory, files, metadata }: PackInspection, { runners }: Pick<DryRunPacks, "runners">) {
	const found = new Map<string, PackDefinition>();
	for (const { runner_type, entry_point } of metadata.values()) {
		const [runner, file] = [String(runner_type), `actions/${String(entry_point)}`];
		if (runners.get(runner)?.definitions === undefined || !files.includes(file)) continue;
		found.set(file, { file, runner, text: await readFile(join(directory, file), "utf8") });
	}
	return [...found.values()];
}

/** Returns the packs and actions to which definitions and rules may refer: registered ones and those inspected together. */
export async function findKnownActions({ storage }: DryRunPacks, all: readonly PackInspection[]): Promise<KnownActions> {
	const registered = (await storage.find("pack", { fields: ["ref"] })).map(({ ref }) => ref);
	return { packs: new Set([...registered, ...all.map(({ ref }) => ref)]), described: new Set(all.flatMap(toActionRefs)) };
}

/** Returns the problems of the workflow definitions of a pack, checked against the registered actions. */
export async function inspectDefinitions(
	inspection: PackInspection,
	drafted: DryRunPacks,
	known: KnownActions,
): Promise<readonly PackFinding[]> {
	const { engine } = drafted;
	const found: PackFinding[] = [];
	for (const { file, runner, text } of await findDefinitions(inspection, drafted)) {
		const findings = (await engine.workflows?.inspect(text, { runner })) ?? [];
		found.push(...findings.flatMap((finding) => toFindings(file, finding, known)));
	}
	return found;
}

function toActionRefs({ ref, metadata }: PackInspection): readonly string[] {
	return [...metadata].filter(([file]) => file.startsWith("actions/")).map(([, { name }]) => `${ref}.${String(name)}`);
}

export interface KnownActions {
	/** Refs of packs that are available. */
	readonly packs: ReadonlySet<string>;
	/** Refs of actions that have a metadata file. */
	readonly described: ReadonlySet<string>;
}

function toFindings(
	file: string,
	{ type, message, line, spec_path, missing_action: ref }: DefinitionFinding,
	{ packs, described }: KnownActions,
): readonly PackFinding[] {
	if (ref !== undefined) {
		// A problem of the action's own file is reported for that file.
		if (described.has(ref)) return [];
		const pack = ref.split(".")[0] ?? "";
		// An unknown pack is only a note: it may be installed where the workflow will run.
		if (!packs.has(pack))
			return [{ ...findingOf("note", file, `the pack "${pack}" is not available: its actions were not checked`, line), path: spec_path }];
	}
	return [{ type: type === "warning" ? "note" : "error", file, line, path: spec_path, message: `${type}: ${message}` }];
}
