/**
 * Returns the cached value of a key, or reads and caches it. Concurrent callers share one read.
 *
 * A value for which `shouldCache` returns false is not cached, nor is a failed read. If the cache is cleared during a read, the result is
 * not added to it.
 */
export function singleFlight<T>(
	cache: Map<string, Promise<T>>,
	key: string,
	{ read, shouldCache = () => true }: { readonly read: () => Promise<T>; readonly shouldCache?: (value: T) => boolean },
): Promise<T> {
	const cached = cache.get(key);
	if (cached !== undefined) return cached;
	const evict = () => {
		if (cache.get(key) === pendingRead) cache.delete(key);
	};
	const pendingRead = read().then(
		(value) => {
			if (!shouldCache(value)) evict();
			return value;
		},
		(error: unknown) => {
			evict();
			throw error;
		},
	);
	cache.set(key, pendingRead);
	return pendingRead;
}
