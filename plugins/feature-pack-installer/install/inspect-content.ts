import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ActionEntity, DefinitionFinding, Expressions, RuleEntity, WorkflowDefinitionSupport } from "../../../core/contract/index.ts";
import {
	type DraftedContent,
	findRuleProblems,
	LocatedYaml,
	type NamedAction,
	type PackFileProblem,
	type RuleProblem,
	readPackDirectory,
	resolveEntryPoint,
	splitRef,
	type Uses,
} from "../../../core/feature.ts";

export interface InspectionDependencies extends Uses<"runners" | "dialects"> {
	/** Expressions without a datastore: definitions are inspected, not run. */
	readonly expressions: Expressions;
}

export interface ContentFindings {
	/** Mistakes that no change of other packs or of the configuration can repair. */
	readonly problems: readonly PackFileProblem[];
	/** Mistakes that disappear once other packs are installed or changed. */
	readonly warnings: readonly PackFileProblem[];
}

type Severity = "problem" | "warning" | "nothing";

/**
 * Finds mistakes in the workflows and rules of packs, and in other records that name actions, with file and line. Problems are calls of
 * functions that do not exist, and wrong names of the packs' own actions and parameters. Mistakes that depend on actions of other packs are
 * warnings.
 *
 * @param directories of the packs, by ref
 */
export async function inspectContent(
	parts: InspectionDependencies,
	content: DraftedContent,
	directories: ReadonlyMap<string, string>,
): Promise<ContentFindings> {
	const inspection = new ContentInspection(parts, content, directories);
	for (const action of content.actions) await inspection.definition(action);
	for (const rule of content.rules) await inspection.rule(rule);
	for (const record of content.others) await inspection.namedAction(record);
	return inspection;
}

class ContentInspection implements ContentFindings {
	readonly problems: PackFileProblem[] = [];
	readonly warnings: PackFileProblem[] = [];
	readonly #parts: InspectionDependencies;
	readonly #content: DraftedContent;
	readonly #directories: ReadonlyMap<string, string>;
	readonly #seen = new Set<string>();
	readonly #described = new Map<string, Promise<ReadonlySet<string>>>();

	constructor(parts: InspectionDependencies, content: DraftedContent, directories: ReadonlyMap<string, string>) {
		this.#parts = parts;
		this.#content = content;
		this.#directories = directories;
	}

