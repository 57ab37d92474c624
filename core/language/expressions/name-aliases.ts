import type { DialectNames, JsonObject } from "../../contract/index.ts";

/** Returns this service's name for an alias of a variable or function; undefined if the name is not an alias. */
export function resolveAlias(names: DialectNames, name: string): string | undefined {
	return Object.hasOwn(names, name) ? names[name] : undefined;
}

/** Returns variables that can also be read by their aliases. Listing the variables shows each of them once, under this service's name. */
export function withAliases(variables: JsonObject, names: DialectNames): JsonObject {
	if (Object.keys(names).length === 0) return variables;
	const toOwnName = (name: string | symbol) => {
		if (typeof name !== "string" || Object.hasOwn(variables, name)) return name;
		return resolveAlias(names, name) ?? name;
	};
	const handler: ProxyHandler<JsonObject> = {
		get: (_, name) => Reflect.get(variables, toOwnName(name)),
		has: (_, name) => Reflect.has(variables, toOwnName(name)),
		ownKeys: () => Reflect.ownKeys(variables),
		getOwnPropertyDescriptor(_, name) {
			const descriptor = Reflect.getOwnPropertyDescriptor(variables, toOwnName(name));
			return descriptor === undefined ? undefined : { ...descriptor, configurable: true };
		},
	};
	return new Proxy<JsonObject>({}, handler);
}
