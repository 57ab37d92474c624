import { formatDate } from "../yaql/date-format.ts";
import { DateTime, TimeSpan } from "../yaql/date-time.ts";
import type { Arguments } from "./arguments.ts";
import type { Budget } from "./budget.ts";
import { Namespace, numberOf, type Value } from "./values.ts";

type GlobalFunction = (given: Arguments, budget: Budget) => Value;

const functions: ReadonlyMap<string, GlobalFunction> = new Map<string, GlobalFunction>([
	["range", range],
	["now", now],
	["dict", (given) => Object.fromEntries(given.named)],
	[
		"namespace",
		(given) => {
			const namespace = new Namespace();
			for (const [name, value] of given.named) namespace.members.set(name, value);
			return namespace;
		},
	],
]);

/** Functions every template has. Nothing else can be called by name. */
export const globalNames: readonly string[] = [...functions.keys()];

export function globalFunction(name: string): GlobalFunction | undefined {
	return functions.get(name);
}

/** The time in UTC: a text such as `2031-03-04T09:20:00.000000Z`, or in the format of strftime. */
function now(given: Arguments, budget: Budget): Value {
	const moment = new DateTime(Date.now() * 1_000, new TimeSpan(0));
	return formatDate(moment, given.text(0, "fmt", "%Y-%m-%dT%H:%M:%S.%fZ"), budget);
}

function range(given: Arguments, budget: Budget): Value {
	const bounds = given.positional.map((value) => numberOf(value));
	if (bounds.length === 0 || bounds.length > 3 || !bounds.every((bound) => Number.isSafeInteger(bound))) {
		throw given.error("needs one to three integers");
	}
	const [first = 0, second, step = 1] = bounds as number[];
	const [start, stop] = second === undefined ? [0, first] : [first, second];
	if (step === 0) throw given.error("needs a step other than 0");
	const length = Math.max(0, Math.ceil((stop - start) / step));
	budget.step(length);
	return Array.from({ length }, (_, index) => start + index * step);
}
