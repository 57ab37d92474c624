import type { DialectNames, ExpressionLanguage } from "../../contract/index.ts";
import { nearMiss } from "../../lib/did-you-mean.ts";
import { filterTable, hasFilter } from "../templates/filters/filter-table.ts";
import { globalNames } from "../templates/globals.ts";
import { methodNames } from "../templates/methods.ts";
import { valueTests } from "../templates/value-tests.ts";
import { functionTable } from "../yaql/functions/function-table.ts";
import { secondName } from "./renamed-variables.ts";

/** Something that an expression calls by name. */
export interface Call {
	readonly kind: "function" | "method" | "filter" | "test";
	readonly name: string;
}

/** Calls that are collected while an expression is read, each once. */
export class Calls {
	readonly #calls = new Map<string, Call>();

	add(kind: Call["kind"], name: string): void {
		this.#calls.set(`${kind} ${name}`, { kind, name });
	}

	get list(): readonly Call[] {
		return [...this.#calls.values()];
	}
}

export interface CallNames {
	/** Functions that exist besides those of the language. */
	readonly functions: readonly string[];
	/** Other names of functions: theirs to ours. */
	readonly names?: DialectNames;
}

/** Returns a message for every call of something that does not exist, with the name that is probably meant. */
export function findUnknownCalls(
	language: ExpressionLanguage,
	calls: readonly Call[],
	{ functions, names = {} }: CallNames,
): readonly string[] {
	const tables = toTables(language, functions);
	return calls.flatMap(({ kind, name }) => {
		const known = tables[kind];
		if (known.has(name) || (kind === "function" && known.has(secondName(names, name) ?? ""))) return [];
		return [`there is no ${kind} "${name.slice(0, 100)}"${nearMiss(name, known.names())}`];
	});
}

interface NameTable {
	has(name: string): boolean;
	names(): readonly string[];
}

function toTables(language: ExpressionLanguage, functions: readonly string[]): Readonly<Record<Call["kind"], NameTable>> {
	if (language === "yaql")
		return { function: toTable([...functions, ...yaqlNames("method")]), method: toTable(yaqlNames("function")), filter: none, test: none };
	return {
		function: toTable([...functions, ...globalNames]),
		method: toTable(methodNames),
		// A function can stand in the place of a filter.
		filter: { has: (name) => hasFilter(name) || functions.includes(name), names: () => [...filterTable.keys(), ...functions] },
		test: { has: (name) => valueTests.has(name), names: () => [...valueTests.keys()] },
	};
}

const none: NameTable = { has: () => false, names: () => [] };

function toTable(names: readonly string[]): NameTable {
	return { has: (name) => names.includes(name), names: () => names };
}

/** Names of YAQL that can be called in other ways than `use` only. */
function yaqlNames(use: "function" | "method"): readonly string[] {
	return [...functionTable].filter(([, entries]) => entries.some((entry) => entry.use !== use)).map(([name]) => name);
}
