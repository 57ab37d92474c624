const contractVersions = new WeakMap<object, unknown>();

/**
 * Records for which version of the contract the plugin of this instance was written, so that conformance suites can read it.
 *
 * Returns the instance.
 */
export function recordContractVersion<T>(instance: T, contract: unknown): T {
	if (typeof instance === "object" && instance !== null) contractVersions.set(instance, contract);
	return instance;
}

/** Returns the recorded contract version. Returns undefined if the instance was not created by a plugin. */
export function getContractVersion(instance: object): unknown {
	return contractVersions.get(instance);
}
