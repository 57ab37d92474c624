import type { EngineDependencies } from "../../kernel/plugins/dependencies.ts";
import type { StoredPackConfigs } from "./pack-configs.ts";
import type { PackFiles } from "./pack-files-api.ts";
import type { PackDirectory } from "./packs-api.ts";
import { registerFiles } from "./register-files.ts";
import { type RegisterPacksParts, registerChosen, registerPacks } from "./register-packs.ts";
import { RegistrationReport } from "./registration-report.ts";

export interface PackRegistrationParts extends RegisterPacksParts {
	readonly dependencies: EngineDependencies;
	readonly packConfigs: StoredPackConfigs;
}

/** Makes the records of packs say what their files do: of all at a start, and of some in a draft. */
export class PackRegistration {
	readonly #parts: PackRegistrationParts;
	#report: RegistrationReport;
	#found: readonly PackDirectory[] = [];

	constructor(parts: PackRegistrationParts) {
		this.#parts = parts;
		this.#report = new RegistrationReport(parts.logger);
	}

	/** Packs with their actions; what else they hold follows with the features that it belongs to. */
	async register(): Promise<void> {
		const { dependencies, packConfigs, logger } = this.#parts;
		const { chosenPacks } = dependencies;
		this.#report = chosenPacks?.report ?? new RegistrationReport(logger);
		if (chosenPacks === undefined) {
			this.#found = await registerPacks(this.#parts, dependencies.packs, this.#report);
			await packConfigs.check();
		} else this.#found = await registerChosen(this.#parts, chosenPacks);
	}

	async registerFiles<Input extends { readonly name: string }>(files: PackFiles<Input>): Promise<void> {
		const { dependencies, dialects } = this.#parts;
		const { chosenPacks } = dependencies;
		this.#report.removals.set(files.kind, (ref) => files.remove(ref));
		if (chosenPacks?.kinds?.has(files.kind) === false) return;
		const parts = { packs: this.#found, report: this.#report, dialects, isShared: chosenPacks === undefined };
		await registerFiles(parts, files);
	}
}
