import { isSvcError, type Logger, type Storage, SvcError, type WriteOperation } from "../../contract/index.ts";
import type { Catalog } from "../../kernel/executions/catalog.ts";
import type { EngineDependencies } from "../../kernel/plugins/dependencies.ts";
import type { Draft } from "../../kernel/seams.ts";
import type { ChosenPacks, PackVersion, RegisteredKind } from "./chosen-packs.ts";
import { returnTriggers, toOperations } from "./pack-changes.ts";
import { PackDraft } from "./pack-draft.ts";
import { type PackFileProblem, toProblems, toProblemsError } from "./pack-problems.ts";
import { RegistrationReport } from "./registration-report.ts";
import { removeAll, removeGone, removeUnusedTriggers } from "./remove-records.ts";

export interface PackSwitchParts {
	readonly storage: Storage;
	readonly logger: Logger;
	readonly catalog: Catalog;
	readonly dependencies: EngineDependencies;
	/** As of the kernel. */
	readonly seams: { readonly draft: Draft };
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
}

/** What has been registered. */
export interface SwitchOutcome {
	readonly report: RegistrationReport;
	/** Files that could not be used; their records are what they were. */
	readonly problems: readonly PackFileProblem[];
	/** What does not keep packs from being used. */
	readonly notes: readonly PackFileProblem[];
}

/** Times a switch is drafted anew as somebody has changed the same records at the same moment. */
const attempts = 10;

/**
 * Makes the records of packs say what their files say, in one write: nobody sees half of a pack, and what goes wrong before leaves what
 * was there. They are registered by the code of a start, in a copy of the records; what has changed there is written.
 */
export class PackSwitch {
	readonly #parts: PackSwitchParts;

	constructor(parts: PackSwitchParts) {
		this.#parts = parts;
	}

	/**
	 * Have packs be what their files say from now on, all of them or none.
	 *
	 * `SVC_INVALID` tells every problem of their files (facts: `problems`); `SVC_CONFLICT` when one has become another one than `expected`.
	 */
	apply(versions: readonly PackVersion[], options: SwitchOptions = {}): Promise<SwitchOutcome> {
		const refs = versions.map(({ pack }) => pack);
		return this.#commit(refs, versions, (draft) => this.#register(draft, versions, options));
	}

	/** Everything of packs goes, what was made over the API too. What runs goes on. */
	async remove(packs: readonly string[]): Promise<void> {
		await this.#commit(packs, [], async (draft) => {
			const report = new RegistrationReport();
			await this.#draft(draft, { versions: [], kinds: undefined, report });
			await removeAll(draft.storage, report, packs);
			await removeUnusedTriggers(draft.storage, packs);
		});
	}

	async #register(draft: PackDraft, versions: readonly PackVersion[], options: SwitchOptions): Promise<SwitchOutcome> {
		const { kinds, failOnFailure = true, removeGone: isRemoving = true, isStrict = false } = options;
		const report = new RegistrationReport({ isStrict });
		assertExpected(draft, versions);
		await this.#draft(draft, { versions, kinds, report });
		const problems = toProblems(versions, report.problems);
		if (failOnFailure && problems.length > 0) throw toProblemsError(problems);
		if (isRemoving && kinds === undefined) await removeGone(draft.storage, report, versions);
		return { report, problems, notes: toProblems(versions, report.notes) };
	}

	#draft({ storage }: PackDraft, chosenPacks: ChosenPacks): Promise<void> {
		return this.#parts.seams.draft(storage, { chosenPacks, logger: toQuiet(this.#parts.dependencies.logger) });
	}

	/** Draft, and write what has changed; again where somebody else was quicker. */
	async #commit<T>(packs: readonly string[], versions: readonly PackVersion[], change: (draft: PackDraft) => Promise<T>): Promise<T> {
		const { storage, catalog, logger, keep } = this.#parts;
		const contents = new Set(versions.flatMap(({ content }) => content ?? []));
		const kept = [...contents].flatMap((content) => keep?.(content) ?? []);
		for (let attempt = 1; ; attempt += 1) {
			const draft = await PackDraft.of(storage, packs);
			assertNotBuiltIn(draft);
			const outcome = await change(draft);
			const operations = await toOperations(draft, packs, storage);
			try {
				if (operations.length > 0) await storage.write([...operations, ...kept]);
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
