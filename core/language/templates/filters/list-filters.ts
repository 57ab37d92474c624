import type { Arguments } from "../arguments.ts";
import { calculate, isEqual, order } from "../operators.ts";
import { elementsOf, isList, isObject, requireDefined, typeName, Undefined, type Value } from "../values.ts";
import { attributeGetter, type Filter, type FilterContext } from "./filter.ts";

const length: Filter = (input, args, { budget }) => {
	if (isObject(input)) return Object.keys(input).length;
	if (typeof input !== "string" && !isList(input)) throw args.error(`cannot count ${typeName(input)}`);
	return elementsOf(input, budget).length;
};

export const listFilters: Readonly<Record<string, Filter>> = {
	length,
	count: length,
	list: (input, _args, { budget }) => [...elementsOf(input, budget)],
	first: (input, _args, { budget }) => elementsOf(input, budget)[0] ?? new Undefined("an empty list has no first element"),
	last: (input, _args, { budget }) => elementsOf(input, budget).at(-1) ?? new Undefined("an empty list has no last element"),
	random: (input, _args, { budget }) => {
		const elements = elementsOf(input, budget);
		return elements[Math.floor(Math.random() * elements.length)] ?? new Undefined("an empty list has no random element");
	},
	reverse: (input, _args, { budget }) => {
		const elements = [...elementsOf(input, budget)].reverse();
		return typeof input === "string" ? elements.join("") : elements;
	},
	sort: (input, args, context) => {
		const { budget } = context;
		const sign = args.flag(0, "reverse", false) ? -1 : 1;
		const key = keyGetter(args.get(2, "attribute"), { isCaseSensitive: args.flag(1, "case_sensitive", false), context });
		return [...elementsOf(input, budget)].sort((a, b) => sign * order(key(a), key(b), budget));
	},
	unique: (input, args, context) => {
		const { budget } = context;
		const key = keyGetter(args.get(1, "attribute"), { isCaseSensitive: args.flag(0, "case_sensitive", false), context });
		const uniqueElements: Value[] = [];
		for (const element of elementsOf(input, budget)) {
			if (!uniqueElements.some((otherElement) => isEqual(key(otherElement), key(element), budget))) uniqueElements.push(element);
		}
		return uniqueElements;
	},
	min: (input, args, context) => findExtreme(input, args, context, -1),
	max: (input, args, context) => findExtreme(input, args, context, 1),
	sum: (input, args, context) => {
		const { budget } = context;
		const attribute = args.get(0, "attribute") ?? null;
		const elements = elementsOf(input, budget);
		const parts = attribute === null ? elements : elements.map(attributeGetter(attribute, context));
		return parts.reduce((total: Value, part) => calculate("+", total, part, budget), args.get(1, "start") ?? 0);
	},
	batch: (input, args, { budget }) => {
		const size = args.integer(0, "linecount");
		if (size < 1) throw args.error("needs a size of at least 1");
		const elements = elementsOf(input, budget);
		const rows = Array.from({ length: Math.ceil(elements.length / size) }, (_, row) => elements.slice(row * size, (row + 1) * size));
		const fillValue = args.get(1, "fill_with");
		const lastRow = rows.at(-1);
		if (fillValue === undefined || fillValue === null || lastRow === undefined) return rows;
		budget.spendSteps(size);
		return [...rows.slice(0, -1), [...lastRow, ...Array.from({ length: size - lastRow.length }, () => fillValue)]];
	},
	items: (input, args, { budget }) => {
		if (!isObject(input)) throw args.error(`needs an object, not ${typeName(input)}`);
		budget.spendSteps(Object.keys(input).length);
		return Object.entries(input);
	},
	dictsort: (input, args, context) => {
		const { budget } = context;
		if (!isObject(input)) throw args.error(`needs an object, not ${typeName(input)}`);
		const key = keyGetter(args.text(1, "by", "key") === "value" ? 1 : 0, {
			isCaseSensitive: args.flag(0, "case_sensitive", false),
			context,
		});
		const sign = args.flag(2, "reverse", false) ? -1 : 1;
		return Object.entries(input).sort((a, b) => sign * order(key(a), key(b), budget));
	},
	groupby: (input, args, context) => {
		const { budget } = context;
		const attribute = args.required(0, "attribute");
		const key = attributeGetter(attribute, context);
		const groups: [Value, Value[]][] = [];
		for (const element of [...elementsOf(input, budget)].sort((a, b) => order(key(a), key(b), budget))) {
			const group = groups.at(-1);
			if (group !== undefined && isEqual(group[0], key(element), budget)) group[1].push(element);
			else groups.push([requireDefined(key(element)), [element]]);
		}
		return groups;
	},
};

function findExtreme(input: Value, args: Arguments, context: FilterContext, sign: number): Value {
	const { budget } = context;
	const key = keyGetter(args.get(1, "attribute"), { isCaseSensitive: args.flag(0, "case_sensitive", false), context });
	const elements = elementsOf(input, budget);
	if (elements.length === 0) return new Undefined("an empty list has no smallest or largest element");
	return elements.reduce((best, element) => (sign * order(key(element), key(best), budget) > 0 ? element : best));
}

/**
 * Returns a function that yields the sort key of an element: the element itself or an attribute. Case is ignored unless `isCaseSensitive`.
 */
function keyGetter(
	attribute: Value | undefined,
	{ isCaseSensitive, context }: { readonly isCaseSensitive: boolean; readonly context: FilterContext },
): (element: Value) => Value {
	const get = attribute === undefined || attribute === null ? (element: Value) => element : attributeGetter(attribute, context);
	return (element) => {
		const key = requireDefined(get(element));
		return typeof key === "string" && !isCaseSensitive ? key.toLowerCase() : key;
	};
}
