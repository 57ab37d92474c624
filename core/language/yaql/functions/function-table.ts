import { branchingFunctions } from "./branching-functions.ts";
import { dateFunctions } from "./date-functions.ts";
import type { FunctionEntry } from "./define-function.ts";
import { listFunctions } from "./list-functions.ts";
import { numberFunctions } from "./number-functions.ts";
import { objectFunctions } from "./object-functions.ts";
import { patternFunctions } from "./pattern-functions.ts";
import { orderFunctions } from "./sort-and-set-functions.ts";
import { streamFunctions } from "./stream-functions.ts";
import { textFunctions } from "./text-functions.ts";

/** Aliases by function name. */
const functionAliases: Readonly<Record<string, string>> = { where: "filter", select: "map", limit: "take", aggregate: "reduce" };

const allEntries: readonly FunctionEntry[] = [
	...textFunctions,
	...numberFunctions,
	...branchingFunctions,
	...objectFunctions,
	...listFunctions,
	...streamFunctions,
	...orderFunctions,
	...patternFunctions,
	...dateFunctions,
];

/** All functions by name. The overloads of a name are tried in this order. */
export const functionTable: ReadonlyMap<string, readonly FunctionEntry[]> = groupByName();

function groupByName(): Map<string, FunctionEntry[]> {
	const table = new Map<string, FunctionEntry[]>();
	for (const entry of allEntries) {
		for (const name of [entry.name, functionAliases[entry.name]])
			if (name !== undefined) table.set(name, [...(table.get(name) ?? []), entry]);
	}
	return table;
}
