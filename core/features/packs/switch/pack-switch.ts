import {
	type ActionAliasEntity,
	type ActionEntity,
	type ActionSignature,
	isSvcError,
	type RuleEntity,
	SvcError,
	type WriteOperation,
} from "../../../contract/index.ts";
import type { Uses } from "../../../kernel/basics/engine-parts.ts";
import type { Principal } from "../../../kernel/basics/principal.ts";
import { splitRef } from "../../../kernel/basics/refs.ts";
import { findActionSignature, toActionSignature } from "../../../kernel/executions/action-catalog.ts";
import type { ExtensionPoints } from "../../../kernel/extension-points.ts";
import type { Kernel } from "../../../kernel/kernel.ts";
import type { EngineDependencies } from "../../../kernel/plugins/engine-dependencies.ts";
import type { FileReader } from "../file-reader-api.ts";
import { explainRefused, locateRefused } from "../inspect/explain-refused.ts";
import { type PackFileProblem, toProblems, toProblemsError } from "../reading/pack-problems.ts";
import type { ChosenPacks, PackVersion, RegisteredKind } from "../registration/chosen-packs.ts";
import { RegistrationReport } from "../registration/registration-report.ts";
import { removeGone, removeResources, removeUnusedTriggers } from "../registration/remove-records.ts";
import { returnTriggers, toOperations } from "./pack-changes.ts";
import { PackDraft } from "./pack-draft.ts";

export interface PackSwitchOptions extends Uses<"storage" | "logger" | "dialects">, Pick<Kernel, "catalog" | "dependencies"> {
	/** How files are looked at for all that is wrong with them, once one has been refused. */
	readonly readers: readonly FileReader[];
	/** As of the kernel. */
	readonly extensions: Pick<ExtensionPoints, "draft" | "isBuiltInRunner">;
	/** Of installed packs: what keeps their content in the storage, and refuses the write where it has gone. */
	readonly keep?: (content: string) => readonly WriteOperation[];
}

export interface SwitchOptions {
	/** Default: everything. What files no longer say goes only then. */
	readonly kinds?: ReadonlySet<RegisteredKind> | undefined;
	/** What is the site's is a problem too: runner types that are not configured, values that a schema does not allow. Default false: notes. */
	readonly isStrict?: boolean;
	/** Refuse everything where one file cannot be used. Default true. */
	readonly failOnFailure?: boolean;
	/** What has come from files that are no more goes. Default true. */
	readonly removeGone?: boolean;
	/** What is written together with the packs, where anything of them changes. Default: nothing else. */
	readonly alongside?: readonly WriteOperation[];
	/** Needs the permissions on everything that the packs concern outside of themselves; undefined: the site, which has all. */
	readonly principal?: Principal | undefined;
}

/** What has been registered. */
export interface SwitchOutcome {
	readonly report: RegistrationReport;
	/** Files that could not be used; their records are what they were. */
	readonly problems: readonly PackFileProblem[];
	/** What does not keep packs from being used. */
	readonly notes: readonly PackFileProblem[];
}

/** Content that packs would bring. */
export interface DraftedContent {
	readonly actions: readonly ActionEntity[];
	readonly rules: readonly RuleEntity[];
	readonly aliases: readonly ActionAliasEntity[];
	/** Finds an action as it would be: of these packs by their files, of all others by what is stored. */
	findAction(ref: string): Promise<ActionSignature | undefined>;
}

/** Times a switch is drafted anew as somebody has changed the same records at the same moment. */
const attempts = 10;

/**
 * Makes the records of packs say what their files say, in one write: nobody sees half of a pack, and what goes wrong before leaves what
 * was there. They are registered by the code of a start, in a copy of the records; what has changed there is written.
 */
export class PackSwitch {
	readonly #parts: PackSwitchOptions;

	constructor(parts: PackSwitchOptions) {
		this.#parts = parts;
	}

