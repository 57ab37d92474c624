import type { Arguments } from "../arguments.ts";
import { calculate, isEqual, order } from "../operators.ts";
import { demand, elementsOf, isList, isObject, typeName, Undefined, type Value } from "../values.ts";
import { attributeGetter } from "./attribute.ts";
import type { Filter, FilterContext } from "./filter.ts";

const length: Filter = (input, given, { budget }) => {
	if (isObject(input)) return Object.keys(input).length;
	if (typeof input !== "string" && !isList(input)) throw given.error(`cannot count ${typeName(input)}`);
	return elementsOf(input, budget).length;
};

export const listFilters: Readonly<Record<string, Filter>> = {
	length,
	count: length,
	list: (input, _given, { budget }) => [...elementsOf(input, budget)],
	first: (input, _given, { budget }) => elementsOf(input, budget)[0] ?? new Undefined("an empty list has no first element"),
	last: (input, _given, { budget }) => elementsOf(input, budget).at(-1) ?? new Undefined("an empty list has no last element"),
	random: (input, _given, { budget }) => {
		const elements = elementsOf(input, budget);
		return elements[Math.floor(Math.random() * elements.length)] ?? new Undefined("an empty list has no random element");
	},
	reverse: (input, _given, { budget }) => {
		const reversed = [...elementsOf(input, budget)].reverse();
		return typeof input === "string" ? reversed.join("") : reversed;
	},
	sort: (input, given, context) => {
		const { budget } = context;
		const sign = given.flag(0, "reverse", false) ? -1 : 1;
		const key = keyGetter(given.get(2, "attribute"), { caseSensitive: given.flag(1, "case_sensitive", false), context });
		return [...elementsOf(input, budget)].sort((a, b) => sign * order(key(a), key(b), budget));
	},
	unique: (input, given, context) => {
		const { budget } = context;
		const key = keyGetter(given.get(1, "attribute"), { caseSensitive: given.flag(0, "case_sensitive", false), context });
		const kept: Value[] = [];
		for (const element of elementsOf(input, budget)) {
			if (!kept.some((other) => isEqual(key(other), key(element), budget))) kept.push(element);
		}
		return kept;
	},
	min: (input, given, context) => extreme(input, given, context, -1),
	max: (input, given, context) => extreme(input, given, context, 1),
	sum: (input, given, context) => {
		const { budget } = context;
		const attribute = given.get(0, "attribute") ?? null;
		const elements = elementsOf(input, budget);
		const parts = attribute === null ? elements : elements.map(attributeGetter(attribute, context));
		return parts.reduce((total: Value, part) => calculate("+", total, part, budget), given.get(1, "start") ?? 0);
	},
	batch: (input, given, { budget }) => {
		const size = given.integer(0, "linecount");
		if (size < 1) throw given.error("needs a size of at least 1");
		const elements = elementsOf(input, budget);
		const rows = Array.from({ length: Math.ceil(elements.length / size) }, (_, row) => elements.slice(row * size, (row + 1) * size));
		const fill = given.get(1, "fill_with");
		const last = rows.at(-1);
		if (fill === undefined || fill === null || last === undefined) return rows;
		budget.step(size);
		return [...rows.slice(0, -1), [...last, ...Array.from({ length: size - last.length }, () => fill)]];
	},
	items: (input, given, { budget }) => {
		if (!isObject(input)) throw given.error(`needs an object, not ${typeName(input)}`);
		budget.step(Object.keys(input).length);
		return Object.entries(input);
	},
	dictsort: (input, given, context) => {
		const { budget } = context;
		if (!isObject(input)) throw given.error(`needs an object, not ${typeName(input)}`);
		const key = keyGetter(given.text(1, "by", "key") === "value" ? 1 : 0, {
			caseSensitive: given.flag(0, "case_sensitive", false),
			context,
		});
		const sign = given.flag(2, "reverse", false) ? -1 : 1;
		return Object.entries(input).sort((a, b) => sign * order(key(a), key(b), budget));
	},
	groupby: (input, given, context) => {
		const { budget } = context;
		const attribute = given.required(0, "attribute");
		const key = attributeGetter(attribute, context);
		const groups: [Value, Value[]][] = [];
		for (const element of [...elementsOf(input, budget)].sort((a, b) => order(key(a), key(b), budget))) {
			const group = groups.at(-1);
			if (group !== undefined && isEqual(group[0], key(element), budget)) group[1].push(element);
			else groups.push([demand(key(element)), [element]]);
		}
		return groups;
	},
};

function extreme(input: Value, given: Arguments, context: FilterContext, sign: number): Value {
	const { budget } = context;
	const key = keyGetter(given.get(1, "attribute"), { caseSensitive: given.flag(0, "case_sensitive", false), context });
	const elements = elementsOf(input, budget);
	if (elements.length === 0) return new Undefined("an empty list has no smallest or largest element");
	return elements.reduce((best, element) => (sign * order(key(element), key(best), budget) > 0 ? element : best));
}

/** What elements are compared by: themselves or an attribute, without regard to case unless asked for. */
function keyGetter(
	attribute: Value | undefined,
	{ caseSensitive, context }: { readonly caseSensitive: boolean; readonly context: FilterContext },
): (element: Value) => Value {
	const get = attribute === undefined || attribute === null ? (element: Value) => element : attributeGetter(attribute, context);
	return (element) => {
		const key = demand(get(element));
		return typeof key === "string" && !caseSensitive ? key.toLowerCase() : key;
	};
}
