import {
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
import type { FileReader } from "../file-reader-exports.ts";
import { explainRefused, locateRefused } from "../inspect/explain-refused.ts";
import { isDefinedKind, type NamedAction } from "../named-actions-exports.ts";
import { type PackFileProblem, toProblems, toProblemsError } from "../reading/pack-problems.ts";
import type { ChosenPacks, PackVersion, RegisteredKind } from "../registration/chosen-packs.ts";
import { RegistrationReport } from "../registration/registration-report.ts";
import { removeGone, removeResources, removeUnusedTriggers } from "../registration/remove-records.ts";
import { returnTriggers, toOperations } from "./pack-changes.ts";
import { PackDraft } from "./registration-dry-run.ts";

export interface PackSwitchDependencies extends Uses<"storage" | "logger" | "dialects">, Pick<Kernel, "catalog" | "dependencies"> {
	/** Readers that find all problems of the files that registration has refused. */
	readonly readers: readonly FileReader[];
	readonly extensions: Pick<ExtensionPoints, "draft" | "isBuiltInRunner">;
	/** Returns operations that keep the content of installed packs in the storage. They make the write fail if the content was removed. */
	readonly keep?: (content: string) => readonly WriteOperation[];
}

/** Options of a registration. */
export interface SwitchOptions {
	/** Kinds to register. Default: all kinds. If kinds are given, records without a file are not removed. */
	readonly kinds?: ReadonlySet<RegisteredKind> | undefined;
	/**
	 * True if problems of the installation reject a pack: runner types that are not configured, and configuration values that violate the
	 * schema. Default: false, which reports them as notes.
	 */
	readonly isStrict?: boolean;
	/** True to reject all packs if one file is invalid. Default: true. */
	readonly failOnFailure?: boolean;
	/** True to remove records whose files no longer exist. Default: true. */
	readonly removeGone?: boolean;
	/** Operations that are written together with the packs, if the packs change. Default: none. */
	readonly alongside?: readonly WriteOperation[];
	/** Principal whose permissions on content of other packs are checked. Undefined if the configuration requests the change. */
	readonly principal?: Principal | undefined;
}

/** Result of a registration. */
export interface SwitchOutcome {
	readonly report: RegistrationReport;
	/** Problems of invalid files. Their records are unchanged. */
	readonly problems: readonly PackFileProblem[];
	/** Problems that do not prevent using the packs. */
	readonly notes: readonly PackFileProblem[];
}

/** Content that a registration of packs would create. */
export interface DraftedContent {
	readonly actions: readonly ActionEntity[];
	readonly rules: readonly RuleEntity[];
	/** Other records that name an action. */
	readonly others: readonly NamedAction[];
	/** Finds an action: for the checked packs in their files, for all other packs in the storage. */
	findAction(ref: string): Promise<ActionSignature | undefined>;
}

/** Maximum attempts of a switch if concurrent writes change the same records. */
const attempts = 10;

/**
 * Updates the records of packs to match their files, in one write. Readers therefore never see a partly registered pack, and a failure
 * before the write changes nothing. The registration of a startup runs on a copy of the records; the differences are then written.
 */
export class PackActivator {
	readonly #parts: PackSwitchDependencies;

	constructor(parts: PackSwitchDependencies) {
		this.#parts = parts;
	}

	/**
	 * Updates the records of packs to match their files, of all packs or of none.
	 *
	 * Throws `SVC_INVALID` with every problem of the files (facts: `problems`). Throws `SVC_FORBIDDEN`, which names the missing permission
	 * of the principal on content of other packs. Throws `SVC_CONFLICT` if the content of a pack is no longer `expected`.
	 */
	apply(versions: readonly PackVersion[], options: SwitchOptions = {}): Promise<SwitchOutcome> {
		const refs = versions.map(({ pack }) => pack);
		return this.#commit(refs, { versions, ...options }, (draft) => this.#register(draft, versions, options));
	}

	/** Runs the checks of `apply` without changing anything. Returns the content that `apply` would create. Throws like `apply`. */
	async check(versions: readonly PackVersion[], options: Pick<SwitchOptions, "principal"> = {}): Promise<DraftedContent> {
		const { storage, catalog, readers } = this.#parts;
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
			others: readers.flatMap(({ kind, namesAction = false }) =>
				namesAction && isDefinedKind(kind) ? (draft.storage.all(kind) as unknown as readonly NamedAction[]).filter(isOwn) : [],
			),
			async findAction(ref) {
				if (!isOwn({ pack: splitRef(ref).pack })) return findActionSignature(catalog, ref);
				const action = actions.find((one) => one.ref === ref);
				const type = action && types.get(action.runner_type);
				return type && toActionSignature(action, type);
			},
		};
	}

	/** Removes packs and all their records, including those created through the API. Running executions continue. */
	async remove(packs: readonly string[]): Promise<void> {
		await this.#commit(packs, { versions: [] }, async (draft) => {
			await this.#clear(draft, packs);
			await draft.storage.remove("pack", { where: { ref: { in: packs } } });
		});
	}

	/** Removes all content of packs except the pack records and files, so that the packs can be registered again. */
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

	/** Returns all problems of the rejected files, with line and member. Problems outside of packs are returned unchanged. */
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

	/** Drafts a change and writes the differences. Repeats both if a concurrent write changed the same records. */
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
			// The change is already stored, so a failure here must not fail the request.
			await returnTriggers(draft, storage).catch((error: unknown) => logger.error("updating triggers failed", { packs, error }));
			return outcome;
		}
	}
}

/** Throws `SVC_INVALID` for a built-in pack. Packs without files are built in. */
function assertNotBuiltIn(draft: PackDraft): void {
	const found = draft.allBefore("pack").find(({ path, content }) => path === null && content === null);
	if (found !== undefined) throw new SvcError("SVC_INVALID", `pack "${found.ref}" is built in and cannot be changed or removed`);
}

/** Returns the notes with line and member, if their messages name a member. */
async function locateNotes(versions: readonly PackVersion[], notes: readonly PackFileProblem[]): Promise<readonly PackFileProblem[]> {
	const located = notes.map(async (note) => {
		const version = versions.find(({ pack }) => pack === note.pack);
		if (version === undefined) return note;
		const [finding] = await locateRefused({ directory: version.directory, findings: [] }, [note]);
		return { ...note, ...(finding?.line != null && { line: finding.line }), ...(finding?.path != null && { path: finding.path }) };
	});
	return Promise.all(located);
}

/** Throws `SVC_CONFLICT` if the content of a pack is not the expected one. The caller must then decide again. */
function assertExpected(draft: PackDraft, versions: readonly PackVersion[]): void {
	const known = new Map(draft.allBefore("pack").map((pack) => [pack.ref, pack]));
	for (const { pack, expected } of versions) {
		if (expected === undefined || expected === (known.get(pack)?.content ?? null)) continue;
		throw new SvcError("SVC_CONFLICT", `pack "${pack}" was changed by a concurrent installation`);
	}
}

/**
 * Returns a logger that drops debug and info messages and writes warnings at debug level, because the report contains the problems of
 * packs.
 */
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