	/**
	 * Have packs be what their files say from now on, all of them or none.
	 *
	 * `SVC_INVALID` tells every problem of their files (facts: `problems`); `SVC_FORBIDDEN` names a permission that the principal lacks on
	 * what a file concerns outside of its pack; `SVC_CONFLICT` when one has become another one than `expected`.
	 */
	apply(versions: readonly PackVersion[], options: SwitchOptions = {}): Promise<SwitchOutcome> {
		const refs = versions.map(({ pack }) => pack);
		return this.#commit(refs, { versions, ...options }, (draft) => this.#register(draft, versions, options));
	}

	/** Checks whether packs could be what their files say, as `apply` does, and changes nothing. Returns what they would bring. */
	async check(versions: readonly PackVersion[], options: Pick<SwitchOptions, "principal"> = {}): Promise<DraftedContent> {
		const { storage, catalog } = this.#parts;
		const packs = versions.map(({ pack }) => pack);
		const draft = await PackDraft.of(storage, packs);
		assertNotBuiltIn(draft);
		await this.#register(draft, versions, options);
		const isOwn = ({ pack }: { readonly pack: string }) => packs.includes(pack);
		const actions = draft.storage.all("action").filter(isOwn);
		const types = new Map(draft.storage.all("runner_type").map((type) => [type.name, type]));
		return {
			actions,
			rules: draft.storage.all("rule").filter(isOwn),
			aliases: draft.storage.all("action_alias").filter(isOwn),
			async findAction(ref) {
				if (!isOwn({ pack: splitRef(ref).pack })) return findActionSignature(catalog, ref);
				const action = actions.find((one) => one.ref === ref);
				const type = action && types.get(action.runner_type);
				return type && toActionSignature(action, type);
			},
		};
	}

	/** Everything of packs goes, what was made over the API too. What runs goes on. */
	async remove(packs: readonly string[]): Promise<void> {
		await this.#commit(packs, { versions: [] }, async (draft) => {
			await this.#clear(draft, packs);
			await draft.storage.remove("pack", { where: { ref: { in: packs } } });
		});
	}

	/** Everything of packs goes but their records and files, by which they can be registered again. */
	async unload(packs: readonly string[]): Promise<void> {
		await this.#commit(packs, { versions: [] }, async (draft) => {
			await this.#clear(draft, packs);
			for (const { id } of draft.allBefore("pack")) await draft.storage.update("pack", id, { registration: null });
		});
	}

	async #clear(draft: PackDraft, packs: readonly string[]): Promise<void> {
		const report = new RegistrationReport();
		await this.#draft(draft, { versions: [], kinds: undefined, report });
		await removeResources(draft.storage, report, packs);
		await removeUnusedTriggers(draft.storage, packs);
	}

	async #register(draft: PackDraft, versions: readonly PackVersion[], options: SwitchOptions): Promise<SwitchOutcome> {
		const { kinds, failOnFailure = true, removeGone: isRemoving = true, isStrict = false, principal } = options;
		const report = new RegistrationReport({ isStrict });
		assertExpected(draft, versions);
		await this.#draft(draft, { versions, kinds, report, principal });
		const problems = toProblems(versions, report.problems);
		if (failOnFailure && problems.length > 0) throw toProblemsError(await this.#explain(draft, versions, problems));
		if (isRemoving && kinds === undefined) await removeGone(draft.storage, report, versions);
		return { report, problems, notes: await locateNotes(versions, toProblems(versions, report.notes)) };
	}

	/** Every fault of the files that were refused, with its place. What lies outside of packs stays as it was told. */
	async #explain(
		{ storage }: PackDraft,
		versions: readonly PackVersion[],
		problems: readonly PackFileProblem[],
	): Promise<readonly PackFileProblem[]> {
		const { dialects, readers, extensions } = this.#parts;
		const types = (await storage.find("runner_type", {})).filter(({ name }) => !extensions.isBuiltInRunner(name));
		const runnerTypes = new Map(types.map((type) => [type.name, { parameters: type.runner_parameters, entryPoint: "optional" } as const]));
		const explained = problems.filter(({ pack }) => pack === "");
		for (const { pack, directory } of versions) {
			const refused = problems.filter((problem) => problem.pack === pack);
			const findings = await explainRefused({ pack, directory, readers, runnerTypes, dialects }, refused);
			for (const { file, line, path, message } of findings)
				explained.push({ pack, file, message, ...(line !== null && { line }), ...(path !== null && { path }) });
		}
		return explained;
	}

	#draft({ storage }: PackDraft, chosenPacks: ChosenPacks): Promise<void> {
		return this.#parts.extensions.draft(storage, { chosenPacks, logger: toQuiet(this.#parts.dependencies.logger) });
	}

	/** Draft, and write what has changed; again where somebody else was quicker. */
	async #commit<T>(
		packs: readonly string[],
		{ versions, alongside = [] }: Pick<SwitchOptions, "alongside"> & { readonly versions: readonly PackVersion[] },
		change: (draft: PackDraft) => Promise<T>,
	): Promise<T> {
		const { storage, catalog, logger, keep } = this.#parts;
		const contents = new Set(versions.flatMap(({ content }) => content ?? []));
		const kept = [...contents].flatMap((content) => keep?.(content) ?? []);
		for (let attempt = 1; ; attempt += 1) {
			const draft = await PackDraft.of(storage, packs);
			assertNotBuiltIn(draft);
			const outcome = await change(draft);
			const operations = await toOperations(draft, packs, storage);
			try {
				if (operations.length > 0) await storage.write([...operations, ...kept, ...alongside]);
			} catch (error) {
				if (!isSvcError(error, "SVC_CONFLICT") || attempt === attempts) throw error;
				continue;
			}
			catalog.invalidate();
			// What was asked for has happened, whatever becomes of this.
			await returnTriggers(draft, storage).catch((error: unknown) => logger.error("triggers could not be looked after", { packs, error }));
			return outcome;
		}
	}
}

