import { type PackSensors, type Runner, SvcError } from "../../contract/index.ts";

/** Runners of the configuration that can run sensors of packs. */
export class PackSensorRunners {
	readonly #runners: ReadonlyMap<string, Runner>;

	constructor(runners: ReadonlyMap<string, Runner>) {
		this.#runners = runners;
	}

	/** Returns the first runner that accepts the file name. Returns undefined if none does. */
	find(entryPoint: string): PackSensors | undefined {
		return this.#all().find(({ suffixes }) => suffixes.some((suffix) => entryPoint.endsWith(suffix)));
	}

	/** Throws `SVC_INVALID` if no runner accepts the file. */
	assertRuns(entryPoint: string): void {
		if (this.find(entryPoint) !== undefined) return;
		const known = this.#all().flatMap(({ suffixes }) => suffixes);
		const hint =
			known.length === 0 ? "none of the configured runners supports sensors" : `the supported file extensions are ${known.join(", ")}`;
		throw new SvcError("SVC_INVALID", `attribute "entry_point" names "${entryPoint}", which no configured runner supports; ${hint}`);
	}

	/** Evaluated on each call, because features add runners after this object is created. */
	#all(): readonly PackSensors[] {
		return [...this.#runners.values()].flatMap(({ packSensors }) => packSensors ?? []);
	}
}
