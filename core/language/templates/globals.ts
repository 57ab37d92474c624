import { formatDate } from "../yaql/date-format.ts";
import { DateTime, TimeSpan } from "../yaql/date-time.ts";
import type { Arguments } from "./arguments.ts";
import type { Budget } from "./budget.ts";
import { Namespace, numberOf, type Value } from "./values.ts";

type GlobalFunction = (args: Arguments, budget: Budget) => Value;

/** Functions that exist in every template. Other functions can be called by name only if the scope provides them. */
export const globalFunctions: ReadonlyMap<string, GlobalFunction> = new Map<string, GlobalFunction>([
	["range", range],
	["now", now],
	["dict", (args) => Object.fromEntries(args.named)],
	[
		"namespace",
		(args) => {
			const namespace = new Namespace();
			for (const [name, value] of args.named) namespace.members.set(name, value);
			return namespace;
		},
	],
]);

/** Returns the current time in UTC as a string such as `2031-03-04T09:20:00.000000Z`, or in a `strftime` format. */
function now(args: Arguments, budget: Budget): Value {
	const moment = new DateTime(Date.now() * 1_000, new TimeSpan(0));
	return formatDate(moment, args.text(0, "fmt", "%Y-%m-%dT%H:%M:%S.%fZ"), budget);
}

function range(args: Arguments, budget: Budget): Value {
	const bounds = args.positional.map((value) => numberOf(value));
	if (bounds.length === 0 || bounds.length > 3 || !bounds.every((bound) => Number.isSafeInteger(bound))) {
		throw args.error("needs one to three integers");
	}
	const [first = 0, second, step = 1] = bounds as number[];
	const [start, stop] = second === undefined ? [0, first] : [first, second];
	if (step === 0) throw args.error("needs a step other than 0");
	const length = Math.max(0, Math.ceil((stop - start) / step));
	budget.spendSteps(length);
	return Array.from({ length }, (_, index) => start + index * step);
}