/** Packs without files belong to the service. */
function assertNotBuiltIn(draft: PackDraft): void {
	const found = draft.allBefore("pack").find(({ path, content }) => path === null && content === null);
	if (found !== undefined)
		throw new SvcError("SVC_INVALID", `pack "${found.ref}" belongs to the service, and cannot be changed or removed`);
}

/** The notes with line and member, as far as their messages name one. */
async function locateNotes(versions: readonly PackVersion[], notes: readonly PackFileProblem[]): Promise<readonly PackFileProblem[]> {
	const located = notes.map(async (note) => {
		const version = versions.find(({ pack }) => pack === note.pack);
		if (version === undefined) return note;
		const [finding] = await locateRefused({ directory: version.directory, findings: [] }, [note]);
		return { ...note, ...(finding?.line != null && { line: finding.line }), ...(finding?.path != null && { path: finding.path }) };
	});
	return Promise.all(located);
}

/** What was decided for a pack that is another one by now is decided anew by whoever did. */
function assertExpected(draft: PackDraft, versions: readonly PackVersion[]): void {
	const known = new Map(draft.allBefore("pack").map((pack) => [pack.ref, pack]));
	for (const { pack, expected } of versions) {
		if (expected === undefined || expected === (known.get(pack)?.content ?? null)) continue;
		throw new SvcError("SVC_CONFLICT", `pack "${pack}" was changed by another installation at the same time`);
	}
}

/** What is wrong with packs is told in the report. */
function toQuiet(logger: EngineDependencies["logger"]): EngineDependencies["logger"] {
	const quiet: EngineDependencies["logger"] = {
		debug: () => {},
		info: () => {},
		warn: (message, fields) => logger.debug(message, fields),
		error: (message, fields) => logger.error(message, fields),
		addSecret: (value, options) => logger.addSecret(value, options),
		forgetSecret: (value) => logger.forgetSecret(value),
		withTag: () => quiet,
	};
	return quiet;
}
