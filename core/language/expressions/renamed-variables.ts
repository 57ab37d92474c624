import type { DialectNames, JsonObject } from "../../contract/index.ts";

/** What this service calls something; undefined for a name that is none of the others. */
export function secondName(names: DialectNames, name: string): string | undefined {
	return Object.hasOwn(names, name) ? names[name] : undefined;
}

/**
 * Variables that can be read by their other names as well. They do not show there: who looks at all variables sees each once, under its
 * own name.
 */
export function withSecondNames(variables: JsonObject, names: DialectNames): JsonObject {
	if (Object.keys(names).length === 0) return variables;
	const own = (name: string | symbol) => {
		if (typeof name !== "string" || Object.hasOwn(variables, name)) return name;
		return secondName(names, name) ?? name;
	};
	const handler: ProxyHandler<JsonObject> = {
		get: (_, name) => Reflect.get(variables, own(name)),
		has: (_, name) => Reflect.has(variables, own(name)),
		ownKeys: () => Reflect.ownKeys(variables),
		getOwnPropertyDescriptor(_, name) {
			const found = Reflect.getOwnPropertyDescriptor(variables, own(name));
			return found === undefined ? undefined : { ...found, configurable: true };
		},
	};
	return new Proxy<JsonObject>({}, handler);
}
