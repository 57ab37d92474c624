import type { Arguments } from "../arguments.ts";
import { demand, elementsOf, isTrue, Undefined, type Value } from "../values.ts";
import { attributeGetter } from "./attribute.ts";
import type { Filter, FilterContext } from "./filter.ts";

/** Filters that apply another filter or test to every element. */
export const selectFilters: Readonly<Record<string, Filter>> = {
	map: (input, given, context) => {
		const attribute = given.named.get("attribute");
		const elements = elementsOf(input, context.budget);
		if (attribute !== undefined) return elements.map(mapAttribute(attributeGetter(attribute, context), given.named.get("default")));
		const name = given.text(0, "filter");
		return elements.map((element) => demand(context.filter(name, element, given.after(1, `filter "${name}"`))));
	},
	select: (input, given, context) => keep(input, true, { context, test: toTest(given, 0, context) }),
	reject: (input, given, context) => keep(input, false, { context, test: toTest(given, 0, context) }),
	selectattr: (input, given, context) => keep(input, true, { context, test: toAttributeTest(given, context) }),
	rejectattr: (input, given, context) => keep(input, false, { context, test: toAttributeTest(given, context) }),
};

function mapAttribute(get: (element: Value) => Value, fallback: Value | undefined): (element: Value) => Value {
	return (element) => {
		const value = get(element);
		return value instanceof Undefined && fallback !== undefined ? fallback : demand(value);
	};
}

interface Selection {
	readonly context: FilterContext;
	readonly test: (element: Value) => boolean;
}

function keep(input: Value, wanted: boolean, { context, test }: Selection): Value {
	return elementsOf(input, context.budget).filter((element) => test(element) === wanted);
}

/** The test named by the argument at `index`, with the arguments behind it; without a name, whether the value is true. */
function toTest(given: Arguments, index: number, context: FilterContext): (value: Value) => boolean {
	if (given.positional.length <= index) return isTrue;
	const name = given.text(index, "test");
	const rest = given.after(index + 1, `test "${name}"`);
	return (value) => context.test(name, value, rest);
}

function toAttributeTest(given: Arguments, context: FilterContext): (element: Value) => boolean {
	const get = attributeGetter(given.required(0, "attribute"), context);
	const test = toTest(given, 1, context);
	return (element) => test(get(element));
}
