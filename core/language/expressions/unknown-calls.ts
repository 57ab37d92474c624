import type { DialectNames, ExpressionLanguage } from "../../contract/index.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { filterTable, hasFilter } from "../templates/filters/filter-table.ts";
import { globalNames } from "../templates/globals.ts";
import { methodNames } from "../templates/methods.ts";
import { valueTests } from "../templates/value-tests.ts";
import { functionTable } from "../yaql/functions/function-table.ts";
import { resolveAlias } from "./name-aliases.ts";

/** Function, method, filter or test that an expression calls by name. */
export interface Call {
	readonly kind: "function" | "method" | "filter" | "test";
	readonly name: string;
}

export interface KnownFunctions {
	/** Names of the functions that exist in addition to those of the language. */
	readonly functions: readonly string[];
	/** Aliases of functions, mapped to this service's names. */
	readonly names?: DialectNames;
}

/** Returns a message for every call of something that does not exist, with a suggestion if the name looks misspelled. */
export function findUnknownCalls(
	language: ExpressionLanguage,
	calls: readonly Call[],
	{ functions, names = {} }: KnownFunctions,
): readonly string[] {
	const tables = toTables(language, functions);
	return calls.flatMap(({ kind, name }) => {
		const nameTable = tables[kind];
		if (nameTable.has(name) || (kind === "function" && nameTable.has(resolveAlias(names, name) ?? ""))) return [];
		return [`there is no ${kind} "${name.slice(0, 100)}"${didYouMean(name, nameTable.names())}`];
	});
}

interface NameTable {
	has(name: string): boolean;
	names(): readonly string[];
}

function toTables(language: ExpressionLanguage, functions: readonly string[]): Readonly<Record<Call["kind"], NameTable>> {
	if (language === "yaql")
		return {
			function: toNameTable([...functions, ...yaqlFunctionNames("method")]),
			method: toNameTable(yaqlFunctionNames("function")),
			filter: emptyTable,
			test: emptyTable,
		};
	return {
		function: toNameTable([...functions, ...globalNames]),
		method: toNameTable(methodNames),
		// Functions can also be used as filters.
		filter: { has: (name) => hasFilter(name) || functions.includes(name), names: () => [...filterTable.keys(), ...functions] },
		test: { has: (name) => valueTests.has(name), names: () => [...valueTests.keys()] },
	};
}

const emptyTable: NameTable = { has: () => false, names: () => [] };

function toNameTable(names: readonly string[]): NameTable {
	return { has: (name) => names.includes(name), names: () => names };
}

/** Returns the names in YAQL that can be called in at least one form other than `use`. */
function yaqlFunctionNames(use: "function" | "method"): readonly string[] {
	return [...functionTable].filter(([, entries]) => entries.some((entry) => entry.callForm !== use)).map(([name]) => name);
}
