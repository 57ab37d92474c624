import { type JsonValue, parseJson, SvcError } from "../../core/contract/index.ts";
import type { SlurmOptions } from "./options.ts";
import type { SlurmContext } from "./parameters.ts";

type Values = SlurmContext["runnerParameters"];

const word = { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.@+-]*$/, allowed: "letters, digits and '_', '.', '@', '+', '-'" };
const words = {
	pattern: /^[A-Za-z0-9_][A-Za-z0-9_.,@+-]*$/,
	allowed: "comma-separated names of letters, digits and '_', '.', '@', '+', '-'",
};

/**
 * String parameters that become options, and their allowed characters. They exclude anything that could start an option, a line or a
 * pattern of sbatch.
 */
const texts = {
	partition: words,
	account: word,
	qos: word,
	reservation: words,
	constraint: {
		pattern: /^[A-Za-z0-9_([][A-Za-z0-9_.,&|*()[\]:-]*$/,
		allowed: "names of features with '&', '|', ',', '*', '(', ')', '[', ']'",
	},
	gres: { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.,:=-]*$/, allowed: "comma-separated names, types and numbers, such as gpu:a100:2" },
	// Zero is refused, because Slurm interprets it as all memory of a node.
	memory: { pattern: /^[0-9]{0,11}[1-9][0-9]{0,11}[KMGT]?$/, allowed: "a number greater than 0, optionally with the unit K, M, G or T" },
} as const;

const numbers = { nodes: "--nodes", ntasks: "--ntasks", cpus_per_task: "--cpus-per-task" } as const;
const maxNumber = 1_000_000;

/** Items of the tasks of an array. Null for each task if only a number of tasks was given. */
export type ArrayItems = readonly JsonValue[];

/** Returns the arguments of sbatch for a run. Each argument is a single word that begins with its option name. Throws `SVC_INVALID`. */
export function toSbatchArguments(values: Values, options: SlurmOptions): readonly string[] {
	const args: string[] = [];
	for (const name of Object.keys(texts) as (keyof typeof texts)[]) {
		const value = (values[name] || defaultOf(name, options)) ?? "";
		if (value !== "") args.push(`--${name === "memory" ? "mem" : name}=${toText(name, value, options)}`);
	}
	for (const name of Object.keys(numbers) as (keyof typeof numbers)[]) {
		const value = values[name];
		if (value != null) args.push(`${numbers[name]}=${toNumber(name, value)}`);
	}
	const limit = toTimeLimit(values, options);
	if (limit !== undefined) args.push(`--time=${Math.ceil(limit / 60)}`);
	return args;
}

/** Returns the option `--array` and the items. Returns undefined for a job without an array. */
export function toArray(
	values: Values,
	{ max_array = 1_000 }: SlurmOptions,
): { readonly argument: string; readonly items: ArrayItems } | undefined {
	const given = values.array as JsonValue | undefined;
	if (given == null) {
		if (values.array_limit != null) throw refuse("array_limit", 'is only allowed with "array"');
		return undefined;
	}
	const items = toItems(typeof given === "string" ? parseText(given) : given, max_array);
	const limit = values.array_limit == null ? "" : `%${toNumber("array_limit", values.array_limit)}`;
	return { argument: `--array=0-${items.length - 1}${limit}`, items };
}

/** Parses a string as JSON, or keeps it. The parameter has no declared type, so command lines and templates pass its value as a string. */
function parseText(text: string): JsonValue {
	try {
		return parseJson(text);
	} catch {
		return text;
	}
}

function toItems(given: JsonValue, limit: number): ArrayItems {
	const allowed = `must be a whole number from 1 to ${limit}, or a list of 1 to ${limit} items`;
	if (Array.isArray(given)) {
		if (given.length < 1 || given.length > limit) throw refuse("array", allowed);
		return given;
	}
	// Checked before an array of that length is allocated.
	if (typeof given !== "number" || !Number.isInteger(given) || given < 1 || given > limit) throw refuse("array", allowed);
	return Array.from({ length: given }, () => null);
}

function defaultOf(name: keyof typeof texts, { defaults = {} }: SlurmOptions): string | undefined {
	return name === "partition" || name === "account" || name === "qos" ? defaults[name] : undefined;
}

function toText(name: keyof typeof texts, value: string, { partitions, accounts }: SlurmOptions): string {
	const { pattern, allowed } = texts[name];
	if (value.length > 256 || !pattern.test(value)) throw refuse(name, `must be ${allowed}, at most 256 characters`);
	const choice = { partition: partitions, account: accounts }[name as string];
	const refused = choice === undefined ? undefined : value.split(",").find((one) => !choice.includes(one));
	if (refused !== undefined) throw refuse(name, `"${refused}" is not allowed by the configuration; allowed are ${choice?.join(", ")}`);
	return value;
}

function toNumber(name: string, value: number): number {
	if (!Number.isInteger(value) || value < 1 || value > maxNumber) throw refuse(name, `must be a whole number from 1 to ${maxNumber}`);
	return value;
}

/** Returns the smaller of both limits in seconds. A job that runs longer than the timeout of the action is of no use. */
function toTimeLimit({ time_limit, timeout }: Values, { defaults = {} }: SlurmOptions): number | undefined {
	const limit = time_limit ?? defaults.time_limit;
	if (limit != null && !(Number.isInteger(limit) && limit >= 1 && limit <= 31_536_000))
		throw refuse("time_limit", "must be a whole number of seconds from 1 to 31536000");
	const given = [limit, timeout].filter((seconds) => typeof seconds === "number" && seconds > 0) as number[];
	return given.length === 0 ? undefined : Math.min(...given, 31_536_000);
}

function refuse(name: string, what: string): SvcError {
	return new SvcError("SVC_INVALID", `parameter "${name}" ${what}`);
}
