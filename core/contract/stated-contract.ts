const stated = new WeakMap<object, unknown>();

/** Remember for which version of the contract the plugin was written that has made this instance, so that the kits can ask. */
export function stateContract<T>(instance: T, contract: unknown): T {
	if (typeof instance === "object" && instance !== null) stated.set(instance, contract);
	return instance;
}

/** The version; undefined for an instance that no plugin has made. */
export function statedContract(instance: object): unknown {
	return stated.get(instance);
}
