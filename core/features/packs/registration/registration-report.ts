import type { Logger } from "../../../contract/index.ts";
import type { PackKind } from "../pack-files-exports.ts";
import type { PackProblem } from "../reading/read-pack-directory.ts";

export type RemoveRecord = (ref: string) => Promise<void>;

export interface ReportOptions {
	/** Logs each skipped file. */
	readonly logger?: Logger;
	/** True if problems of the installation, such as a missing runner type, count as problems of files. Default: true. */
	readonly isStrict?: boolean;
}

/** Result of registering packs: the records that their files describe, and the files that are invalid. */
export class RegistrationReport {
	readonly problems: PackProblem[] = [];
	readonly notes: PackProblem[] = [];
	/** Installed packs that a configured directory has replaced. */
	readonly takenOver: { readonly pack: string; readonly directory: string }[] = [];
	/** Removal functions by kind, in the order of registration. */
	readonly removals = new Map<PackKind, RemoveRecord>();
	/** Number of types of the records of a kind, such as the types of rules. */
	readonly typeCounts = new Map<PackKind, number>();
	/** Number of packs with a valid configuration. */
	configs = 0;
	readonly #said = new Map<PackKind, Map<string, string>>();
	readonly #overridden = new Map<PackKind, number>();
	readonly #logger: Logger | undefined;
	readonly #isStrict: boolean;

	constructor({ logger, isStrict = true }: ReportOptions = {}) {
		this.#logger = logger;
		this.#isStrict = isStrict;
	}

	skip(problem: PackProblem): void {
		this.problems.push(problem);
		this.#logger?.warn("pack content was skipped", { problem });
	}

	/** Reports a valid file that this service cannot use, such as an action whose runner type is not configured. */
	skipHere(problem: PackProblem): void {
		if (this.#isStrict) this.skip(problem);
		else this.note(problem);
	}

	/** Reports a problem that does not prevent using the pack. */
	note(note: PackProblem): void {
		this.notes.push(note);
		this.#logger?.warn("pack was registered, but some steps failed", { problem: note });
	}

	registered(kind: PackKind, ref: string, file: string): void {
		this.#saidOf(kind).set(ref, file);
	}

	overrode(kind: PackKind): void {
		this.#overridden.set(kind, (this.#overridden.get(kind) ?? 0) + 1);
	}

	/** Returns the file that describes a record, or undefined if no file does. */
	fileOf(kind: PackKind, ref: string): string | undefined {
		return this.#said.get(kind)?.get(ref);
	}

	countOf(kind: PackKind): number {
		return this.#said.get(kind)?.size ?? 0;
	}

	overriddenOf(kind: PackKind): number {
		return this.#overridden.get(kind) ?? 0;
	}

	#saidOf(kind: PackKind): Map<string, string> {
		const known = this.#said.get(kind) ?? new Map<string, string>();
		this.#said.set(kind, known);
		return known;
	}
}
