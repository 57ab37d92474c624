import { Undefined, type Value } from "../values.ts";
import type { FilterContext } from "./filter.ts";

/** A function that follows a dotted path such as `a.b.0`; what is missing on the way is undefined. */
export function attributeGetter(path: Value, { memberOf }: Pick<FilterContext, "memberOf">): (value: Value) => Value {
	const keys: readonly Value[] = typeof path === "string" ? path.split(".").map((key) => (/^\d+$/.test(key) ? Number(key) : key)) : [path];
	return (value) => {
		let found = value;
		for (const key of keys) {
			if (found instanceof Undefined) return found;
			found = memberOf(found, key);
		}
		return found;
	};
}
