/**
 * Adds an entry to a cache. If the cache then has more than `limit` entries, removes the one that was added first. Replacing an entry does
 * not renew it.
 */
export function addToCache<K, V>(cache: Map<K, V>, key: K, value: V, limit: number): void {
	cache.set(key, value);
	const [oldest] = cache.keys();
	if (cache.size > limit && oldest !== undefined) cache.delete(oldest);
}