	/** Inspects the definition in an action's entry point, only once for several actions with the same entry point. */
	async definition({ pack, runner_type, entry_point }: Pick<ActionEntity, "pack" | "runner_type" | "entry_point">): Promise<void> {
		const { runners } = this.#parts;
		const definitions = runners.get(runner_type)?.definitions;
		const directory = this.#directories.get(pack);
		const file = `actions/${entry_point}`;
		if (definitions === undefined || directory === undefined || entry_point === "" || this.#seen.has(`${pack}/${file}`)) return;
		this.#seen.add(`${pack}/${file}`);
		const text = await readFile(await resolveEntryPoint(directory, entry_point), "utf8");
		for (const [severity, finding] of await this.#inspect(definitions, text)) {
			const { type, message, line, spec_path: path } = finding;
			this.#add(severity, { pack, file, message: `${type}: ${message}`, ...(line !== null && { line }), ...(path !== null && { path }) });
		}
	}

	async rule({ pack, metadata_file: file, ...rule }: RuleEntity): Promise<void> {
		const directory = this.#directories.get(pack);
		if (directory === undefined || file === null) return;
		const problems = findRuleProblems(rule, await this.#content.findAction(rule.action_ref));
		if (problems.length === 0) return;
		const yaml = new LocatedYaml(await readFile(join(directory, file), "utf8"));
		for (const problem of problems) {
			const line = yaml.lineOf(problem.path);
			const severity = await this.#ofRule(problem, rule.action_ref);
			this.#add(severity, { pack, file, message: problem.message, path: problem.path.join("."), ...(line !== null && { line }) });
		}
	}

	async namedAction({ pack, metadata_file: file, action_ref: actionRef }: NamedAction): Promise<void> {
		const directory = this.#directories.get(pack);
		if (directory === undefined || file === null || (await this.#content.findAction(actionRef)) !== undefined) return;
		const line = new LocatedYaml(await readFile(join(directory, file), "utf8")).lineOf(["action_ref"]);
		const message = `action "${actionRef}" does not exist`;
		this.#add(await this.#ofMissing(actionRef), { pack, file, message, path: "action_ref", ...(line !== null && { line }) });
	}

	#add(severity: Severity, problem: PackFileProblem): void {
		if (severity === "problem") this.problems.push(problem);
		if (severity === "warning") this.warnings.push(problem);
	}

	/**
	 * Inspects a definition twice: first with the packs' own actions only, then with all actions. Findings that only the second inspection
	 * returns are warnings, because they concern other packs.
	 */
	async #inspect(definitions: WorkflowDefinitionSupport, text: string): Promise<readonly (readonly [Severity, DefinitionFinding])[]> {
		const { expressions } = this.#parts;
		const { findAction } = this.#content;
		const findOwn = async (ref: string) => (this.#isOwn(ref) ? findAction(ref) : undefined);
		const own = await definitions.inspect(text, { expressions, findAction: findOwn });
		const found: (readonly [Severity, DefinitionFinding])[] = [];
		for (const finding of own) if (!this.#isForeign(finding)) found.push([await this.#ofDefinition(finding), finding]);
		if (!own.some((finding) => this.#isForeign(finding))) return found;
		const known = new Set(own.filter((finding) => !this.#isForeign(finding)).map((finding) => JSON.stringify(finding)));
		const all = await definitions.inspect(text, { expressions, findAction });
		const others = all.filter((finding) => finding.type === "content" && !known.has(JSON.stringify(finding)));
		return [...found, ...others.map((finding) => ["warning", finding] as const)];
	}

	#isForeign({ missing_action: ref }: DefinitionFinding): boolean {
		return ref !== undefined && !this.#isOwn(ref);
	}

	async #ofDefinition({ type, missing_action: missing, spec_path, message }: DefinitionFinding): Promise<Severity> {
		if (type === "warning") return "nothing";
		if (missing !== undefined) return this.#ofMissing(missing);
		if (type !== "content") return "problem";
		// An administrator can enable an action or provide a missing input; a wrong name remains wrong.
		const isName = /\.(?:input|parameters|params)\.[^.]+$|\.(?:action|ref)$/.test(spec_path ?? "");
		return isName && !message.endsWith("is disabled.") ? "problem" : "warning";
	}

	async #ofRule({ type }: RuleProblem, actionRef: string): Promise<Severity> {
		if (type === "call") return "problem";
		if (type === "action") return this.#ofMissing(actionRef);
		return type === "parameter" && this.#isOwn(actionRef) ? "problem" : "warning";
	}

	/**
	 * Returns the severity of a missing action. An own action with a metadata file is ignored, because registration reports why it is missing.
	 */
	async #ofMissing(ref: string): Promise<Severity> {
		const pack = splitRef(ref).pack;
		if (!this.#isOwn(ref)) return "warning";
		const described = this.#described.get(pack) ?? this.#describedIn(pack);
		this.#described.set(pack, described);
		return (await described).has(ref) ? "nothing" : "problem";
	}

	async #describedIn(pack: string): Promise<ReadonlySet<string>> {
		const options = { ref: pack, isInstalled: true };
		const { actions } = await readPackDirectory(this.#directories.get(pack) ?? "", this.#parts.dialects, options);
		return new Set(actions.map(({ ref }) => ref));
	}

	#isOwn(ref: string): boolean {
		return this.#directories.has(splitRef(ref).pack);
	}
}
