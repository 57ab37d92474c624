import { SvcError } from "../../core/contract/index.ts";

/** Reads and validates the options of a backend one by one, and collects all problems. Null counts as missing. */
export class OptionReader {
	readonly problems: string[] = [];
	readonly #input: Readonly<Record<string, unknown>>;
	readonly #read = new Set<string>();

	constructor(input: unknown) {
		const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
		this.#input = isObject ? (input as Readonly<Record<string, unknown>>) : {};
		if (!isObject) this.problems.push("must be an object of options");
	}

	requiredText(name: string): string {
		return this.text(name) ?? this.#report(name, "required, a non-empty string", "");
	}

	text(name: string): string | undefined {
		const value = this.#take(name);
		if (value === undefined || (typeof value === "string" && value !== "")) return value;
		return this.#report(name, "must be a non-empty string", undefined);
	}

	texts(name: string): readonly string[] {
		const value = this.#take(name);
		const isList = Array.isArray(value) && value.length > 0 && value.every((element) => typeof element === "string" && element !== "");
		return isList ? (value as readonly string[]) : this.#report(name, "required, a list of one or more non-empty strings", []);
	}

	/** Returns a list of strings, or undefined if the option is missing. */
	optionalTexts(name: string): readonly string[] | undefined {
		return this.#take(name) === undefined ? undefined : this.texts(name);
	}

	choice<C extends string>(name: string, choices: readonly [C, ...C[]]): C {
		const value = this.#take(name) ?? choices[0];
		const choice = choices.find((each) => each === value);
		return choice ?? this.#report(name, `must be ${choices.map((each) => JSON.stringify(each)).join(" or ")}`, choices[0]);
	}

	flag(name: string, byDefault: boolean): boolean {
		const value = this.#take(name) ?? byDefault;
		return typeof value === "boolean" ? value : this.#report(name, "must be true or false", byDefault);
	}

	/** Returns a number within the limits, or undefined if the option is missing. */
	number(name: string, limits: NumberLimits): number | undefined {
		const value = this.#take(name);
		if (value === undefined || (typeof value === "number" && isWithin(value, limits))) return value;
		const { integer, minimum, maximum } = limits;
		return this.#report(name, `must be a ${integer ? "whole number" : "number"} from ${minimum} to ${maximum}`, undefined);
	}

	object(name: string): Readonly<Record<string, unknown>> {
		const value = this.#take(name) ?? {};
		const isObject = typeof value === "object" && !Array.isArray(value);
		return isObject ? (value as Readonly<Record<string, unknown>>) : this.#report(name, "must be an object", {});
	}

	/** Returns the converted value. If `convert` throws, reports its message as the problem and returns undefined. */
	converted<V, R>(name: string, value: V | undefined, convert: (value: V) => R): R | undefined {
		if (value === undefined) return undefined;
		try {
			return convert(value);
		} catch (error) {
			return this.#report(name, error instanceof Error ? error.message : String(error), undefined);
		}
	}

	report(name: string, problem: string): void {
		this.#report(name, problem, undefined);
	}

	/** Throws `SVC_CONFIG` with all problems of the named backend. Must be called last: every option that was not read is unknown. */
	finish(backend: string): void {
		for (const name of Object.keys(this.#input)) {
			if (!this.#read.has(name)) this.#report(name, `unknown option; allowed: ${[...this.#read].join(", ")}`, undefined);
		}
		if (this.problems.length === 0) return;
		const message = `auth backend ${backend}: ${this.problems.join("; ")}`;
		throw new SvcError("SVC_CONFIG", message, { facts: { problems: this.problems } });
	}

	#take(name: string): unknown {
		this.#read.add(name);
		return Object.hasOwn(this.#input, name) ? (this.#input[name] ?? undefined) : undefined;
	}

	#report<R>(name: string, problem: string, instead: R): R {
		this.problems.push(`${name}: ${problem}`);
		return instead;
	}
}

export interface NumberLimits {
	readonly minimum: number;
	readonly maximum: number;
	readonly integer?: true;
}

function isWithin(value: number, { minimum, maximum, integer }: NumberLimits): boolean {
	return value >= minimum && value <= maximum && (integer !== true || Number.isInteger(value));
}
