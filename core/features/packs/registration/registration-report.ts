import type { Logger } from "../../../contract/index.ts";
import type { PackKind } from "../pack-files-api.ts";
import type { PackProblem } from "../reading/read-pack-directory.ts";

/** Removes one record by its ref. */
export type RemoveRecord = (ref: string) => Promise<void>;

export interface ReportOptions {
	/** Told of each file that is skipped. */
	readonly logger?: Logger;
	/** Default true. */
	readonly isStrict?: boolean;
}

/** What becomes of packs while they are registered: what their files describe, and which of them cannot be used. */
export class RegistrationReport {
	readonly problems: PackProblem[] = [];
	readonly notes: PackProblem[] = [];
	/** Installed packs in whose place directories have come. */
	readonly takenOver: { readonly pack: string; readonly directory: string }[] = [];
	/** By kind; in the order in which the kinds are registered. */
	readonly removals = new Map<PackKind, RemoveRecord>();
	readonly #said = new Map<PackKind, Map<string, string>>();
	readonly #overridden = new Map<PackKind, number>();
	readonly #types = new Map<PackKind, number>();
	#configs = 0;
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

	/** What a pack is right about, and this service is not made for, such as a runner type that is not configured. */
	skipHere(problem: PackProblem): void {
		if (this.#isStrict) this.skip(problem);
		else this.note(problem);
	}

	/** What does not keep a pack from being used. */
	note(note: PackProblem): void {
		this.notes.push(note);
		this.#logger?.warn("pack was registered with something left to do", { problem: note });
	}

	registered(kind: PackKind, ref: string, file: string): void {
		this.#saidOf(kind).set(ref, file);
	}

	/** How many types there are of such records. */
	hasTypes(kind: PackKind, count: number): void {
		this.#types.set(kind, count);
	}

	typesOf(kind: PackKind): number {
		return this.#types.get(kind) ?? 0;
	}

	checkedConfig(): void {
		this.#configs += 1;
	}

	/** Packs whose configuration can be used. */
	get configs(): number {
		return this.#configs;
	}

	overrode(kind: PackKind): void {
		this.#overridden.set(kind, (this.#overridden.get(kind) ?? 0) + 1);
	}

	/** The file of a pack that has described a record; undefined: none has. */
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
