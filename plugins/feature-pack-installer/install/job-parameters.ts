import { type JsonObject, SvcError } from "../../../core/contract/index.ts";

/** Parameters of a job, with types checked on reading: a workflow may pass any value where the declared type is not specific. */
export class JobParameters {
	readonly #values: JsonObject;

	constructor(values: JsonObject) {
		this.#values = values;
	}

	flag(name: string): boolean {
		return this.#values[name] === true;
	}

	/** Returns a string, or the empty string if the parameter is absent. */
	text(name: string): string {
		const value = this.#values[name] ?? "";
		if (typeof value !== "string") throw new SvcError("SVC_INVALID", `${name}: must be a string`);
		return value;
	}

	texts(name: string): readonly string[] {
		const value = this.#values[name] ?? [];
		if (!Array.isArray(value) || !value.every((item) => typeof item === "string"))
			throw new SvcError("SVC_INVALID", `${name}: must be a list of strings`);
		return [...new Set(value as readonly string[])];
	}

	list(name: string): readonly unknown[] {
		const value = this.#values[name] ?? [];
		if (!Array.isArray(value)) throw new SvcError("SVC_INVALID", `${name}: must be a list`);
		return value;
	}
}
