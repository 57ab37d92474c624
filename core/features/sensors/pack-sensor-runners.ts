import { type PackSensors, type Runner, SvcError } from "../../contract/index.ts";

/** The runners of the configuration that run sensors of packs. */
export class PackSensorRunners {
	readonly #runners: ReadonlyMap<string, Runner>;

	constructor(runners: ReadonlyMap<string, Runner>) {
		this.#runners = runners;
	}

	/** The first that takes a file of that name; undefined when none does. */
	find(entryPoint: string): PackSensors | undefined {
		return this.#all().find(({ suffixes }) => suffixes.some((suffix) => entryPoint.endsWith(suffix)));
	}

	/** `SVC_INVALID` for a file that no runner takes. */
	assertRuns(entryPoint: string): void {
		if (this.find(entryPoint) !== undefined) return;
		const known = this.#all().flatMap(({ suffixes }) => suffixes);
		const hint = known.length === 0 ? "none of them runs sensors" : `they run files that end in ${known.join(", ")}`;
		throw new SvcError("SVC_INVALID", `attribute "entry_point" names "${entryPoint}", which no runner of the configuration takes; ${hint}`);
	}

	/** Features bring runners after this was made. */
	#all(): readonly PackSensors[] {
		return [...this.#runners.values()].flatMap(({ packSensors }) => packSensors ?? []);
	}
}
