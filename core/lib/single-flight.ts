/**
 * What is kept under a key, or is being read for it: of many who ask at once one reads. What was read before the map was cleared does not
 * come back into it, and what could not be read is read again.
 */
export function readOnce<T>(
	kept: Map<string, Promise<T>>,
	key: string,
	{ read, isKept = () => true }: { readonly read: () => Promise<T>; readonly isKept?: (value: T) => boolean },
): Promise<T> {
	const known = kept.get(key);
	if (known !== undefined) return known;
	const forget = () => {
		if (kept.get(key) === reading) kept.delete(key);
	};
	const reading = read().then(
		(value) => {
			if (!isKept(value)) forget();
			return value;
		},
		(error: unknown) => {
			forget();
			throw error;
		},
	);
	kept.set(key, reading);
	return reading;
}
