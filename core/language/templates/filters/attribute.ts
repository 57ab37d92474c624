import { Undefined, type Value } from "../values.ts";
import type { FilterContext } from "./filter.ts";

/** Returns a function that follows a dotted path such as `a.b.0`. It returns an `Undefined` if a member on the path does not exist. */
export function attributeGetter(path: Value, { memberOf }: Pick<FilterContext, "memberOf">): (value: Value) => Value {
	const keys: readonly Value[] = typeof path === "string" ? path.split(".").map((key) => (/^\d+$/.test(key) ? Number(key) : key)) : [path];
	return (value) => {
		let current = value;
		for (const key of keys) {
			if (current instanceof Undefined) return current;
			current = memberOf(current, key);
		}
		return current;
	};
}
