const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const pattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|\+00:00)$/;

/** How long ago a time was, such as `3m ago`, or how far away it is; of one that is months away its date. Other text stays. */
export function toShortTime(text: string, now: number): string {
	if (!pattern.test(text)) return text;
	const distance = now - Date.parse(text);
	const length = Math.abs(distance);
	if (!(length < 60 * day)) return text.slice(0, 10);
	const [unit, name] = length < minute ? [second, "s"] : length < hour ? [minute, "m"] : length < 2 * day ? [hour, "h"] : [day, "d"];
	const words = `${Math.floor(length / unit)}${name}`;
	return distance >= 0 ? `${words} ago` : `in ${words}`;
}

/** A time to the second. Other text stays. */
export function toWholeSeconds(text: string): string {
	return pattern.test(text) ? text.replace(/\.\d+/, "") : text;
}
