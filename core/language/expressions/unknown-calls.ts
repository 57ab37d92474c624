import type { DialectNames, ExpressionLanguage } from "../../contract/index.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { filterTable, hasFilter } from "../templates/filters/filter-table.ts";
import { globalFunctions } from "../templates/globals.ts";
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
	const tables = toNameTables(language, functions);
	return calls.flatMap(({ kind, name }) => {
		const known = tables[kind];
		const isKnown =
			known.includes(name) ||
			(kind === "function" && known.includes(resolveAlias(names, name) ?? "")) ||
			// The table of filters does not contain `default`.
			(kind === "filter" && hasFilter(name));
		return isKnown ? [] : [`unknown ${kind} "${name.slice(0, 100)}"${didYouMean(name, known)}`];
	});
}

/** Returns the names that can be called, by the kind of the call. */
function toNameTables(language: ExpressionLanguage, functions: readonly string[]): Readonly<Record<Call["kind"], readonly string[]>> {
	if (language === "yaql") {
		return { function: [...functions, ...yaqlFunctionNames("method")], method: yaqlFunctionNames("function"), filter: [], test: [] };
	}
	return {
		function: [...functions, ...globalFunctions.keys()],
		method: methodNames,
		// Functions can also be used as filters.
		filter: [...filterTable.keys(), ...functions],
		test: [...valueTests.keys()],
	};
}

/** Returns the names in YAQL that can be called in at least one form other than `use`. */
function yaqlFunctionNames(use: "function" | "method"): readonly string[] {
	return [...functionTable].filter(([, entries]) => entries.some((entry) => entry.callForm !== use)).map(([name]) => name);
}
